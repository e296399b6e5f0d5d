/* One hardware thread of each core: SMT siblings share arithmetic and caches, so nobody gets the second one. */
#include <stdbool.h>

#include "harness/placement.h"

extern const struct harness_policy harness_policy_core;

/* Of a core with only its second hardware thread allowed, that one is the first. */
static bool is_first_of_core(const struct harness_topology *t, int position)
{
    for (int i = 0; i < position; i++)
        if (t->cpu[i].core == t->cpu[position].core)
            return false;
    return true;
}

static int usable_core(const struct harness_topology *t)
{
    int n = 0;
    for (int i = 0; i < t->ncpus; i++)
        n += is_first_of_core(t, i);
    return n;
}

static void order_core(const struct harness_topology *t, int *order)
{
    int first = 0, rest = usable_core(t);
    for (int i = 0; i < t->ncpus; i++)
        order[is_first_of_core(t, i) ? first++ : rest++] = i;
}

const struct harness_policy harness_policy_core = {
    .name = "core",
    .summary = "a core for each thread: the second hardware thread of a core stays empty",
    .order = order_core,
    .usable = usable_core,
};
