/* Neighbours first: hardware threads of one core, then the next core under the same cache. */
#include "harness/placement.h"

extern const struct harness_policy harness_policy_compact;

static void order_compact(const struct harness_topology *t, int *order)
{
    for (int i = 0; i < t->ncpus; i++)
        order[i] = i; /* hwloc's logical order is just that */
}

const struct harness_policy harness_policy_compact = {
    .name = "compact",
    .summary = "close together: hardware threads of a core, then cores under one cache",
    .order = order_compact,
};
