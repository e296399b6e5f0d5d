/* Power of a gate by resampling; see power.h. */
#include "results/stats/power.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter_rng.h"
#include "results/stats/choice.h"
#include "results/stats/order_statistic.h"

/* Fills ratios[n] with groups drawn at random; starts[g] is where group g begins. */
static void draw(const struct stats_power_pool *pool, const size_t *starts, struct counter_rng *rng,
                 double *ratios, size_t n)
{
    for (size_t filled = 0; filled < n;) {
        size_t g = counter_rng_below(rng, (uint32_t)pool->ngroups);
        size_t take = pool->group[g] < n - filled ? pool->group[g] : n - filled;
        memcpy(ratios + filled, pool->ln_ratios + starts[g], take * sizeof *ratios);
        filled += take;
    }
}

/* The least effect that one draw finds at any look. sorted: room for the last look. */
static double found_by(const double *ratios, const size_t *look_n, int looks, double alpha, double *sorted)
{
    double least = INFINITY;
    for (int k = 0; k < looks; k++) {
        memcpy(sorted, ratios, look_n[k] * sizeof *sorted);
        struct stats_limits l = stats_limits(sorted, look_n[k], alpha / looks, alpha / looks);
        least = fmin(least, -l.low);
    }
    return fmax(least, 0);
}

static int find_starts(const struct stats_power_pool *pool, size_t *starts, struct err *err)
{
    size_t at = 0;
    for (size_t g = 0; g < pool->ngroups; g++) {
        if (!pool->group[g])
            return err_set(err, -EINVAL, "group %zu of %zu has no invocation", g, pool->ngroups);
        starts[g] = at;
        at += pool->group[g];
    }
    return pool->ngroups ? 0 : err_set(err, -EINVAL, "no invocation to draw from");
}

int stats_power_smallest(const struct stats_power_pool *pool, const size_t *look_n, int looks, double alpha,
                         double share, size_t draws, uint64_t seed, double *out, struct err *err)
{
    size_t last = look_n[looks - 1];
    size_t *starts = calloc(pool->ngroups + 1, sizeof *starts);
    double *room = calloc(2 * last + draws, sizeof *room);
    double *ratios = room, *sorted = room + last, *found = room + 2 * last;
    int rc = starts && room ? find_starts(pool, starts, err)
                            : err_set(err, -ENOMEM, "out of memory for %zu draws", draws);
    for (size_t i = 0; !rc && i < draws; i++) {
        struct counter_rng rng;
        counter_rng_init(&rng, seed, 0, i);
        draw(pool, starts, &rng, ratios, last);
        found[i] = found_by(ratios, look_n, looks, alpha, sorted);
    }
    if (!rc) {
        stats_sort(found, draws);
        *out = stats_quantile_sorted(found, draws, share);
    }
    free(room);
    free(starts);
    return rc;
}
