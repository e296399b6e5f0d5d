/* From what a suite says to arms. */
#include "suite.h"

#include <stdlib.h>

#include "axis.h"
#include "datasets/cache.h"
#include "harness/plan.h"
#include "suite_file.h"

void suite_set_main(struct suite *s, enum suite_main main)
{
    s->main = main;
}

const char *suite_budget(const struct suite *s)
{
    return s->budget;
}

const char *suite_margin(const struct suite *s)
{
    return s->margin;
}

const char *suite_arm_margin(const struct suite *s, size_t index, size_t narms)
{
    size_t from = narms - s->narms; /* sweeps come first */
    const char *own = index >= from ? s->arms[index - from].margin : NULL;
    return own ? own : s->margin;
}

/* Strings are borrowed. */
static struct workload make_workload(const struct suite_work *w)
{
    return (struct workload){.data = (char *)w->data,
                             .transform = (char *)w->transform,
                             .sampler = (char *)(w->shuffle ? "random" : "sequential"),
                             .batch_size = w->batch_size,
                             .consumer = (char *)w->consumer,
                             .on_error = (char *)(w->on_error ? axis_on_error_words[w->on_error] : NULL),
                             .cache = (char *)(w->cache ? data_cache_names[w->cache] : NULL)};
}

/* The consumer's CPU: what the command line says, else the file. */
static bool reserves(const struct suite *s, int own)
{
    return s->main == SUITE_MAIN_OWN ? own : s->main == SUITE_MAIN_RESERVE;
}

/* The lists of a sweep as a plan takes them. */
struct counts {
    int *workers, *threads, *prefetch;
    size_t nworkers, nthreads, nprefetch;
};

static void counts_fini(struct counts *c)
{
    free(c->workers);
    free(c->threads);
    free(c->prefetch);
}

static int counts_init(struct counts *c, const struct suite_sweep *w, int cpu_budget, struct err *err)
{
    *c = (struct counts){0};
    int rc = axis_counts(w->workers.item, w->workers.n, 0, &c->workers, &c->nworkers, err);
    rc = rc ? rc : axis_counts(w->threads.item, w->threads.n, cpu_budget, &c->threads, &c->nthreads, err);
    return rc ? rc : axis_counts(w->prefetch.item, w->prefetch.n, 0, &c->prefetch, &c->nprefetch, err);
}

static int add_sweep(const struct suite *s, const struct suite_sweep *w, const struct counts *c,
                     struct result *r, struct err *err)
{
    static const int zero = 0, one = 1;
    const char *const *transform = w->transform.item;
    size_t left_out, ntransform = w->transform.n ? w->transform.n : 1;
    bool reserve = reserves(s, w->main);
    struct plan_axes axes = {.workers = c->nworkers ? c->workers : &zero,
                             .nworkers = c->nworkers ? c->nworkers : 1,
                             .threads = c->nthreads ? c->threads : &one,
                             .nthreads = c->nthreads ? c->nthreads : 1,
                             .affinity = w->affinity.item,
                             .naffinity = w->affinity.n,
                             .backend = w->backend.item,
                             .nbackend = w->backend.n,
                             .prefetch = c->nprefetch ? c->prefetch : NULL,
                             .nprefetch = c->nprefetch,
                             .reserve_main = &reserve,
                             .nmain = 1,
                             .show_transform = ntransform > 1 || s->nsweeps > 1};
    int rc = 0;
    for (size_t t = 0; !rc && t < ntransform; t++) {
        struct workload workload = make_workload(&w->work);
        if (transform)
            workload.transform = (char *)transform[t];
        rc = plan_sweep(r, &axes, &workload, 0, &left_out, err);
    }
    return rc;
}

static int add_arm(const struct suite *s, const struct suite_arm *a, int cpu_budget, struct result *r,
                   struct err *err)
{
    struct workload workload = make_workload(&a->work);
    struct setting setting = {.workers = (int)a->workers,
                              .threads = a->threads ? (int)a->threads : cpu_budget,
                              .prefetch_factor = (int)a->prefetch,
                              .affinity = (char *)a->affinity,
                              .backend = (char *)a->backend,
                              .reserve_main = reserves(s, a->main)};
    return plan_add(r, a->name, a->subject, &workload, &setting, err);
}

int suite_add_arms(const struct suite *s, int cpu_budget, struct result *r, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s->nsweeps; i++) {
        struct counts c;
        rc = counts_init(&c, &s->sweeps[i], cpu_budget, err);
        rc = rc ? rc : add_sweep(s, &s->sweeps[i], &c, r, err);
        counts_fini(&c);
        if (rc)
            err_prefix(err, "%s:%zu: sweeps[%zu]", s->path, s->sweeps[i].line, i);
    }
    for (size_t i = 0; !rc && i < s->narms; i++) {
        rc = add_arm(s, &s->arms[i], cpu_budget, r, err);
        if (rc)
            err_prefix(err, "%s:%zu: arms[%zu]", s->path, s->arms[i].line, i);
    }
    return rc;
}
