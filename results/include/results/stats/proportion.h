/* A share of successes with its exact interval. */
#ifndef RESULTS_STATS_PROPORTION_H
#define RESULTS_STATS_PROPORTION_H

#include <stddef.h>

#include "results/stats/interval.h"

/* `hits` of n, two-sided. n = 0 is not known.
 * Source: Clopper and Pearson (1934), "The use of confidence or fiducial limits", Biometrika 26. */
struct interval stats_proportion(size_t hits, size_t n, double level);

/* One-sided upper limit: "0 of 300: under 1 % at 95 % confidence". 1 when n = 0. */
double stats_proportion_upper(size_t hits, size_t n, double level);

#endif
