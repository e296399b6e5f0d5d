/* Optimal partitioning with the absolute loss, in O(n^2) steps of insertion. */
#include "results/stats/change_point.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats/order_statistic.h"

static double median_of(const double *x, size_t from, size_t to, double *scratch)
{
    memcpy(scratch, x + from, (to - from) * sizeof *scratch);
    return stats_median(scratch, to - from);
}

/* Noise of one value: 1.4826 times the median of |differences| / sqrt(2). */
static double noise_of(const double *x, size_t n, double *scratch)
{
    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = fabs(x[i] - x[i - 1]);
    return n > 1 ? 1.4826 * stats_median(scratch, n - 1) / sqrt(2) : 0;
}

/* Puts x into sorted[n]. */
static void insert(double *sorted, size_t n, double x)
{
    size_t i = n;
    for (; i && sorted[i - 1] > x; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = x;
}

/* Sum of distances from the median: upper half minus lower half. */
static double spread(const double *sorted, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n / 2; i++)
        sum += sorted[n - 1 - i] - sorted[i];
    return sum;
}

/* best[i]: lowest cost of the first i values; last[i]: where their last segment begins. Goes forward: every start that
 * can be reached extends its segment value by value. */
static void partition(const double *x, size_t n, size_t least, double noise, double penalty, double *best,
                      size_t *last, double *sorted)
{
    for (size_t i = 1; i <= n; i++)
        best[i] = INFINITY;
    best[0] = 0;
    for (size_t from = 0; from < n; from++) {
        if (!isfinite(best[from]))
            continue;
        for (size_t to = from + 1; to <= n; to++) {
            size_t length = to - from;
            insert(sorted, length - 1, x[to - 1]);
            if (length < least && length < n)
                continue;
            double cost = best[from] + spread(sorted, length) / noise + penalty;
            if (cost < best[to]) {
                best[to] = cost;
                last[to] = from;
            }
        }
    }
}

static size_t collect(const double *x, size_t n, const size_t *last, struct stats_level_segment *out,
                      double *scratch)
{
    size_t count = 0;
    for (size_t to = n; to; to = last[to])
        count++;
    size_t k = count;
    for (size_t to = n; to; to = last[to])
        out[--k] = (struct stats_level_segment){
            .from = last[to], .to = to, .median = median_of(x, last[to], to, scratch)};
    return count;
}

/* Joins the neighbours that differ least, as long as that is by less than the magnitude. */
static size_t join_small(const double *x, struct stats_level_segment *s, size_t count, double magnitude,
                         double *scratch)
{
    while (count > 1) {
        size_t small = 1;
        for (size_t i = 2; i < count; i++)
            if (fabs(s[i].median - s[i - 1].median) < fabs(s[small].median - s[small - 1].median))
                small = i;
        if (fabs(s[small].median - s[small - 1].median) >= magnitude)
            break;
        s[small - 1].to = s[small].to;
        s[small - 1].median = median_of(x, s[small - 1].from, s[small - 1].to, scratch);
        memmove(&s[small], &s[small + 1], (count - small - 1) * sizeof *s);
        count--;
    }
    return count;
}

int stats_change_points(const double *x, size_t n, size_t least, double magnitude,
                        struct stats_level_segment *out, size_t *nsegments, struct err *err)
{
    assert(least >= 1 && magnitude > 0);
    *nsegments = 0;
    if (!n || n > STATS_CHANGE_SERIES_MAX)
        return err_set(err, -ERANGE, "a series of %zu values: between 1 and %d can be looked at", n,
                       STATS_CHANGE_SERIES_MAX);
    double *best = malloc(2 * (n + 1) * sizeof *best), *scratch = best + n + 1;
    size_t *last = calloc(n + 1, sizeof *last);
    if (best && last) {
        double noise = fmax(noise_of(x, n, scratch), magnitude / 4);
        partition(x, n, least, noise, 1.5 * log((double)n) + 1, best, last, scratch);
        *nsegments = join_small(x, out, collect(x, n, last, out, scratch), magnitude, scratch);
    }
    int rc = best && last ? 0 : err_set(err, -ENOMEM, "out of memory for a series of %zu values", n);
    free(best);
    free(last);
    return rc;
}
