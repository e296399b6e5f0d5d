/* Studentised bootstrap, resampling whole invocations. */
#include "results/stats/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/counter_rng.h"
#include "results/stats/order_statistic.h"

#define STREAM_RESAMPLES (UINT64_C(1) << 62 | 17)

/* Jackknife standard error: sqrt((n - 1) / n sum (t_(i) - mean)^2); pick_less[n]. */
static double jackknife_se(struct stats_statistic s, const size_t *pick, size_t n, size_t *pick_less)
{
    double mean = 0, spread = 0;
    for (size_t i = 1; i < n; i++)
        pick_less[i - 1] = pick[i];
    for (size_t i = 0; i < n; i++) {
        double t = s.of(pick_less, n - 1, s.data);
        double delta = t - mean;
        mean += delta / (double)(i + 1);
        spread += delta * (t - mean);
        if (i + 1 < n)
            pick_less[i] = pick[i];
    }
    return sqrt(spread * (double)(n - 1) / (double)n);
}

/* Studentised values of the resamples that have one; returns how many. */
static size_t resample(struct stats_statistic s, size_t n, double value, uint64_t seed, size_t *pick,
                       double *studentised)
{
    size_t found = 0;
    for (size_t b = 0; b < STATS_BOOTSTRAP_RESAMPLES; b++) {
        struct counter_rng rng;
        counter_rng_init(&rng, seed, STREAM_RESAMPLES, b);
        for (size_t i = 0; i < n; i++)
            pick[i] = counter_rng_below(&rng, (uint32_t)n);
        double t = s.of(pick, n, s.data), se = jackknife_se(s, pick, n, pick + n);
        double z = (t - value) / se;
        if (isfinite(z))
            studentised[found++] = z;
    }
    return found;
}

int stats_bootstrap_t(struct stats_statistic s, size_t n, double level, uint64_t seed, double *value,
                      struct interval *ci, struct err *err)
{
    *value = NAN;
    *ci = (struct interval){.low = NAN, .high = NAN, .level = level};
    size_t *pick = malloc(2 * (n + 1) * sizeof *pick);
    double *studentised = malloc(STATS_BOOTSTRAP_RESAMPLES * sizeof *studentised);
    int rc = pick && studentised ? 0 : err_set(err, -ENOMEM, "no memory to resample %zu invocations", n);
    if (rc < 0 || n == 0)
        goto end;
    for (size_t i = 0; i < n; i++)
        pick[i] = i;
    *value = s.of(pick, n, s.data);
    double se = n > 1 ? jackknife_se(s, pick, n, pick + n) : NAN;
    if (n < STATS_BOOTSTRAP_LEAST || !isfinite(*value) || !isfinite(se) || se <= 0)
        goto end;
    size_t found = resample(s, n, *value, seed, pick, studentised);
    if (found < STATS_BOOTSTRAP_RESAMPLES * 9 / 10)
        goto end;
    stats_sort(studentised, found);
    ci->low = *value - stats_quantile_sorted(studentised, found, 0.5 + level / 2) * se;
    ci->high = *value - stats_quantile_sorted(studentised, found, 0.5 - level / 2) * se;
    ci->known = true;
end:
    free(studentised);
    free(pick);
    return rc;
}
