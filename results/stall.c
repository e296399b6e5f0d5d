/* Judging arms by how long they keep the consumer waiting. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "race.h"
#include "results/stats/order_statistic.h"

int results__race_judge_stall(struct race *race, struct err *err)
{
    const struct result *r = race->result;
    double alpha = race->alpha / race->looks / 2 / (double)(race->nmeasured ? race->nmeasured : 1);
    double *x = results__series_alloc(r);
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the stalls of %zu invocations", r->ninvocations);
    for (size_t a = 0; a < r->narms; a++) {
        size_t n = results__cells_series(&race->cells, r, a, offsetof(struct turn, stall_ratio), x,
                                         x + r->ninvocations);
        stats_sort(x, n);
        race->stall[a] = stats_quantile_sorted(x, n, 0.5);
        if (!race->in_race[a])
            continue;
        race->good[a] = n && stats_median_upper(x, n, alpha) <= r->max_stall;
        race->out[a] = !n || stats_median_lower(x, n, alpha) > r->max_stall;
    }
    free(x);
    return 0;
}
