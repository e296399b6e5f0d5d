/* Trimmed mean with Tukey and McLaughlin's interval. */
#include "results/stats/trimmed.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "results/stats/order_statistic.h"

struct stats_trimmed stats_trimmed(double *x, size_t n, double level)
{
    struct stats_trimmed t = {.mean = NAN, .se = NAN, .ci = {.low = NAN, .high = NAN, .level = level}};
    size_t g = n / 5;
    t.kept = n - 2 * g;
    if (t.kept < 2)
        return t;
    stats_sort(x, n);
    t.mean = 0;
    for (size_t i = g; i < n - g; i++)
        t.mean += (x[i] - t.mean) / (double)(i - g + 1);

    double winsorised = 0, spread = 0;
    for (size_t i = 0; i < n; i++) {
        double y = i < g ? x[g] : i >= n - g ? x[n - g - 1] : x[i];
        double delta = y - winsorised;
        winsorised += delta / (double)(i + 1);
        spread += delta * (y - winsorised);
    }
    double kept_share = 1 - 2.0 / 5;
    t.se = sqrt(spread / (double)(n - 1)) / (kept_share * sqrt((double)n));
    if (g == 0)
        t.se *= kept_share; /* nothing was trimmed: the plain standard error */
    double reach = gsl_cdf_tdist_Pinv(0.5 + level / 2, (double)(t.kept - 1)) * t.se;
    t.ci.low = t.mean - reach;
    t.ci.high = t.mean + reach;
    t.ci.known = true;
    return t;
}
