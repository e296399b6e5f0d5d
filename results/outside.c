/* Time that passed while a subject was asked, and that it did not time. */
#include "results/outside.h"

#include <math.h>
#include <stdbool.h>

#include "cells.h"

/* Sums over the turns of an arm in one invocation. */
struct sums {
    double timed_ns, outside_ns, batches, turns;
};

static struct sums sums_of(const struct cells *c, const struct result *r, size_t invocation, int arm)
{
    const struct invocation *inv = &r->invocations[invocation];
    struct sums s = {0};
    for (size_t k = 0; k < inv->ntrials; k++)
        for (size_t i = 0; inv->trials[k].arm == arm && i < inv->trials[k].nturns; i++) {
            const struct turn *t = &inv->trials[k].turns[i];
            if (!isfinite(t->seen_ns) || !results__cells_turn_counts(c, invocation, t))
                continue;
            s.timed_ns += t->wall_ns;
            s.outside_ns += t->seen_ns - t->wall_ns;
            s.batches += (double)t->batches;
            s.turns++;
        }
    return s;
}

int result_outside_excess(const struct result *r, int arm, int other, double *out, size_t *n, struct err *err)
{
    struct cells c;
    *n = 0;
    int rc = results__cells_init(&c, r, METRIC_COST_NS, err);
    for (size_t i = 0; !rc && i < r->ninvocations; i++) {
        struct sums a = sums_of(&c, r, i, arm), b = sums_of(&c, r, i, other);
        if (!(a.batches > 0 && b.batches > 0))
            continue;
        double slower = a.timed_ns / a.batches / (b.timed_ns / b.batches);
        double fair = b.outside_ns / b.turns * fmax(1, slower);
        out[(*n)++] = (a.outside_ns / a.turns - fair) / (b.timed_ns / b.turns);
    }
    results__cells_fini(&c);
    return rc;
}
