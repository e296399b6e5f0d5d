/* The CPUs this process may use, and how they lie to one another. */
#ifndef HARNESS_TOPOLOGY_H
#define HARNESS_TOPOLOGY_H

#include <hwloc.h>
#include <stdint.h>

#include "base/err.h"

/* One processing unit (hardware thread). Ranks count from 0 within the whole topology, in hwloc's logical
 * order. */
struct harness_cpu {
    int os;                      /* the operating system's number */
    int package, numa, l3, core; /* l3: of a description without such caches, the package */
    int smt;                     /* 0 for the first hardware thread of its core */
    int kind;                    /* hwloc's CPU kind (efficiency class); 0 when all are alike */
};

/* CPUs in logical order: index = "position" in a plan.
 * Owner: the caller, harness_topology_fini. */
struct harness_topology {
    hwloc_topology_t hwloc;
    struct harness_cpu *cpu;
    int ncpus;
};

/* This machine, reduced to what the process may use (affinity mask and cpuset). */
int harness_topology_load(struct harness_topology *out, struct err *err);

/* Another machine: hwloc's synthetic notation ("pack:2 numa:2 core:16 pu:2"), or the path of a file in hwloc's XML (its
 * name ends in ".xml"), of which the CPUs that were allowed where it was recorded are taken; reduced to the list
 * `allowed` ("0-3,8"; NULL = all).
 * Errors: -EINVAL not such a description, or no CPU left; -ENOENT, -EACCES, ... of the file. */
int harness_topology_parse(const char *text, const char *allowed, struct harness_topology *out,
                           struct err *err);

void harness_topology_fini(struct harness_topology *t);

/* Draws which real CPU each position is, for one invocation: packages, caches, cores and hardware threads are
 * shuffled within their parents, so that neighbours stay neighbours. Where the parts are not alike (a reduced
 * cpuset, hybrid cores) positions stay where they are, since a swap would change the question. map[ncpus]:
 * position -> OS number. */
void harness_topology_draw(const struct harness_topology *t, uint64_t seed, int invocation, int *map);

#endif
