/* Medians and quantiles with exact intervals that assume nothing of the distribution's shape.
 * Source: David and Nagaraja, "Order Statistics", 3rd ed., section 7.1; Conover, "Practical Nonparametric
 * Statistics", 3rd ed., section 3.2 (the sign test). Values are independent draws; ties only make the
 * intervals wider than they need be. */
#ifndef RESULTS_STATS_ORDER_STATISTIC_H
#define RESULTS_STATS_ORDER_STATISTIC_H

#include <stddef.h>

#include "results/stats/interval.h"

/* Sorts in ascending order. No NaN among them. */
void stats_sort(double *x, size_t n);

/* Median of x[n], which it sorts; the mean of the middle two when n is even; NaN when n = 0. */
double stats_median(double *x, size_t n);

/* Quantile p of sorted values, by interpolation (type 7 of Hyndman and Fan); NaN when n = 0. */
double stats_quantile_sorted(const double *sorted, size_t n, double p);

/* Largest rank r (from 1) such that the r-th smallest of n values lies above the median with probability at
 * most alpha, that is P(Bin(n, 1/2) <= r - 1) <= alpha; 0 = n is too small for any. */
size_t stats_median_rank(size_t n, double alpha);

/* Smallest n for which a one-sided limit at alpha exists: ceil(log2(1 / alpha)). A two-sided interval at
 * `level` needs that of alpha = (1 - level) / 2: 6 for 95 %, 8 for 99 %, 11 for 99.9 %. */
size_t stats_median_smallest_n(double alpha);

/* One-sided limits of the median of sorted values, each wrong with probability at most alpha; -INFINITY and
 * INFINITY when n is too small. */
double stats_median_lower(const double *sorted, size_t n, double alpha);
double stats_median_upper(const double *sorted, size_t n, double alpha);

/* Two-sided interval of the median of sorted values; known = false when n is too small. */
struct interval stats_median_interval(const double *sorted, size_t n, double level);

/* As stats_median_interval, of n values that carry the information of n_effective <= n independent ones: the
 * rank is that of n_effective values, at the same share of the way into the n sorted ones. */
struct interval stats_median_interval_effective(const double *sorted, size_t n, size_t n_effective,
                                                double level);

/* Ranks (from 1) of the order statistics that bound quantile p of n values, (1 - level) / 2 on each side:
 * *low = 0 or *high = n + 1 when that side has none. */
void stats_quantile_ranks(size_t n, double p, double level, size_t *low, size_t *high);

#endif
