/* How many independent values a series that remembers is worth. */
#ifndef RESULTS_STATS_AUTOCORRELATION_H
#define RESULTS_STATS_AUTOCORRELATION_H

#include <stddef.h>

#include "base/err.h"

/* Lag-1 autocorrelation (Pearson, about the mean); NaN when n < 3, 0 when all values are equal. */
double stats_lag1(const double *x, size_t n);

/* One-sided p-value of "no positive lag-1 autocorrelation": the share of 999 random orders (and the one seen)
 * whose lag-1 of ranks is at least that of x. 1 when n < 4 or all values are equal. The draws are fixed: the
 * same series always gives the same answer.
 * Errors: -ENOMEM (*p = NaN).
 * Source: Wald and Wolfowitz (1943), "An exact test for randomness in the non-parametric case based on serial
 * correlation", Annals of Mathematical Statistics 14; ranks after Bartels (1982). */
int stats_lag1_test(const double *x, size_t n, double *p, struct err *err);

/* Joins neighbours (1st with 2nd, 3rd with 4th, ...; the mean of their ranks) until stats_lag1_test no longer
 * finds p < STATS_JOIN_LEVEL, and tells how many joined values there were: n, n / 2, n / 4, ... The level is
 * high on purpose: a series taken for independent wrongly makes an interval too narrow, one joined for
 * nothing only makes it wider. For stats_median_interval_effective. Errors: -ENOMEM (*n_effective = 0). */
#define STATS_JOIN_LEVEL 0.2
int stats_effective_n(const double *x, size_t n, size_t *n_effective, struct err *err);

#endif
