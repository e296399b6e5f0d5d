/* Combining the axes of a sweep into named arms. */
#include "harness/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/text.h"
#include "harness/placement.h"

enum { EVERY_COUNT_TO = 8 };

size_t plan_default_workers(int cpu_budget, int *out, size_t max)
{
    int most = 2 * cpu_budget;
    size_t n = 0;
    for (int w = 0; w <= most && n < max; w = w < EVERY_COUNT_TO ? w + 1 : 2 * w)
        out[n++] = w;
    if (n && n < max && out[n - 1] != most)
        out[n++] = most;
    return n;
}

size_t plan_default_threads(int cpu_budget, int *out, size_t max)
{
    size_t n = 0;
    if (n < max)
        out[n++] = 1;
    if (n < max && cpu_budget > 1)
        out[n++] = cpu_budget;
    return n;
}

static void name_setting(struct text *t, const struct setting *s)
{
    if (s->workers)
        text_addf(t, "%d worker%s x %d thread%s", s->workers, s->workers == 1 ? "" : "s", s->threads,
                  s->threads == 1 ? "" : "s");
    else
        text_addf(t, "main process x %d thread%s", s->threads, s->threads == 1 ? "" : "s");
}

static char *copy(const char *s)
{
    return strdup(s ? s : "");
}

static char *copy_or_null(const char *s)
{
    return s ? strdup(s) : NULL;
}

static int is_complete(const struct arm *a)
{
    return a->name && a->subject && a->workload.data && a->workload.transform && a->workload.sampler &&
           a->setting.affinity && a->setting.backend;
}

static int grow(struct result *r)
{
    struct arm *arms = realloc(r->arms, (r->narms + 1) * sizeof *arms);
    if (!arms)
        return -ENOMEM;
    r->arms = arms;
    int *dropped = realloc(r->dropped_at_look, (r->narms + 1) * sizeof *dropped);
    if (!dropped)
        return -ENOMEM;
    r->dropped_at_look = dropped;
    dropped[r->narms] = 0;
    return 0;
}

int plan_check_backend(const char *backend, struct err *err)
{
    static const char *const known[] = {"process", "thread"};
    if (!strcmp(backend, known[0]) || !strcmp(backend, known[1]))
        return 0;
    int near = name_nearest(backend, known, 2);
    if (near < 0)
        return err_set(err, -EINVAL, "unknown backend '%s' (known: %s, %s)", backend, known[0], known[1]);
    return err_set(err, -EINVAL, "unknown backend '%s' (did you mean '%s'?)", backend, known[near]);
}

/* Of arms that are there already, those without workers say "inline". */
static int check_words(const struct setting *s, struct err *err)
{
    int rc = harness_affinity_check(s->affinity, err);
    if (rc || (!s->workers && !strcmp(s->backend, "inline")))
        return rc;
    return plan_check_backend(s->backend, err);
}

int plan_add(struct result *r, const char *name, const char *subject, const struct workload *w,
             const struct setting *s, struct err *err)
{
    int rc = check_words(s, err);
    if (rc)
        return rc;
    struct text made = {0};
    name_setting(&made, s);
    if (grow(r)) {
        text_fini(&made);
        return err_set(err, -ENOMEM, "out of memory for arm %zu", r->narms + 1);
    }
    struct arm *a = &r->arms[r->narms++];
    *a = (struct arm){
        .name = name ? strdup(name) : text_take(&made),
        .subject = copy(subject),
        .workload = {.data = copy(w->data),
                     .transform = copy(w->transform),
                     .sampler = copy(w->sampler),
                     .batch_size = w->batch_size,
                     .consumer = copy_or_null(w->consumer),
                     .on_error = copy_or_null(w->on_error),
                     .cache = copy_or_null(w->cache)},
        .setting = {s->workers, s->threads, s->workers ? s->prefetch_factor : 0, copy(s->affinity),
                    copy(s->workers ? s->backend : "inline"), s->reserve_main},
        .cpus_asked = s->workers ? s->workers * s->threads : s->threads,
    };
    text_fini(&made);
    if (!is_complete(a))
        return err_set(err, -ENOMEM, "out of memory for arm %zu", r->narms);
    for (size_t i = 0; i + 1 < r->narms; i++)
        if (!strcmp(r->arms[i].name, a->name))
            return err_set(err, -EEXIST, "two settings are called '%s'", a->name);
    return 0;
}

/* The parts of the name that a reader needs to tell arms apart. */
static char *sweep_name(const struct plan_axes *x, const struct workload *w, const struct setting *s)
{
    struct text t = {0};
    if (x->show_transform)
        text_addf(&t, "%s, ", w->transform);
    name_setting(&t, s);
    if (x->naffinity > 1)
        text_addf(&t, ", %s", s->affinity);
    if (x->nmain > 1 && s->workers)
        text_add(&t, s->reserve_main ? ", main reserved" : ", main shared");
    if (x->nbackend > 1 && s->workers)
        text_addf(&t, ", %s", s->backend);
    if (x->nprefetch > 1 && s->workers)
        text_addf(&t, ", prefetch %d", s->prefetch_factor);
    return text_take(&t);
}

static int add_combination(struct result *r, const struct plan_axes *x, const struct workload *w,
                           const struct setting *s, struct err *err)
{
    char *name = sweep_name(x, w, s);
    int rc = name ? plan_add(r, name, "core", w, s, err) : err_set(err, -ENOMEM, "out of memory for a name");
    free(name);
    return rc;
}

static int sweep_main(struct result *r, const struct plan_axes *x, const struct workload *w, struct setting s,
                      struct err *err)
{
    int rc = 0;
    for (size_t m = 0; !rc && m < (s.workers ? x->nmain : 1); m++) {
        s.reserve_main = s.workers && x->reserve_main[m];
        rc = add_combination(r, x, w, &s, err);
    }
    return rc;
}

/* Everything below workers and threads. */
static int sweep_rest(struct result *r, const struct plan_axes *x, const struct workload *w, struct setting s,
                      struct err *err)
{
    for (size_t a = 0; a < x->naffinity; a++)
        for (size_t b = 0; b < (s.workers ? x->nbackend : 1); b++)
            for (size_t p = 0; p < (s.workers ? x->nprefetch : 1); p++) {
                s.affinity = (char *)x->affinity[a];
                s.backend = (char *)x->backend[b];
                s.prefetch_factor = x->prefetch[p];
                int rc = sweep_main(r, x, w, s, err);
                if (rc)
                    return rc;
            }
    return 0;
}

int plan_sweep(struct result *r, const struct plan_axes *axes, const struct workload *w, long threads_max,
               size_t *left_out, struct err *err)
{
    static const char *const scatter[] = {"scatter"}, *const process[] = {"process"};
    static const int two[] = {2};
    static const bool share[] = {false};
    struct plan_axes x = *axes;
    if (!x.affinity)
        x.affinity = scatter, x.naffinity = 1;
    if (!x.backend)
        x.backend = process, x.nbackend = 1;
    if (!x.prefetch)
        x.prefetch = two, x.nprefetch = 1;
    if (!x.reserve_main)
        x.reserve_main = share, x.nmain = 1;
    *left_out = 0;
    for (size_t i = 0; i < x.nworkers; i++)
        for (size_t j = 0; j < x.nthreads; j++) {
            struct setting s = {.workers = x.workers[i], .threads = x.threads[j]};
            if (threads_max && (long)s.workers * s.threads > threads_max) {
                ++*left_out;
                continue;
            }
            int rc = sweep_rest(r, &x, w, s, err);
            if (rc)
                return rc;
        }
    return 0;
}
