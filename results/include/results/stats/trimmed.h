/* The t interval of the 20 % trimmed mean: a check beside the median's interval, never its replacement. */
#ifndef RESULTS_STATS_TRIMMED_H
#define RESULTS_STATS_TRIMMED_H

#include <stddef.h>

#include "results/stats/interval.h"

struct stats_trimmed {
    double mean, se; /* NaN when there is none */
    struct interval ci;
    size_t kept; /* values that were not trimmed; degrees of freedom and one */
};

/* Mean of x[n] without the floor(n / 5) smallest and largest; standard error from the winsorised variance,
 * s_w / (0.6 sqrt(n)), with t of kept - 1 degrees of freedom. Sorts x. Not known below kept = 2.
 * Source: Tukey and McLaughlin (1963); Wilcox, "Introduction to Robust Estimation", 3rd ed., section 4.3. */
struct stats_trimmed stats_trimmed(double *x, size_t n, double level);

#endif
