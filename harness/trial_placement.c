/* Placement read back: what the kernel allows each maker of samples, what it saw, against what was asked. */
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/affinity.h"
#include "kernels/blas.h"
#include "results/json.h"
#include "trial_placement.h"
#include "trial_threads.h"
#include "variables.h"

/* The first difference wins; the text is told in the record and voids the invocation. */
static void mismatch(struct err *why, const char *who, int id, const char *what, const char *asked,
                     const char *found)
{
    char set[256];
    int n = harness_variables_text(set, sizeof set);
    err_set(why, -EXDEV, "%s %d: %s asked %s, found %s%s%s%s", who, id, what, asked, found,
            n ? " (set in the environment: " : "", set, n ? ")" : "");
}

static char *seen_list(const struct worker_probe *p)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char *text = NULL;
    for (unsigned i = 0; set && i < 64 * PROBE_CPU_WORDS; i++)
        if (atomic_load(&p->cpus_seen[i / 64]) >> (i % 64) & 1)
            hwloc_bitmap_set(set, i);
    if (set && hwloc_bitmap_list_asprintf(&text, set) < 0)
        text = NULL;
    hwloc_bitmap_free(set);
    return text;
}

static bool is_within(const char *inner, const char *outer)
{
    hwloc_bitmap_t a = hwloc_bitmap_alloc(), b = hwloc_bitmap_alloc();
    bool within = a && b && !hwloc_bitmap_list_sscanf(a, inner) && !hwloc_bitmap_list_sscanf(b, outer) &&
                  hwloc_bitmap_isincluded(a, b);
    hwloc_bitmap_free(a);
    hwloc_bitmap_free(b);
    return within;
}

struct found {
    char *allowed, *seen;
    int threads, same;
};

static void check(const struct trial_spec *spec, int id, const char *asked, const struct worker_probe *p,
                  const struct found *f, struct err *why)
{
    const char *who = spec->setting.workers ? "worker" : "main process";
    char asked_n[16], found_n[16];
    if (spec->bound && !harness_affinity_equal(asked, f->allowed))
        mismatch(why, who, id, "CPUs", asked, f->allowed);
    if (spec->bound && !f->same)
        mismatch(why, who, id, "one CPU set for all threads,", asked, "threads that differ");
    if (spec->bound && f->seen && !is_within(f->seen, asked))
        mismatch(why, who, id, "CPUs", asked, f->seen);
    if (p->blas_threads != spec->setting.threads) {
        snprintf(asked_n, sizeof asked_n, "%d", spec->setting.threads);
        snprintf(found_n, sizeof found_n, "%d", p->blas_threads);
        mismatch(why, who, id, "BLAS threads", asked_n, found_n);
    }
}

static json_t *maker_json(const struct workload_run *w, int id, struct err *why)
{
    const struct trial_spec *spec = w->spec;
    const struct worker_probe *p = &w->probe[id];
    const char *asked = spec->setting.workers ? spec->worker_cpus[id] : spec->main_cpus;
    struct found f = {.same = 1, .threads = 1};
    bool is_thread = !strcmp(spec->setting.backend, "thread") && spec->setting.workers;
    if (is_thread)
        harness_affinity_read_thread(p->tid, &f.allowed, why);
    else
        harness_affinity_read(p->tid, &f.allowed, &f.threads, &f.same, why);
    f.seen = seen_list(p);
    if (f.allowed)
        check(spec, id, asked, p, &f, why);
    json_t *o = json_pack("{s:i, s:o, s:o, s:o, s:i, s:i}", "id", id, "asked", result_json_text(asked),
                          "allowed", result_json_text(f.allowed), "seen", result_json_text(f.seen), "threads",
                          f.threads, "blas_threads", p->blas_threads);
    json_object_set_new(o, "thread",
                        trial_threads_json(is_thread ? getpid() : p->tid, is_thread ? p->tid : 0));
    if (*p->memory)
        json_object_set_new(o, "memory", result_json_text(p->memory));
    free(f.allowed);
    free(f.seen);
    return o;
}

json_t *trial_placement_json(const struct workload_run *w, struct err *why)
{
    int workers = w->spec->setting.workers;
    json_t *list = json_array();
    for (int i = 0; i < (workers ? workers : 1); i++)
        json_array_append_new(list, maker_json(w, i, why));
    struct kernel_blas_info blas;
    kernel_blas_info(&blas);
    char *main_cpus = NULL;
    int threads = 0, same = 1;
    harness_affinity_read((int)getpid(), &main_cpus, &threads, &same, why);
    if (workers && w->spec->bound && main_cpus && !harness_affinity_equal(w->spec->main_cpus, main_cpus))
        mismatch(why, "main process", 0, "CPUs", w->spec->main_cpus, main_cpus);
    json_t *o = json_pack("{s:o, s:o, s:i, s:{s:s, s:s, s:s}}", workers ? "workers" : "inline", list, "main",
                          result_json_text(main_cpus), "main_threads", threads, "blas", "config", blas.config,
                          "core", blas.core, "threading", blas.threading);
    if (workers)
        json_object_set_new(o, "main_thread", trial_threads_json(getpid(), 0));
    free(main_cpus);
    return o;
}
