/* Whether a series remembers or moves, and how many independent values one that does is worth. */
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

/* Two-sided p-value of "the first half is as the second": the share of 999 random orders (and the one seen) whose
 * sum of ranks in the first half lies as far from its mean. 1 when n < 4. Errors: -ENOMEM (*p = NaN).
 * Source: the rank sum test (Wilcoxon 1945; Mann and Whitney 1947) as a permutation test. */
int stats_halves_test(const double *x, size_t n, double *p, struct err *err);

/* Joins neighbours, none, then two by two, three by three, ... (the mean of their ranks), until stats_lag1_test
 * no longer finds them correlated, and tells how many groups there were: n, n / 2, n / 3, ... For
 * stats_median_interval_effective. The first test has a high level on purpose: a series taken for independent
 * wrongly makes an interval too narrow, one joined for nothing only makes it wider. The two levels are those
 * at which the simulations (tests/results/coverage) keep 95 % on AR(1) of 0.5 from 24 values on, with few
 * series left without an interval.
 * Errors: -ENOMEM (*n_effective = 0). */
#define STATS_JOIN_LEVEL_FIRST 0.2
#define STATS_JOIN_LEVEL 0.05
int stats_effective_n(const double *x, size_t n, size_t *n_effective, struct err *err);

#endif
