/* Two one-sided tests, and the sign test behind them. */
#include "results/stats/tost.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <stdbool.h>

enum stats_relation stats_tost(double low, double high, double ln_margin)
{
    assert(low <= high && ln_margin >= 0);
    bool different = low > 0 || high < 0;
    bool within = low > -ln_margin && high < ln_margin;
    if (different)
        return within ? STATS_DIFFERENT_WITHIN : STATS_DIFFERENT;
    return within ? STATS_EQUAL_WITHIN : STATS_NOTHING_FOUND;
}

/* P(Bin(n, 1/2) >= hits) = P(Bin(n, 1/2) <= n - hits). */
static double at_least(size_t hits, size_t n)
{
    return n ? gsl_cdf_binomial_P((unsigned)(n - hits), 0.5, (unsigned)n) : 1;
}

double stats_sign_test_above(const double *x, size_t n, double bound)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++)
        hits += x[i] > bound;
    return at_least(hits, n);
}

double stats_sign_test_below(const double *x, size_t n, double bound)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++)
        hits += x[i] < bound;
    return at_least(hits, n);
}
