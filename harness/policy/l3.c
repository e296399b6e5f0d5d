/* Each worker may run anywhere under one last-level cache: the scheduler balances, the cache stays warm. */
#include "harness/placement.h"

extern const struct harness_policy harness_policy_l3;

static void order_l3(const struct harness_topology *t, int *order)
{
    for (int i = 0; i < t->ncpus; i++)
        order[i] = i;
}

static int domain_l3(const struct harness_cpu *cpu)
{
    return cpu->l3;
}

const struct harness_policy harness_policy_l3 = {
    .name = "l3",
    .summary = "each worker within one last-level cache, the least loaded first",
    .order = order_l3,
    .domain = domain_l3,
};
