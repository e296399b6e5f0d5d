/* Effective parallelism: a fixed compute loop on 1, 2, ... all CPUs at once. What all of them do together, over what
 * they do one at a time, is how many CPUs there really are; steal, other programs, a quota and SMT are the usual
 * reasons for less. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "team.h"

extern const struct doctor_check doctor_check_parallelism;

enum { ROUNDS = 7, CHAINS = 8, ALONE_MAX = 8 };
static const double WORK_NS = 15e6;

/* Independent chains of multiply-adds fill the units that SMT siblings share. */
static void compute(void *arg, int index)
{
    (void)index;
    long steps = *(const long *)arg;
    double x[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        x[c] = 1.0 + c;
    for (long i = 0; i < steps; i++)
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * 0.999999 + 0.000001;
    volatile double sink = 0;
    for (int c = 0; c < CHAINS; c++)
        sink = sink + x[c];
}

static long steps_for(double ns)
{
    long steps = 1000;
    for (;;) {
        uint64_t from = clock_now_ns();
        compute(&steps, 0);
        double took = (double)(clock_now_ns() - from);
        if (took > ns / 4)
            return (long)((double)steps * ns / took) + 1;
        steps *= 4;
    }
}

struct load {
    struct doctor_cpu_time from, to;
    uint64_t own_from, own_to, wall_from, wall_to;
};

/* CPUs' worth of time over the whole measurement: of other programs, and taken by the hypervisor. */
static void shares(const struct load *l, double *others, double *stolen)
{
    double wall = (double)(l->wall_to - l->wall_from);
    double busy = l->to.busy_ns - l->from.busy_ns, own = (double)(l->own_to - l->own_from);
    *others = fmax(0, (busy - own) / wall);
    *stolen = (l->to.steal_ns - l->from.steal_ns) / wall;
}

/* First hardware threads of all cores, then the second ones: 1, 2, 4 CPUs are cores as long as there are some. */
static void core_order(const struct harness_topology *t, int *order)
{
    int n = 0;
    for (int smt = 0; n < t->ncpus; smt++)
        for (int i = 0; i < t->ncpus; i++)
            if (t->cpu[i].smt == smt)
                order[n++] = i;
}

static int cores_of(const struct harness_topology *t)
{
    int cores = 0;
    for (int i = 0; i < t->ncpus; i++) {
        bool first = true;
        for (int j = 0; j < i; j++)
            first = first && t->cpu[j].core != t->cpu[i].core;
        cores += first;
    }
    return cores;
}

static double rate(const double *ns, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 1 / ns[i];
    return sum;
}

/* speedup[k]: of counts[k] CPUs at once over one alone, median of rounds. */
static bool measure(const struct doctor *d, const int *order, const int *counts, int ncounts, double *speedup)
{
    long steps = steps_for(WORK_NS);
    int n = d->topology.ncpus, alone_n = n < ALONE_MAX ? n : ALONE_MAX;
    double *ns = calloc((size_t)n, sizeof *ns), round[32][ROUNDS];
    bool good = ns != NULL;
    for (int r = 0; good && r < ROUNDS; r++) {
        double alone = 0;
        for (int i = 0; good && i < alone_n; i++) {
            good = team_run(d, &order[(long)i * n / alone_n], 1, compute, &steps, ns);
            alone += rate(ns, 1) / alone_n;
        }
        for (int k = 0; good && k < ncounts; k++) {
            good = team_run(d, order, counts[k], compute, &steps, ns);
            round[k][r] = rate(ns, counts[k]) / alone;
        }
    }
    for (int k = 0; good && k < ncounts; k++)
        speedup[k] = doctor_median(round[k], ROUNDS);
    free(ns);
    return good;
}

static void judge(struct doctor *d, double all, double others, double stolen)
{
    int n = d->topology.ncpus, cores = cores_of(&d->topology);
    char why[256] = "";
    const char *advice = NULL;
    if (stolen > 0.05 * n) {
        snprintf(why, sizeof why, ": the hypervisor took %.2f CPUs' worth of time meanwhile", stolen);
        advice = "ask for CPUs of your own (dedicated or pinned), or measure when the host is quiet";
    } else if (d->budget.quota > 0 && d->budget.quota < n) {
        snprintf(why, sizeof why, ": a CFS quota grants %.3g CPUs", d->budget.quota);
        advice = "plan with the quota (tune does), or have it raised";
    } else if (others > 0.1 * n) {
        snprintf(why, sizeof why, ": other programs used %.2f CPUs meanwhile", others);
        advice = "stop them, or run doctor again when the machine is quiet";
    } else if (cores < n && all > 0.9 * cores) {
        snprintf(why, sizeof why, ": they are hardware threads of %d cores, which share their arithmetic",
                 cores);
        advice = "for compute-bound transforms use one worker a core: --affinity core";
    } else if (all < 0.75 * n) {
        snprintf(why, sizeof why,
                 ", and neither steal nor a quota nor other programs were seen: they may be "
                 "hardware threads that the hypervisor shows as cores, or lower their clock together");
        advice = "count on that many CPUs, whatever the machine says";
    }
    bool less = all < 0.85 * n;
    doctor_find(d, less ? all < 0.6 * n ? DOCTOR_BAD : DOCTOR_COSTS : DOCTOR_FINE, less ? advice : NULL,
                "%d CPUs at once do the work of %.2f%s", n, all, less ? why : "");
}

static void look(struct doctor *d)
{
    int counts[32], ncounts = doctor_counts(d, counts), n = d->topology.ncpus;
    int *order = calloc((size_t)n, sizeof *order);
    double speedup[32], others, stolen;
    struct load l = {0};
    if (!order) {
        d->no_memory = true;
        return;
    }
    core_order(&d->topology, order);
    bool told = doctor_cpu_time(d, &l.from);
    clock_cpu_ns(0, &l.own_from);
    l.wall_from = clock_now_ns();
    bool good = measure(d, order, counts, ncounts, speedup);
    l.wall_to = clock_now_ns();
    clock_cpu_ns(0, &l.own_to);
    if (!told || !doctor_cpu_time(d, &l.to))
        l.from = l.to = (struct doctor_cpu_time){0};
    shares(&l, &others, &stolen);
    free(order);
    if (!good) {
        doctor_find(d, DOCTOR_NOTE, NULL, "effective parallelism: threads could not be started on all CPUs");
        return;
    }
    json_t *list = json_array();
    for (int k = 0; k < ncounts; k++)
        json_array_append_new(list, json_pack("{s:i, s:f}", "cpus", counts[k], "speedup", speedup[k]));
    doctor_figure(d, "speedup", list);
    doctor_figure(d, "other_programs_cpus", json_real(others));
    doctor_figure(d, "stolen_cpus", json_real(stolen));
    judge(d, speedup[ncounts - 1], others, stolen);
}

const struct doctor_check doctor_check_parallelism = {
    .name = "parallelism",
    .summary = "how many CPUs there really are: a fixed loop on 1, 2, ... all at once",
    .look = look,
};
