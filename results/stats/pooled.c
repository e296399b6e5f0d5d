/* Student's two-sample t with a pooled or an assumed variance. */
#include "results/stats/pooled.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Mean, and the sum of squares about it. */
static double mean_of(const double *x, size_t n, double *squares)
{
    double mean = 0;
    *squares = 0;
    for (size_t i = 0; i < n; i++) {
        double delta = x[i] - mean;
        mean += delta / (double)(i + 1);
        *squares += delta * (x[i] - mean);
    }
    return n ? mean : NAN;
}

struct stats_pooled stats_pooled(const double *x, size_t m, const double *y, size_t n, double assumed_sd)
{
    double sx, sy;
    struct stats_pooled p = {.sd = NAN, .se = NAN};
    double a = mean_of(x, m, &sx);
    p.difference = mean_of(y, n, &sy) - a;
    if (!m || !n)
        return p;
    if (m + n > 2) {
        p.df = (double)(m + n - 2);
        p.sd = sqrt((sx + sy) / p.df);
    } else if (assumed_sd > 0) {
        p.df = INFINITY;
        p.sd = assumed_sd;
    }
    p.se = p.sd * sqrt(1 / (double)m + 1 / (double)n);
    return p;
}

static double quantile(const struct stats_pooled *p, double alpha)
{
    return isinf(p->df) ? gsl_cdf_ugaussian_Qinv(alpha) : gsl_cdf_tdist_Qinv(alpha, p->df);
}

double stats_pooled_upper(const struct stats_pooled *p, double alpha)
{
    return p->df > 0 ? p->difference + quantile(p, alpha) * p->se : INFINITY;
}

double stats_pooled_lower(const struct stats_pooled *p, double alpha)
{
    return p->df > 0 ? p->difference - quantile(p, alpha) * p->se : -INFINITY;
}

double stats_pooled_above(const struct stats_pooled *p, double bound)
{
    if (!(p->df > 0))
        return 1;
    if (p->se <= 0)
        return p->difference > bound ? 0 : 1;
    double t = (p->difference - bound) / p->se;
    return isinf(p->df) ? gsl_cdf_ugaussian_Q(t) : gsl_cdf_tdist_Q(t, p->df);
}
