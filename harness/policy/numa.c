/* Each worker may run anywhere on one NUMA node, and takes its memory there. */
#include "harness/placement.h"

extern const struct harness_policy harness_policy_numa;

static void order_numa(const struct harness_topology *t, int *order)
{
    for (int i = 0; i < t->ncpus; i++)
        order[i] = i;
}

static int domain_numa(const struct harness_cpu *cpu)
{
    return cpu->numa;
}

const struct harness_policy harness_policy_numa = {
    .name = "numa",
    .summary = "each worker within one NUMA node, its memory too, the least loaded first",
    .order = order_numa,
    .domain = domain_numa,
    .bind_memory = true,
};
