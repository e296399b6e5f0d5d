/* From what a person asks for to arms: every combination that makes sense, each with a name. */
#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "results/record.h"

/* Lists to combine; a NULL list stands for its default. */
struct plan_axes {
    const int *workers;
    size_t nworkers;
    const int *threads;
    size_t nthreads;
    const char *const *affinity; /* default: scatter */
    size_t naffinity;
    const char *const *backend; /* default: process */
    size_t nbackend;
    const int *prefetch; /* default: 2 */
    size_t nprefetch;
    const bool *reserve_main; /* default: false, the main process shares all CPUs with the workers */
    size_t nmain;
    bool show_transform; /* other sweeps of the plan have other transforms: the name says which */
};

/* What a sweep covers when nobody says: workers 0, 1, 2, ... up to twice the CPU budget (all of them up to 8, then
 * powers of two), and threads 1 and all. Writes at most max numbers, returns how many. */
size_t plan_default_workers(int cpu_budget, int *out, size_t max);
size_t plan_default_threads(int cpu_budget, int *out, size_t max);

/* Appends the arms to r->arms (with r->dropped_at_look). threads_max: combinations with more threads than that in all
 * are left out and counted in *left_out; 0 = none are. Where there are no workers, backend and prefetch do not matter
 * and give one arm. Names say what differs. Strings of the workload are copied.
 * Errors: -ENOMEM; -EINVAL unknown affinity policy or backend, -EEXIST a name that another arm has. */
int plan_sweep(struct result *r, const struct plan_axes *axes, const struct workload *workload,
               long threads_max, size_t *left_out, struct err *err);

/* Is that a backend of workers? Errors: -EINVAL with the nearest, or all there are. */
int plan_check_backend(const char *backend, struct err *err);

/* Appends one arm. name NULL: made from the setting. subject: "core" or a command. */
int plan_add(struct result *r, const char *name, const char *subject, const struct workload *workload,
             const struct setting *setting, struct err *err);

#endif
