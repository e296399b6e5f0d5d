/* Does the BLAS use the kernels this CPU could run? The candidates are tried in child processes, turn about, their
 * products checked, and one is only proposed when it is faster by far and right. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor.h"
#include "harness/probe.h"

extern const struct doctor_check doctor_check_blas;

enum { ROUNDS = 3, FLAGS_MAX = 6 };
static const double WORTH_IT = 1.15;

struct candidate {
    const char *core;            /* OPENBLAS_CORETYPE, as openblas_get_corename names it, but for case */
    const char *sets;            /* for people */
    const char *flag[FLAGS_MAX]; /* /proc/cpuinfo has to have them all */
};

/* In the order of what they ask of a CPU. Source: OpenBLAS, driver/others/dynamic.c and dynamic_arm64.c. */
static const struct candidate candidates[] = {
#if defined(__x86_64__)
    {"Prescott", "SSE3", {"pni"}},
    {"Nehalem", "SSE4.2", {"sse4_2"}},
    {"Sandybridge", "AVX", {"avx"}},
    {"Haswell", "AVX2", {"avx2", "fma"}},
    {"Zen", "AVX2", {"avx2", "fma"}},
    {"SkylakeX", "AVX-512", {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}},
    {"Cooperlake", "AVX-512 and BF16", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}},
    {"SapphireRapids", "AVX-512 and AMX", {"avx512f", "avx512vl", "avx512_bf16", "amx_tile", "amx_bf16"}},
#elif defined(__aarch64__)
    {"armv8", "ASIMD", {"asimd"}},
    {"neoversen1", "ASIMD with dot products", {"asimd", "asimddp"}},
    {"neoversev1", "SVE", {"sve"}},
#endif
    {NULL, NULL, {NULL}},
};

static bool runs_here(const struct doctor *d, const struct candidate *c)
{
    for (int i = 0; i < FLAGS_MAX && c->flag[i]; i++)
        if (!doctor_cpu_flag(d, c->flag[i]))
            return false;
    return true;
}

static const char *best_sets(const struct doctor *d)
{
    const char *best = "no vector instructions known to this program";
    for (const struct candidate *c = candidates; c->core; c++)
        if (runs_here(d, c))
            best = c->sets;
    return best;
}

static const char *sets_of(const char *core)
{
    for (const struct candidate *c = candidates; c->core; c++)
        if (!strcasecmp(c->core, core))
            return c->sets;
    return NULL;
}

/* A kernel set under trial: NULL core = as the library chose. */
struct trial {
    const struct candidate *c;
    double gflop_per_s[ROUNDS], median;
    int n;
    bool wrong, died;
};

static void try_once(struct doctor *d, struct trial *t)
{
    char set[64];
    struct probe p;
    struct err why = {0};
    snprintf(set, sizeof set, "OPENBLAS_CORETYPE=%s", t->c->core);
    const char *const sets[] = {set, NULL};
    int rc = harness_probe(d->cfg->program, &(struct probe_request){.set = sets}, &p, &why);
    t->died = t->died || rc == -EILSEQ;
    if (rc)
        return;
    /* A build without that kernel set takes another one: then there is nothing to compare. */
    if (!strcasecmp(p.core, t->c->core)) {
        t->wrong = t->wrong || !p.exact;
        t->gflop_per_s[t->n++] = p.gflop_per_s;
    }
    harness_probe_fini(&p);
}

static void figure(struct doctor *d, json_t *list, const struct trial *t, int n)
{
    (void)d;
    for (int i = 0; i < n; i++)
        if (t[i].n || t[i].died)
            json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:b}", "core", t[i].c->core, "gflop_per_s",
                                                  t[i].n ? json_real(t[i].median) : json_null(), "exact",
                                                  t[i].n && !t[i].wrong, "died", t[i].died));
}

/* The fastest of those that compute right; NULL = none. */
static const struct trial *fastest(const struct trial *t, int n)
{
    const struct trial *best = NULL;
    for (int i = 0; i < n; i++)
        if (t[i].n && !t[i].wrong && !t[i].died && (!best || t[i].median > best->median))
            best = &t[i];
    return best;
}

static void judge(struct doctor *d, const struct probe *own, double own_median, const struct trial *t, int n)
{
    char version[64] = "OpenBLAS";
    sscanf(own->config, "%31s %31[^ ]", version, version + 32);
    const char *name = version[32] ? version + 32 : "", *sets = sets_of(own->core);
    const struct trial *best = fastest(t, n);
    char advice[256];
    if (!own->exact) {
        doctor_find(d, DOCTOR_BAD,
                    "use another BLAS, or other kernels of it (OPENBLAS_CORETYPE); loaderbench verify "
                    "shows which operations are wrong",
                    "OpenBLAS %s computes a product of small whole numbers wrongly with its %s kernels", name,
                    own->core);
        return;
    }
    if (best && best->median > WORTH_IT * own_median && strcasecmp(best->c->core, own->core)) {
        snprintf(advice, sizeof advice,
                 "export OPENBLAS_CORETYPE=%s (or install a newer OpenBLAS that knows this CPU)",
                 best->c->core);
        doctor_find(d, best->median > 2 * own_median ? DOCTOR_BAD : DOCTOR_COSTS, advice,
                    "OpenBLAS %s runs its %s kernels%s%s%s on a CPU with %s: a 768 product reaches %.0f "
                    "GFLOP/s, with "
                    "OPENBLAS_CORETYPE=%s %.0f; results agree",
                    name, own->core, sets ? " (" : "", sets ? sets : "", sets ? ")" : "", best_sets(d),
                    own_median, best->c->core, best->median);
        return;
    }
    doctor_find(d, DOCTOR_FINE, NULL,
                "OpenBLAS %s (%s build) runs its %s kernels on a CPU with %s: a 768 product reaches %.0f "
                "GFLOP/s with "
                "one thread%s%s",
                name, own->threading, own->core, best_sets(d), own_median,
                best ? "; no other kernels it has are much faster, fastest of them " : "",
                best ? best->c->core : "");
}

static void look(struct doctor *d)
{
    struct trial t[sizeof candidates / sizeof *candidates] = {0};
    double own[ROUNDS];
    int n = 0, nown = 0;
    struct probe first = {0}, p;
    struct err why = {0};
    if (!d->cfg->program || harness_probe(d->cfg->program, &(struct probe_request){0}, &first, &why)) {
        doctor_find(d, DOCTOR_NOTE, NULL, "the BLAS could not be looked at in a process of its own: %s",
                    why.code ? why.text : "no program to start");
        return;
    }
    for (const struct candidate *c = candidates; c->core; c++)
        if (runs_here(d, c) && strcasecmp(c->core, first.core))
            t[n++].c = c;
    if (!strstr(first.config, "DYNAMIC_ARCH"))
        n = 0; /* built for one CPU: the variable changes nothing */
    own[nown++] = first.gflop_per_s;
    for (int r = 0; r < ROUNDS && !(d->cfg->stop && *d->cfg->stop); r++) {
        for (int i = 0; i < n; i++)
            try_once(d, &t[i]);
        if (nown < ROUNDS && !harness_probe(d->cfg->program, &(struct probe_request){0}, &p, NULL)) {
            own[nown++] = p.gflop_per_s;
            harness_probe_fini(&p);
        }
    }
    for (int i = 0; i < n; i++)
        t[i].median = doctor_median(t[i].gflop_per_s, t[i].n);
    double own_median = doctor_median(own, nown);
    json_t *list = json_array();
    figure(d, list, t, n);
    doctor_figure(d, "core", json_string(first.core));
    doctor_figure(d, "config", json_string(first.config));
    doctor_figure(d, "gflop_per_s", json_real(own_median));
    doctor_figure(d, "others", list);
    judge(d, &first, own_median, t, n);
    harness_probe_fini(&first);
}

const struct doctor_check doctor_check_blas = {
    .name = "blas",
    .summary = "the BLAS's kernels against the CPU's instruction sets, others tried and checked",
    .look = look,
};
