/* Far apart: across packages, then nodes, then caches, then cores; second hardware threads of a core come last. */
#include "harness/placement.h"

extern const struct harness_policy harness_policy_scatter;

static int part(const struct harness_cpu *c, int level)
{
    return level == 0 ? c->package : level == 1 ? c->numa : level == 2 ? c->l3 : c->core;
}

/* How many CPUs already taken share the parts of c: fewer on the outer level wins, then the next level, and
 * so on. */
static int crowding(const struct harness_topology *t, const int *taken, int ntaken,
                    const struct harness_cpu *c, int level)
{
    int n = 0;
    for (int i = 0; i < ntaken; i++)
        n += part(&t->cpu[taken[i]], level) == part(c, level);
    return n;
}

static int is_better(const struct harness_topology *t, const int *taken, int ntaken, int a, int b)
{
    const struct harness_cpu *x = &t->cpu[a], *y = &t->cpu[b];
    if (x->smt != y->smt)
        return x->smt < y->smt;
    for (int level = 0; level < 4; level++) {
        int cx = crowding(t, taken, ntaken, x, level), cy = crowding(t, taken, ntaken, y, level);
        if (cx != cy)
            return cx < cy;
    }
    return a < b;
}

static int is_taken(const int *taken, int ntaken, int position)
{
    for (int i = 0; i < ntaken; i++)
        if (taken[i] == position)
            return 1;
    return 0;
}

static void order_scatter(const struct harness_topology *t, int *order)
{
    for (int n = 0; n < t->ncpus; n++) {
        int best = -1;
        for (int i = 0; i < t->ncpus; i++)
            if (!is_taken(order, n, i) && (best < 0 || is_better(t, order, n, i, best)))
                best = i;
        order[n] = best;
    }
}

const struct harness_policy harness_policy_scatter = {
    .name = "scatter",
    .summary = "far apart: across packages, nodes, caches and cores; SMT siblings last",
    .order = order_scatter,
};
