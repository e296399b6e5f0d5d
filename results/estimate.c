/* One arm's figures: the median over invocations of the median turn. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "results/stats/autocorrelation.h"
#include "results/stats/order_statistic.h"

int summary_digits(double value, const struct interval *ci)
{
    if (!ci->known || !(ci->high > ci->low))
        return 3;
    if (!(fabs(value) > 0)) /* zero has no first digit */
        return 2;
    int n = (int)floor(log10(2 * fabs(value) / (ci->high - ci->low))) + 2;
    return n < 2 ? 2 : n > 4 ? 4 : n;
}

int summary_ratio_decimals(double value, double low, double high)
{
    struct interval ci = {.low = low, .high = high, .known = isfinite(low) && isfinite(high)};
    int least = value < 10 ? 2 : 0, n = summary_digits(value, &ci) - 1;
    n -= value >= 10 && isfinite(value) ? (int)log10(value) : 0;
    return n < least ? least : n;
}

int results__series_estimate(double *x, size_t n, double level, int looks, struct estimate *out,
                             struct err *err)
{
    *out = (struct estimate){.value = NAN, .n = (int)n, .ci = {.low = NAN, .high = NAN, .level = level}};
    size_t effective;
    int rc = stats_effective_n(x, n, &effective, err);
    if (rc < 0)
        return rc;
    out->value = stats_median(x, n);
    out->n_effective = (int)effective;
    out->ci = stats_median_interval_effective(x, n, effective, 1 - (1 - level) / looks);
    out->ci.level = level;
    return 0;
}

/* Median of an arm's turns that count, of all its trials in an invocation; NaN when there is none. */
static double median_turn(const struct cells *c, const struct result *r, size_t invocation, size_t arm,
                          size_t offset, double *scratch)
{
    size_t n = 0;
    const struct invocation *inv = &r->invocations[invocation];
    for (size_t k = 0; k < inv->ntrials; k++)
        for (size_t i = 0; inv->trials[k].arm == (int)arm && i < inv->trials[k].nturns; i++) {
            const struct turn *turn = &inv->trials[k].turns[i];
            double x;
            memcpy(&x, (const char *)turn + offset, sizeof x);
            if (isfinite(x) && results__cells_turn_counts(c, invocation, turn))
                scratch[n++] = x;
        }
    return stats_median(scratch, n);
}

static size_t most_turns(const struct result *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->ninvocations; i++) {
        size_t n = 0;
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            n += r->invocations[i].trials[t].nturns;
        most = n > most ? n : most;
    }
    return most;
}

size_t results__cells_series(const struct cells *c, const struct result *r, size_t arm, size_t offset,
                             double *out, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < r->ninvocations; i++) {
        double median = median_turn(c, r, i, arm, offset, scratch);
        if (isfinite(median))
            out[n++] = median;
    }
    return n;
}

double *results__series_alloc(const struct result *r)
{
    return malloc((r->ninvocations + most_turns(r) + 1) * sizeof(double));
}

int results__cells_estimate(const struct cells *c, const struct result *r, size_t arm, size_t offset,
                            double level, int looks, struct estimate *out, struct err *err)
{
    *out = (struct estimate){.value = NAN, .ci = {.low = NAN, .high = NAN, .level = level}};
    double *x = results__series_alloc(r);
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the figures of %zu invocations", r->ninvocations);
    size_t n = results__cells_series(c, r, arm, offset, x, x + r->ninvocations);
    int rc = results__series_estimate(x, n, level, looks, out, err);
    free(x);
    return rc;
}
