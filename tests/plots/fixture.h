/* Results made up by a simple law, for pictures: arms = workers x threads, noise from a seeded generator, so
 * that every figure can be computed again. */
#ifndef TESTS_PLOTS_FIXTURE_H
#define TESTS_PLOTS_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter_rng.h"
#include "base/text.h"
#include "results/summary.h"

struct fixture {
    struct result result;
    struct summary *summary;
    const struct summary *list[1];
};

struct fixture_spec {
    const int *workers;
    size_t nworkers;
    const int *threads;
    size_t nthreads;
    int invocations, blocks;
    int cpu_budget;
    double one_ns;            /* cost of a sample with one worker and one thread */
    const char *const *names; /* [narms], or NULL = as the program makes them */
    bool no_items;            /* no histograms of item times */
    bool all_equal;           /* no noise, all arms cost one_ns */
};

static char *fixture_copy(const char *s)
{
    return s ? strdup(s) : NULL;
}

static double fixture_cost(const struct fixture_spec *spec, int workers, int threads)
{
    if (spec->all_equal)
        return spec->one_ns;
    double asked = (workers > 0 ? workers : 1) * (double)threads;
    double usable = fmin(asked, spec->cpu_budget);
    double speed = pow(usable, 0.9) * (threads > 1 ? 0.86 : 1) * (workers == 0 ? 0.97 : 1);
    double waste = asked > spec->cpu_budget ? 1 + 0.07 * log2(asked / spec->cpu_budget) : 1;
    return spec->one_ns * waste / speed;
}

static struct turn fixture_turn(const struct fixture_spec *spec, const struct arm *arm,
                                struct counter_rng *rng, double invocation_noise, int block, int slot)
{
    struct turn t = result_turn_unknown();
    double noise = spec->all_equal ? 1 : exp(invocation_noise + 0.02 * counter_rng_normal(rng));
    int workers = arm->setting.workers > 0 ? arm->setting.workers : 1;
    t.block = block;
    t.slot = slot;
    t.batches = 8;
    t.samples = 8;
    t.cost_ns = fixture_cost(spec, arm->setting.workers, arm->setting.threads) * noise;
    t.wall_ns = t.cost_ns * 8;
    t.item_ns = t.cost_ns * fmin(workers, spec->cpu_budget) * 0.93;
    t.cpu_ns = t.item_ns * fmin(arm->setting.threads, spec->cpu_budget) * 1.05;
    t.overhead_ns = 0.02 * t.cost_ns;
    for (int w = 0; w < RESULT_WAIT_CAUSES; w++)
        t.wait_ns[w] = arm->setting.workers ? t.cost_ns * (w == RESULT_WAIT_COMPUTE ? 0.7 : 0.04 * w) : 0;
    t.other_cpu_ns = 0.002 * t.wall_ns * counter_rng_uniform(rng);
    t.steal_ns = 0.01 * t.wall_ns * counter_rng_uniform(rng);
    t.voluntary_switches = 2.0 * workers;
    t.involuntary_switches = arm->cpus_asked > spec->cpu_budget ? 3.5 * arm->cpus_asked : 0.1;
    t.migrations = 0.2;
    t.page_faults = 0.05;
    if (spec->no_items)
        return t;
    t.items = calloc(1, sizeof *t.items);
    for (int i = 0; i < 8; i++)
        histogram_add(t.items,
                      (uint64_t)fmax(1, t.item_ns * exp(0.08 * counter_rng_normal(rng) +
                                                        (counter_rng_uniform(rng) < 0.06 ? 0.5 : 0))));
    return t;
}

static void fixture_arms(struct fixture *f, const struct fixture_spec *spec)
{
    struct result *r = &f->result;
    r->narms = spec->nworkers * spec->nthreads;
    r->arms = calloc(r->narms + 1, sizeof *r->arms);
    for (size_t i = 0; i < r->narms; i++) {
        struct arm *a = &r->arms[i];
        int w = spec->workers[i / spec->nthreads], t = spec->threads[i % spec->nthreads];
        char name[64];
        snprintf(name, sizeof name, w ? "%d worker%s x %d thread%s" : "main process%.0d%.0s x %d thread%s", w,
                 w == 1 ? "" : "s", t, t == 1 ? "" : "s");
        *a = (struct arm){.name = fixture_copy(spec->names ? spec->names[i] : name),
                          .subject = fixture_copy("core"),
                          .workload = {.data = fixture_copy("synthetic:1024:768x768:f32"),
                                       .transform = fixture_copy("gemm=768"),
                                       .sampler = fixture_copy("sequential"),
                                       .batch_size = 1},
                          .setting = {.workers = w,
                                      .threads = t,
                                      .prefetch_factor = 2,
                                      .affinity = fixture_copy("compact"),
                                      .backend = fixture_copy(w ? "process" : "inline")},
                          .cpus_asked = w ? w * t : t};
    }
}

/* Batches of 0.1 one_ns to 0.3 one_ns in turn on the workers, each taken as soon as all before it are; every fourth is
 * slow, so that later ones wait for it. */
static void fixture_timeline(struct trial *trial, const struct fixture_spec *spec, int workers)
{
    int lanes = workers > 0 ? workers : 1;
    double *free_ns = calloc((size_t)lanes, sizeof *free_ns), taken = 0;
    trial->ntimeline = 4 * (size_t)lanes + 4;
    trial->timeline = calloc(trial->ntimeline, sizeof *trial->timeline);
    for (size_t i = 0; i < trial->ntimeline; i++) {
        int lane = (int)i % lanes;
        double begin = workers > 0 ? free_ns[lane] : taken;
        double end = begin + (i % 4 ? 1 : 3) * 0.1 * spec->one_ns;
        double received = fmax(end, taken) + (workers > 0 ? 0.01 * spec->one_ns : 0);
        trial->timeline[i] = (struct batch_times){(int64_t)i + 100, workers > 0 ? lane : -1, begin, end,
                                                  received,         received - taken};
        free_ns[lane] = end;
        taken = received;
    }
    free(free_ns);
}

static void fixture_trial(struct trial *trial, const struct fixture *f, const struct fixture_spec *spec,
                          int arm, int invocation)
{
    struct counter_rng rng;
    counter_rng_init(&rng, 7, (uint64_t)invocation, (uint64_t)arm);
    double noise = 0.05 * counter_rng_normal(&rng);
    *trial = (struct trial){.arm = arm, .start_ns = 8e6, .first_batch_ns = 3e7, .peak_bytes = 4e7};
    trial->nturns = (size_t)spec->blocks + 1;
    trial->turns = calloc(trial->nturns, sizeof *trial->turns);
    for (size_t b = 0; b < trial->nturns; b++)
        trial->turns[b] = fixture_turn(spec, &f->result.arms[arm], &rng, noise, (int)b, arm);
    if (invocation == 0)
        fixture_timeline(trial, spec, f->result.arms[arm].setting.workers);
    struct text placement = {0};
    const struct setting *g = &f->result.arms[arm].setting;
    text_add(&placement, g->workers ? "{\"workers\":[" : "{\"inline\":[");
    for (int w = 0; w < (g->workers ? g->workers : 1); w++)
        text_addf(&placement, "%s{\"id\":%d,\"allowed\":\"%d\",\"blas_threads\":%d}", w ? "," : "", w,
                  w % spec->cpu_budget, g->threads);
    text_addf(&placement, "],\"main\":\"0\"}");
    trial->placement = text_take(&placement);
    trial->ncounters = 1;
    trial->counters = calloc(1, sizeof *trial->counters);
    trial->counters[0] = (struct counter){.name = fixture_copy("perf::CONTEXT-SWITCHES"),
                                          .value = 2.0 + f->result.arms[arm].cpus_asked,
                                          .share = 1};
}

static void fixture_invocations(struct fixture *f, const struct fixture_spec *spec)
{
    struct result *r = &f->result;
    r->ninvocations = (size_t)spec->invocations;
    r->invocations = calloc(r->ninvocations + 1, sizeof *r->invocations);
    for (size_t i = 0; i < r->ninvocations; i++) {
        struct invocation *inv = &r->invocations[i];
        *inv = (struct invocation){.index = (int)i,
                                   .look = i < r->ninvocations / 4   ? 1
                                           : i < r->ninvocations / 2 ? 2
                                                                     : 3,
                                   .fixed_work_before_ns = 1.00e6 + 2e4 * (double)(i % 3),
                                   .fixed_work_after_ns = 1.02e6,
                                   .ntrials = r->narms};
        inv->trials = calloc(r->narms + 1, sizeof *inv->trials);
        for (size_t a = 0; a < r->narms; a++)
            fixture_trial(&inv->trials[a], f, spec, (int)a, (int)i);
    }
}

/* Two hardware threads a core, four CPUs a cache and node, two nodes a package. */
static char *fixture_environment(int cpus)
{
    struct text t = {0};
    text_add(&t, "{\"cpu\": {\"model\": \"made up\", \"layout\": \"");
    for (int c = 0; c < cpus; c++)
        text_addf(&t, "%s%d:%d.%d.%d.%d", c ? " " : "", c, c / 8, c / 4, c / 4, c / 2);
    text_add(&t, "\"}}");
    return text_take(&t);
}

static void fixture_init(struct fixture *f, const struct fixture_spec *spec)
{
    memset(f, 0, sizeof *f);
    f->result = (struct result){.schema = RESULT_SCHEMA,
                                .tool = fixture_copy("loaderbench 0.1.0"),
                                .command = fixture_copy("loaderbench tune"),
                                .started = fixture_copy("2026-01-01T00:00:00Z"),
                                .seed = 7,
                                .alpha = 0.05,
                                .margin = 0.05,
                                .cpu_budget = spec->cpu_budget,
                                .cpu_budget_text = fixture_copy("from the fixture"),
                                .environment = fixture_environment(spec->cpu_budget),
                                .complete = true};
    fixture_arms(f, spec);
    f->result.dropped_at_look = calloc(f->result.narms + 1, sizeof(int));
    fixture_invocations(f, spec);
    struct err err = {0};
    if (summary_create(&f->result, 0.95, &f->summary, &err)) {
        fprintf(stderr, "fixture: %s\n", err.text);
        abort();
    }
    f->list[0] = f->summary;
}

static void fixture_fini(struct fixture *f)
{
    summary_destroy(f->summary);
    result_fini(&f->result);
}

static const int fixture_workers[] = {0, 1, 2, 4, 6, 8, 12, 16, 24, 32};
static const int fixture_threads[] = {1, 2, 4, 8};

/* 1 arm, 2, 8, 40. */
static struct fixture_spec fixture_of(size_t arms)
{
    struct fixture_spec s = {.workers = fixture_workers,
                             .nworkers = arms >= 40  ? 10
                                         : arms >= 8 ? 4
                                                     : arms,
                             .threads = fixture_threads,
                             .nthreads = arms >= 40  ? 4
                                         : arms >= 8 ? 2
                                                     : 1,
                             .invocations = 12,
                             .blocks = 5,
                             .cpu_budget = arms >= 40 ? 8 : 2,
                             .one_ns = 28e6};
    if (arms == 1)
        s.workers = fixture_workers + 1;
    return s;
}

#endif
