/* Handing out positions to workers in a policy's order. */
#include "harness/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "policies.h"

#define DECLARE(word) extern const struct harness_policy harness_policy_##word;
HARNESS_POLICIES(DECLARE)
#define ENTRY(word) &harness_policy_##word,
const struct harness_policy *const harness_policies[] = {HARNESS_POLICIES(ENTRY) NULL};

enum { POLICIES = sizeof harness_policies / sizeof *harness_policies - 1 };

int harness_policy_find(const char *name, const struct harness_policy **out, struct err *err)
{
    const char *names[POLICIES];
    for (int i = 0; i < POLICIES; i++) {
        names[i] = harness_policies[i]->name;
        if (!strcmp(name, names[i])) {
            *out = harness_policies[i];
            return 0;
        }
    }
    *out = NULL;
    int near = name_nearest(name, names, POLICIES);
    return err_set(err, -EINVAL, "unknown affinity policy '%s'%s%s%s", name,
                   near < 0 ? "" : " (did you mean '", near < 0 ? "" : names[near], near < 0 ? "" : "'?)");
}

static void fill(const struct harness_topology *t, const struct harness_policy *policy, const int *order,
                 int threads, struct harness_placement *out)
{
    int taken = threads < t->ncpus ? threads : t->ncpus;
    for (int w = 0; w < out->workers; w++)
        for (int i = 0; i < taken; i++)
            hwloc_bitmap_set(out->worker[w], (unsigned)order[((long)w * threads + i) % t->ncpus]);
    int all = out->workers > 0 || !policy->order;
    for (int i = 0; i < (all ? t->ncpus : taken); i++)
        hwloc_bitmap_set(out->main, (unsigned)order[i]);
}

/* Threads on the busiest CPU when each set's threads spread evenly over it. */
static int count_busiest(const struct harness_topology *t, int workers, int threads)
{
    long asked = workers ? (long)workers * threads : threads;
    return (int)((asked + t->ncpus - 1) / t->ncpus);
}

int harness_placement_make(const struct harness_topology *t, const struct harness_policy *policy, int workers,
                           int threads, struct harness_placement *out, struct err *err)
{
    *out = (struct harness_placement){.bound = policy->order != NULL, .workers = workers};
    int *order = calloc((size_t)t->ncpus, sizeof *order);
    out->worker = calloc((size_t)workers + 1, sizeof *out->worker);
    out->main = hwloc_bitmap_alloc();
    if (!order || !out->worker || !out->main)
        goto fail;
    for (int w = 0; w < workers; w++)
        if (!(out->worker[w] = hwloc_bitmap_alloc()))
            goto fail;
    if (policy->order)
        policy->order(t, order);
    for (int i = 0; !policy->order && i < t->ncpus; i++)
        order[i] = i;
    fill(t, policy, order, policy->order ? threads : t->ncpus, out);
    out->busiest = count_busiest(t, workers, threads);
    free(order);
    return 0;
fail:
    free(order);
    harness_placement_fini(out);
    return err_set(err, -ENOMEM, "out of memory for the placement of %d workers", workers);
}

void harness_placement_fini(struct harness_placement *p)
{
    for (int w = 0; p->worker && w < p->workers; w++)
        hwloc_bitmap_free(p->worker[w]);
    free(p->worker);
    hwloc_bitmap_free(p->main);
    *p = (struct harness_placement){0};
}

int harness_placement_os_list(hwloc_const_bitmap_t positions, const int *map, char **out, struct err *err)
{
    *out = NULL;
    hwloc_bitmap_t os = hwloc_bitmap_alloc();
    int n = -1;
    for (int i = hwloc_bitmap_first(positions); os && i >= 0; i = hwloc_bitmap_next(positions, i))
        hwloc_bitmap_set(os, (unsigned)map[i]);
    if (os)
        n = hwloc_bitmap_list_asprintf(out, os);
    hwloc_bitmap_free(os);
    return n < 0 ? err_set(err, -ENOMEM, "out of memory for a CPU list") : 0;
}
