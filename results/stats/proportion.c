/* Clopper and Pearson's limits as quantiles of the beta distribution. */
#include "results/stats/proportion.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

static double lower(size_t hits, size_t n, double alpha)
{
    return hits == 0 ? 0 : gsl_cdf_beta_Pinv(alpha, (double)hits, (double)(n - hits + 1));
}

static double upper(size_t hits, size_t n, double alpha)
{
    return hits == n ? 1 : gsl_cdf_beta_Qinv(alpha, (double)(hits + 1), (double)(n - hits));
}

struct interval stats_proportion(size_t hits, size_t n, double level)
{
    assert(hits <= n && level > 0 && level < 1);
    struct interval ci = {.low = NAN, .high = NAN, .level = level, .known = n > 0};
    if (ci.known) {
        ci.low = lower(hits, n, (1 - level) / 2);
        ci.high = upper(hits, n, (1 - level) / 2);
    }
    return ci;
}

double stats_proportion_upper(size_t hits, size_t n, double level)
{
    assert(hits <= n && level > 0 && level < 1);
    return n ? upper(hits, n, 1 - level) : 1;
}
