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

/* The positions in hand: order[0 .. n) go to workers, in turn. */
struct hand {
    const struct harness_topology *t;
    int *order, n;
    int reserved; /* position of the consumer, -1 = none */
    int (*domain)(const struct harness_cpu *cpu);
    bool fixed;
};

/* Each worker the next CPUs of the order; threads per CPU differ by at most one. */
static void deal_cpus(const struct hand *h, int threads, struct harness_placement *out)
{
    int taken = threads < h->n ? threads : h->n;
    for (int w = 0; w < out->workers; w++)
        for (int i = 0; i < taken; i++)
            hwloc_bitmap_set(out->worker[w], (unsigned)h->order[((long)w * threads + i) % h->n]);
    long asked = (long)out->workers * threads;
    out->busiest = (int)((asked + h->n - 1) / h->n);
}

/* CPUs and threads of one domain. */
struct room {
    int id, cpus;
    long threads;
};

static int list_rooms(const struct hand *h, struct room *room)
{
    int n = 0;
    for (int i = 0; i < h->n; i++) {
        int id = h->domain(&h->t->cpu[h->order[i]]), r = 0;
        while (r < n && room[r].id != id)
            r++;
        if (r == n)
            room[n++] = (struct room){.id = id};
        room[r].cpus++;
    }
    return n;
}

/* Each worker to the domain that is least loaded with it. */
static int deal_domains(const struct hand *h, int threads, struct harness_placement *out)
{
    struct room *room = calloc((size_t)h->n, sizeof *room);
    if (!room)
        return -ENOMEM;
    int n = list_rooms(h, room);
    out->busiest = 0;
    for (int w = 0; w < out->workers; w++) {
        int best = 0;
        for (int r = 1; r < n; r++)
            if ((room[r].threads + threads) * room[best].cpus < (room[best].threads + threads) * room[r].cpus)
                best = r;
        room[best].threads += threads;
        for (int i = 0; i < h->n; i++)
            if (h->domain(&h->t->cpu[h->order[i]]) == room[best].id)
                hwloc_bitmap_set(out->worker[w], (unsigned)h->order[i]);
    }
    for (int r = 0; r < n; r++) {
        int load = (int)((room[r].threads + room[r].cpus - 1) / room[r].cpus);
        out->busiest = load > out->busiest ? load : out->busiest;
    }
    free(room);
    return 0;
}

/* The consumer: its own CPU, or all there are (of an explicit list: all of that); without workers as many as it has
 * threads. */
static void set_main(const struct hand *h, int threads, struct harness_placement *out)
{
    if (h->reserved >= 0) {
        hwloc_bitmap_set(out->main, (unsigned)h->reserved);
        return;
    }
    int taken = threads < h->n ? threads : h->n;
    bool everywhere = !out->bound || (out->workers > 0 && !h->fixed);
    for (int i = 0; i < (everywhere ? h->t->ncpus : out->workers ? h->n : taken); i++)
        hwloc_bitmap_set(out->main, (unsigned)(everywhere ? i : h->order[i]));
    if (!out->workers)
        out->busiest = (threads + h->n - 1) / h->n;
}

static int allocate(struct harness_placement *out)
{
    out->worker = calloc((size_t)out->workers + 1, sizeof *out->worker);
    out->main = hwloc_bitmap_alloc();
    for (int w = 0; out->worker && w < out->workers; w++)
        if (!(out->worker[w] = hwloc_bitmap_alloc()))
            return -ENOMEM;
    return out->worker && out->main ? 0 : -ENOMEM;
}

static int name_real_cpus(const struct harness_topology *t, struct harness_placement *out)
{
    out->os = calloc((size_t)t->ncpus, sizeof *out->os);
    for (int i = 0; out->os && i < t->ncpus; i++)
        out->os[i] = t->cpu[i].os;
    return out->os ? 0 : -ENOMEM;
}

/* Takes what is reserved out of the hand, when something is left then. */
static void reserve(struct hand *h, bool wanted, const struct harness_placement *p)
{
    h->reserved = -1;
    if (!wanted || !p->bound || !p->workers || h->n < 2)
        return;
    h->reserved = h->order[0];
    h->n--;
    memmove(h->order, h->order + 1, (size_t)h->n * sizeof *h->order);
}

static int deal(struct hand *h, const struct harness_placement_ask *ask, struct harness_placement *out,
                struct err *err)
{
    reserve(h, ask->reserve_main, out);
    int rc = allocate(out);
    if (!rc && h->fixed)
        rc = name_real_cpus(h->t, out);
    out->reserved = h->reserved >= 0;
    out->cpus = h->n;
    if (!rc && h->domain)
        rc = deal_domains(h, ask->threads, out);
    else if (!rc && out->bound)
        deal_cpus(h, ask->threads, out);
    else if (!rc) { /* nobody is bound: all may run everywhere */
        deal_cpus(h, h->n, out);
        out->busiest = (int)(((long)ask->workers * ask->threads + h->n - 1) / h->n);
    }
    if (!rc) {
        set_main(h, ask->threads, out);
        return 0;
    }
    harness_placement_fini(out);
    return err_set(err, rc, "out of memory for the placement of %d workers", ask->workers);
}

static int plan(const struct harness_topology *t, const struct harness_policy *policy,
                const struct harness_placement_ask *ask, struct harness_placement *out, struct err *err)
{
    *out = (struct harness_placement){.bound = !policy || policy->order,
                                      .workers = ask->workers,
                                      .threads = ask->threads,
                                      .bind_memory = policy && policy->bind_memory};
    struct hand h = {.t = t, .n = t->ncpus, .domain = policy ? policy->domain : NULL, .fixed = !policy};
    h.order = calloc((size_t)t->ncpus, sizeof *h.order);
    if (!h.order)
        return err_set(err, -ENOMEM, "out of memory for the placement of %d workers", ask->workers);
    for (int i = 0; i < t->ncpus; i++)
        h.order[i] = i;
    int rc = policy ? 0 : harness_cpu_list(t, ask->affinity, h.order, &h.n, err);
    if (policy && policy->order)
        policy->order(t, h.order);
    if (policy && policy->usable)
        h.n = policy->usable(t);
    rc = rc ? rc : deal(&h, ask, out, err);
    free(h.order);
    return rc;
}

int harness_placement_make(const struct harness_topology *t, const struct harness_policy *policy, int workers,
                           int threads, struct harness_placement *out, struct err *err)
{
    const struct harness_placement_ask ask = {
        .affinity = policy->name, .workers = workers, .threads = threads};
    return plan(t, policy, &ask, out, err);
}

int harness_placement_plan(const struct harness_topology *t, const struct harness_placement_ask *ask,
                           struct harness_placement *out, struct err *err)
{
    const struct harness_policy *policy = NULL;
    *out = (struct harness_placement){0};
    int rc = harness_is_cpu_list(ask->affinity) ? 0 : harness_policy_find(ask->affinity, &policy, err);
    return rc ? rc : plan(t, policy, ask, out, err);
}

void harness_placement_fini(struct harness_placement *p)
{
    for (int w = 0; p->worker && w < p->workers; w++)
        hwloc_bitmap_free(p->worker[w]);
    free(p->worker);
    hwloc_bitmap_free(p->main);
    free(p->os);
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
