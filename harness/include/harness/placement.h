/* Which positions each worker gets: a pure function of topology, policy, workers and threads. */
#ifndef HARNESS_PLACEMENT_H
#define HARNESS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "harness/topology.h"

/* A way to lay workers out over CPUs. One file each in harness/policy/, one word in harness/policies.h. */
struct harness_policy {
    const char *name;    /* required */
    const char *summary; /* required; one line for help and `list` */
    /* Orders the positions in which workers are handed their CPUs: order[ncpus], a permutation.
     * Optional, NULL = workers are not bound at all. */
    void (*order)(const struct harness_topology *t, int *order);
    /* How many of the first positions of the order are handed out. Optional, NULL = all. */
    int (*usable)(const struct harness_topology *t);
    /* Workers are bound to a whole domain (a cache, a node): the one a CPU lies in. Optional, NULL = each worker gets
     * as many CPUs of its own as it has threads. */
    int (*domain)(const struct harness_cpu *cpu);
    bool bind_memory; /* memory comes from the nodes of a worker's CPUs */
};

/* All policies; ends with NULL. */
extern const struct harness_policy *const harness_policies[];

/* -EINVAL with the nearest name. */
int harness_policy_find(const char *name, const struct harness_policy **out, struct err *err);

/* Sets of positions. bound = false: every set holds all CPUs and nothing is bound. Owner:
 * harness_placement_fini. */
struct harness_placement {
    bool bound;
    int workers, threads;
    hwloc_bitmap_t main;    /* consumer: all CPUs when there are workers, else as many as it has threads */
    hwloc_bitmap_t *worker; /* [workers] as many CPUs each as it has threads, or its domain */
    int cpus;               /* that workers (without them: the consumer) are handed */
    int busiest;            /* threads on the CPU with the most; above 1 is oversubscribed */
    bool reserved;          /* the consumer has a CPU that no worker gets */
    bool bind_memory;
    int *os; /* [ncpus] an explicit list names real CPUs: they are not drawn anew; NULL = they are */
};

int harness_placement_make(const struct harness_topology *t, const struct harness_policy *policy, int workers,
                           int threads, struct harness_placement *out, struct err *err);

/* What is asked for on the command line. */
struct harness_placement_ask {
    const char *affinity; /* a policy's name, or CPUs: see harness_cpu_list */
    int workers, threads;
    bool
        reserve_main; /* the first CPU of the order is the consumer's alone, where there are two and workers are bound */
};

/* Errors: -EINVAL no such policy (with the nearest), no such list, or CPUs that this process may not use; -ENOMEM. */
int harness_placement_plan(const struct harness_topology *t, const struct harness_placement_ask *ask,
                           struct harness_placement *out, struct err *err);
void harness_placement_fini(struct harness_placement *p);

/* Is that a policy, or a list as far as it can be seen without a machine? Errors: -EINVAL with the nearest name. */
int harness_affinity_check(const char *affinity, struct err *err);

/* Explicit CPUs, in the order they are handed out: the operating system's numbers ("0,2,4-7"), or positions in a
 * domain as LIKWID writes them ("S0:0-3", "S0:0-1@S1:0-1"; N the machine, S a package, C a last-level cache, M a NUMA
 * node; cores first, then their second hardware threads). order[ncpus] gets positions, *n how many.
 * Errors: -EINVAL no list, a CPU twice, or one that is not there. */
int harness_cpu_list(const struct harness_topology *t, const char *text, int *order, int *n, struct err *err);

/* Is the text meant as such a list? */
bool harness_is_cpu_list(const char *text);

/* The plan as a picture in text: a line for each cache, cores in brackets, who runs on each hardware thread
 * ("0" = worker 0, "m" = the reserved consumer, "." = nobody), and in words what is oversubscribed. */
void harness_placement_draw(const struct harness_topology *t, const struct harness_placement *p,
                            struct text *out);

/* A set of positions as the operating system's numbers under a draw ("0-1,4"). *out is the caller's to free.
 */
int harness_placement_os_list(hwloc_const_bitmap_t positions, const int *map, char **out, struct err *err);

#endif
