/* Order statistics: where the binomial distribution says that the median, or a quantile, must lie. */
#include "results/stats/order_statistic.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, compare);
}

double stats_median(double *x, size_t n)
{
    stats_sort(x, n);
    return stats_quantile_sorted(x, n, 0.5);
}

double stats_quantile_sorted(const double *sorted, size_t n, double p)
{
    assert(p >= 0 && p <= 1);
    if (n == 0)
        return NAN;
    double at = p * (double)(n - 1);
    size_t below = (size_t)at;
    double share = at - (double)below;
    if (share == 0 || below + 1 >= n)
        return sorted[below];
    return sorted[below] * (1 - share) + sorted[below + 1] * share;
}

/* Largest r in 0..n with P(Bin(n, p) <= r - 1) <= alpha. The slack is for rounding in the distribution
 * function alone: 2 * 2^-6 must count as what it is. */
static size_t rank_below(size_t n, double p, double alpha)
{
    double allowed = alpha * (1 + 1e-12);
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (gsl_cdf_binomial_P((unsigned)(middle - 1), p, (unsigned)n) <= allowed)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t stats_median_rank(size_t n, double alpha)
{
    assert(alpha > 0 && alpha <= 0.5);
    return n == 0 ? 0 : rank_below(n, 0.5, alpha);
}

size_t stats_median_smallest_n(double alpha)
{
    assert(alpha > 0 && alpha <= 0.5);
    size_t n = 1;
    while (ldexp(1, -(int)n) > alpha * (1 + 1e-12))
        n++;
    return n;
}

double stats_median_lower(const double *sorted, size_t n, double alpha)
{
    size_t r = stats_median_rank(n, alpha);
    return r ? sorted[r - 1] : -INFINITY;
}

double stats_median_upper(const double *sorted, size_t n, double alpha)
{
    size_t r = stats_median_rank(n, alpha);
    return r ? sorted[n - r] : INFINITY;
}

struct interval stats_median_interval(const double *sorted, size_t n, double level)
{
    return stats_median_interval_effective(sorted, n, n, level);
}

struct interval stats_median_interval_effective(const double *sorted, size_t n, size_t n_effective,
                                                double level)
{
    assert(level > 0 && level < 1 && n_effective <= n);
    struct interval ci = {.low = NAN, .high = NAN, .level = level};
    size_t effective = stats_median_rank(n_effective, (1 - level) / 2);
    if (!effective)
        return ci;
    size_t r = effective * (n + 1) / (n_effective + 1);
    ci.low = sorted[r - 1];
    ci.high = sorted[n - r];
    ci.known = true;
    return ci;
}

void stats_quantile_ranks(size_t n, double p, double level, size_t *low, size_t *high)
{
    assert(p > 0 && p < 1 && level > 0 && level < 1);
    double alpha = (1 - level) / 2;
    *low = n == 0 ? 0 : rank_below(n, p, alpha);
    *high = n == 0 ? 1 : n + 1 - rank_below(n, 1 - p, alpha);
}
