/* Medians of counters, and what is divided by what. A figure that lacks a part takes over that part's reason. */
#include "results/counted.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "results/json.h"
#include "results/stats/order_statistic.h"

const char *const result_derived_names[DERIVED_FIGURES] = {
    [DERIVED_IPC] = "instructions a cycle",
    [DERIVED_STALLED] = "cycles stalled",
    [DERIVED_L2_MISSES] = "L2 misses a sample",
    [DERIVED_L3_MISSES] = "L3 misses a sample",
    [DERIVED_GFLOP_PER_S] = "GFLOP/s of an item (declared)",
    [DERIVED_COUNTED_GFLOP] = "GFLOP/s of an item (counted)",
    [DERIVED_PEAK_SHARE] = "share of the peak",
};

static struct counted unknown(const char *what, const char *why)
{
    struct counted c = {.value = NAN, .share = NAN};
    snprintf(c.reason, sizeof c.reason, "%s: %s", what, why);
    return c;
}

static struct counted known(double value, double share)
{
    return (struct counted){.value = value, .share = share};
}

static struct counted told(const char *what, double value, double share, const char *reason)
{
    return reason || !isfinite(value) ? unknown(what, reason ? reason : "no value in the record")
                                      : known(value, share);
}

/* The counter, or the part of it, in one trial. */
static struct counted in_trial(const struct trial *t, const char *name, const char *who)
{
    for (size_t i = 0; i < t->ncounters; i++) {
        const struct counter *c = &t->counters[i];
        if (strcmp(c->name, name) != 0)
            continue;
        if (!who || c->reason)
            return told(name, c->value, c->share, c->reason);
        for (size_t p = 0; p < c->nparts; p++)
            if (!strcmp(c->part[p].who, who))
                return told(name, c->part[p].value, c->part[p].share, c->part[p].reason);
        return unknown(name, "it is not told apart");
    }
    return unknown(name, "not in the record");
}

/* What the figures are made of, in one trial. */
struct parts {
    const struct result *r;
    const struct trial *t;
    double item_ns, peak_gflop_per_s;
    const char *peak_reason;
    int threads;
};

typedef struct counted figure_of(const struct parts *p);

static struct counted ratio(const struct parts *p, const char *above, const char *below)
{
    struct counted a = in_trial(p->t, above, NULL), b = in_trial(p->t, below, NULL);
    if (*a.reason)
        return a;
    if (*b.reason)
        return b;
    return b.value > 0 ? known(a.value / b.value, fmin(a.share, b.share)) : unknown(below, "it is 0");
}

static struct counted ipc(const struct parts *p)
{
    return ratio(p, "PAPI_TOT_INS", "PAPI_TOT_CYC");
}

static struct counted stalled(const struct parts *p)
{
    return ratio(p, "PAPI_RES_STL", "PAPI_TOT_CYC");
}

static struct counted l2_misses(const struct parts *p)
{
    return in_trial(p->t, "PAPI_L2_TCM", NULL);
}

static struct counted l3_misses(const struct parts *p)
{
    return in_trial(p->t, "PAPI_L3_TCM", NULL);
}

/* flop / ns = GFLOP/s. An item is made by one maker, with all its threads. */
static struct counted rate(const struct parts *p, struct counted flops)
{
    if (*flops.reason)
        return flops;
    return p->item_ns > 0 ? known(flops.value / p->item_ns, flops.share)
                          : unknown("item_ns", "no turn that counts has it");
}

static struct counted declared_rate(const struct parts *p)
{
    if (!(p->t->work_flops > 0))
        return unknown("flops", isnan(p->t->work_flops) ? "the subject declares none"
                                                        : "the transforms are not arithmetic");
    return rate(p, known(p->t->work_flops, 1));
}

static struct counted counted_rate(const struct parts *p)
{
    return rate(p, in_trial(p->t, "PAPI_FP_OPS", NULL));
}

static struct counted peak_share(const struct parts *p)
{
    struct counted flops = declared_rate(p);
    if (*flops.reason)
        return flops;
    if (!(p->peak_gflop_per_s > 0))
        return unknown("peak", p->peak_reason);
    return known(flops.value / (p->threads * p->peak_gflop_per_s), 1);
}

static figure_of *const figures[DERIVED_FIGURES] = {
    [DERIVED_IPC] = ipc,
    [DERIVED_STALLED] = stalled,
    [DERIVED_L2_MISSES] = l2_misses,
    [DERIVED_L3_MISSES] = l3_misses,
    [DERIVED_GFLOP_PER_S] = declared_rate,
    [DERIVED_COUNTED_GFLOP] = counted_rate,
    [DERIVED_PEAK_SHARE] = peak_share,
};

/* ---- over invocations ---- */

/* The values that are there, and the reason of the last that is not. */
struct gathered {
    double *value, *share;
    size_t n;
    struct counted last;
};

static struct gathered gather_room(const struct result *r)
{
    double *room = calloc(2 * r->ninvocations + 2, sizeof *room);
    return (struct gathered){.value = room,
                             .share = room ? room + r->ninvocations + 1 : NULL,
                             .last = unknown("no invocation", "the arm was not measured in any that counts")};
}

static void gather(struct gathered *g, struct counted one)
{
    g->last = one;
    if (*one.reason)
        return;
    g->value[g->n] = one.value;
    g->share[g->n++] = one.share;
}

static struct counted conclude(struct gathered *g)
{
    struct counted out = g->n ? known(stats_median(g->value, g->n), stats_median(g->share, g->n)) : g->last;
    free(g->value);
    return out;
}

struct counted result_counted(const struct result *r, int arm, const char *counter, const char *who)
{
    struct gathered g = gather_room(r);
    if (!g.value)
        return unknown(counter, "out of memory");
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct trial *t = result_trial_of(&r->invocations[i], arm);
        if (t)
            gather(&g, in_trial(t, counter, who));
    }
    return conclude(&g);
}

/* cpu.peak of the environment. The reason is the environment's, which *o keeps. */
static void read_peak(const struct result *r, json_t **o, struct parts *p)
{
    *o = r->environment ? json_loads(r->environment, 0, NULL) : NULL;
    const json_t *peak = json_object_get(json_object_get(*o, "cpu"), "peak");
    p->peak_gflop_per_s = result_json_get_real(peak, "gflop_per_s");
    p->peak_reason = json_string_value(json_object_get(peak, "unavailable"));
    if (!p->peak_reason)
        p->peak_reason = "the environment tells none";
}

static double item_ns(const struct cells *c, size_t invocation, const struct trial *t, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nturns; i++)
        if (isfinite(t->turns[i].item_ns) && results__cells_turn_counts(c, invocation, &t->turns[i]))
            scratch[n++] = t->turns[i].item_ns;
    return stats_median(scratch, n);
}

static struct counted one_figure(struct parts *p, int arm, figure_of *figure, const struct cells *cells,
                                 double *scratch)
{
    struct gathered g = gather_room(p->r);
    if (!g.value)
        return unknown("memory", "there is none left");
    for (size_t i = 0; i < p->r->ninvocations; i++) {
        p->t = result_trial_of(&p->r->invocations[i], arm);
        if (!p->t)
            continue;
        p->item_ns = item_ns(cells, i, p->t, scratch);
        gather(&g, figure(p));
    }
    return conclude(&g);
}

int result_derived(const struct result *r, int arm, struct counted *out, struct err *err)
{
    struct cells cells;
    struct parts p = {.r = r, .threads = r->arms[arm].setting.threads};
    json_t *environment;
    int rc = results__cells_init(&cells, r, METRIC_COST_NS, err);
    double *scratch = results__series_alloc(r);
    if (!rc && !scratch)
        rc = err_set(err, -ENOMEM, "out of memory for what follows from counters");
    read_peak(r, &environment, &p);
    for (int f = 0; !rc && f < DERIVED_FIGURES; f++)
        out[f] = one_figure(&p, arm, figures[f], &cells, scratch + r->ninvocations);
    json_decref(environment);
    free(scratch);
    results__cells_fini(&cells);
    return rc;
}
