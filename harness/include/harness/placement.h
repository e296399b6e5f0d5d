/* Which positions each worker gets: a pure function of topology, policy, workers and threads. */
#ifndef HARNESS_PLACEMENT_H
#define HARNESS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "harness/topology.h"

/* A way to lay workers out over CPUs. One file each in harness/policy/, one word in harness/policies.h. */
struct harness_policy {
    const char *name;    /* required */
    const char *summary; /* required; one line for help and `list` */
    /* Orders the positions in which workers are handed their CPUs: order[ncpus], a permutation.
     * Optional, NULL = workers are not bound at all. */
    void (*order)(const struct harness_topology *t, int *order);
};

/* All policies; ends with NULL. */
extern const struct harness_policy *const harness_policies[];

/* -EINVAL with the nearest name. */
int harness_policy_find(const char *name, const struct harness_policy **out, struct err *err);

/* Sets of positions. bound = false: every set holds all CPUs and nothing is bound. Owner:
 * harness_placement_fini. */
struct harness_placement {
    bool bound;
    int workers;
    hwloc_bitmap_t main;    /* consumer: all CPUs when there are workers, else as many as it has threads */
    hwloc_bitmap_t *worker; /* [workers] as many CPUs each as it has threads */
    int busiest;            /* threads on the CPU with the most; above 1 is oversubscribed */
};

int harness_placement_make(const struct harness_topology *t, const struct harness_policy *policy, int workers,
                           int threads, struct harness_placement *out, struct err *err);
void harness_placement_fini(struct harness_placement *p);

/* A set of positions as the operating system's numbers under a draw ("0-1,4"). *out is the caller's to free.
 */
int harness_placement_os_list(hwloc_const_bitmap_t positions, const int *map, char **out, struct err *err);

#endif
