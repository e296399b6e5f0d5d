/* The table of figures, and how each is read out of a trial. */
#include "results/figure.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "cells.h"
#include "results/stats/order_statistic.h"

enum kind { OF_TURN, OF_ITEMS, OF_TRIAL };

struct entry {
    const char *name;
    enum kind kind;
    enum result_metric metric; /* OF_TURN */
    size_t offset;             /* in struct turn or struct trial */
    double p;                  /* OF_ITEMS: the quantile */
};

static const struct entry table[] = {
    {.name = "cost_ns", .metric = METRIC_COST_NS, .offset = offsetof(struct turn, cost_ns)},
    {.name = "cpu_ns", .metric = METRIC_CPU_NS, .offset = offsetof(struct turn, cpu_ns)},
    {.name = "item_ns", .metric = METRIC_ITEM_NS, .offset = offsetof(struct turn, item_ns)},
    {.name = "overhead_ns", .metric = METRIC_OVERHEAD_NS, .offset = offsetof(struct turn, overhead_ns)},
    {.name = "item_p50_ns", .kind = OF_ITEMS, .p = 0.50},
    {.name = "item_p95_ns", .kind = OF_ITEMS, .p = 0.95},
    {.name = "item_p99_ns", .kind = OF_ITEMS, .p = 0.99},
    {.name = "first_batch_ns", .kind = OF_TRIAL, .offset = offsetof(struct trial, first_batch_ns)},
    {.name = "start_ns", .kind = OF_TRIAL, .offset = offsetof(struct trial, start_ns)},
    {.name = "peak_bytes", .kind = OF_TRIAL, .offset = offsetof(struct trial, peak_bytes)},
};
enum { ENTRIES = sizeof table / sizeof *table };

static const char counter_prefix[] = "counter:", better_suffix[] = "/more-is-better";
static const double FROM_ZERO = 1e9;

void result_figure_names(struct text *out)
{
    for (int i = 0; i < ENTRIES; i++)
        text_addf(out, "%s, ", table[i].name);
    text_add(out, "counter:NAME");
}

static int parse_counter(const char *text, struct result_figure *out, struct err *err)
{
    size_t n = strlen(out->name), suffix = strlen(better_suffix);
    out->counter = strlen(counter_prefix);
    if (n > suffix && !strcmp(out->name + n - suffix, better_suffix)) {
        out->name[n - suffix] = '\0';
        out->more_is_better = true;
    }
    return out->name[out->counter] ? 0 : err_set(err, -EINVAL, "'%s': the counter's name is missing", text);
}

int result_figure_parse(const char *text, struct result_figure *out, struct err *err)
{
    const char *names[ENTRIES];
    *out = (struct result_figure){.entry = -1};
    if (strlen(text) >= sizeof out->name)
        return err_set(err, -EINVAL, "a metric's name has at most %zu bytes", sizeof out->name - 1);
    memcpy(out->name, text, strlen(text) + 1);
    if (!strncmp(text, counter_prefix, strlen(counter_prefix)))
        return parse_counter(text, out, err);
    for (int i = 0; i < ENTRIES; i++) {
        names[i] = table[i].name;
        if (!strcmp(text, table[i].name)) {
            out->entry = i;
            return 0;
        }
    }
    int near = name_nearest(text, names, ENTRIES);
    struct text all = {0};
    result_figure_names(&all);
    int rc = near >= 0 ? err_set(err, -EINVAL, "unknown metric '%s' (did you mean '%s'?)", text, names[near])
                       : err_set(err, -EINVAL, "unknown metric '%s'; there are %s", text, text_get(&all));
    text_fini(&all);
    return rc;
}

int result_figures_parse(char *const *names, size_t n, struct result_figure **out, struct err *err)
{
    *out = calloc(n + 1, sizeof **out);
    int rc = *out ? 0 : err_set(err, -ENOMEM, "out of memory for %zu metrics", n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = result_figure_parse(names[i], &(*out)[i], err);
    if (rc) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

static const struct counter *counter_of(const struct trial *t, const char *name)
{
    for (size_t i = 0; i < t->ncounters; i++)
        if (!strcmp(t->counters[i].name, name))
            return &t->counters[i];
    return NULL;
}

/* The quantile of a trial's items in blocks that count. */
static double item_quantile(const struct cells *c, size_t invocation, const struct trial *t, double p,
                            struct histogram *scratch)
{
    memset(scratch, 0, sizeof *scratch);
    for (size_t i = 0; i < t->nturns; i++)
        if (t->turns[i].items && results__cells_turn_counts(c, invocation, &t->turns[i]))
            histogram_merge(scratch, t->turns[i].items);
    return histogram_quantile(scratch, p);
}

static double median_of_turns(const struct cells *c, size_t invocation, const struct trial *t, size_t offset,
                              double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nturns; i++) {
        double x;
        memcpy(&x, (const char *)&t->turns[i] + offset, sizeof x);
        if (isfinite(x) && results__cells_turn_counts(c, invocation, &t->turns[i]))
            scratch[n++] = x;
    }
    return stats_median(scratch, n);
}

/* What reading a figure takes beside the trial. */
struct reading {
    const struct result *r;
    const struct result_figure *f;
    struct cells cells;
    struct histogram *items;
    double *turns;
};

static int reading_init(struct reading *x, const struct result *r, const struct result_figure *f,
                        struct err *err)
{
    *x = (struct reading){.r = r, .f = f};
    size_t most = 1;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            if (r->invocations[i].trials[t].nturns > most)
                most = r->invocations[i].trials[t].nturns;
    int rc = results__cells_init(&x->cells, r, METRIC_COST_NS, err);
    x->items = malloc(sizeof *x->items);
    x->turns = calloc(most, sizeof *x->turns);
    if (!rc && (!x->items || !x->turns))
        rc = err_set(err, -ENOMEM, "no memory for a figure of %zu invocations", r->ninvocations);
    return rc;
}

static void reading_fini(struct reading *x)
{
    results__cells_fini(&x->cells);
    free(x->items);
    free(x->turns);
}

/* NaN: there is none. */
static double value_of(const struct reading *x, size_t invocation, int arm)
{
    const struct trial *t = result_trial_of(&x->r->invocations[invocation], arm);
    if (!t)
        return NAN;
    if (x->f->counter) {
        const struct counter *c = counter_of(t, x->f->name + x->f->counter);
        return c ? c->value : NAN;
    }
    const struct entry *e = &table[x->f->entry];
    double value;
    switch (e->kind) {
    case OF_TURN:
        return median_of_turns(&x->cells, invocation, t, e->offset, x->turns);
    case OF_ITEMS:
        return item_quantile(&x->cells, invocation, t, e->p, x->items);
    case OF_TRIAL:
        memcpy(&value, (const char *)t + e->offset, sizeof value);
        return value;
    }
    return NAN;
}

int result_figure_series(const struct result *r, int arm, const struct result_figure *f, double *out,
                         size_t *n, struct err *err)
{
    *n = 0;
    struct reading x;
    int rc = reading_init(&x, r, f, err);
    for (size_t i = 0; !rc && i < r->ninvocations; i++) {
        double value = value_of(&x, i, arm);
        if (isfinite(value) && value >= 0)
            out[(*n)++] = value;
    }
    reading_fini(&x);
    return rc;
}

static double ln_ratio(double a, double b)
{
    if (a > 0 && b > 0)
        return log(a / b);
    return a > 0 ? log(FROM_ZERO) : b > 0 ? -log(FROM_ZERO) : 0;
}

static int trial_ratios(const struct result *r, int arm_a, int arm_b, const struct result_figure *f,
                        double *out, size_t *n, struct err *err)
{
    struct reading x;
    int rc = reading_init(&x, r, f, err);
    for (size_t i = 0; !rc && i < r->ninvocations; i++) {
        double a = value_of(&x, i, arm_a), b = value_of(&x, i, arm_b);
        if (isfinite(a) && isfinite(b) && a >= 0 && b >= 0)
            out[(*n)++] = ln_ratio(a, b);
    }
    reading_fini(&x);
    return rc;
}

int result_figure_ln_ratios(const struct result *r, int arm_a, int arm_b, const struct result_figure *f,
                            double *out, size_t *n, struct err *err)
{
    *n = 0;
    bool of_turn = !f->counter && table[f->entry].kind == OF_TURN;
    int rc = of_turn ? summary_ln_ratios(r, arm_a, arm_b, table[f->entry].metric, out, n, err)
                     : trial_ratios(r, arm_a, arm_b, f, out, n, err);
    for (size_t i = 0; !rc && f->more_is_better && i < *n; i++)
        out[i] = -out[i];
    return rc;
}

const char *result_figure_missing(const struct result *r, int arm, const struct result_figure *f)
{
    if (r->arms[arm].failure)
        return r->arms[arm].failure;
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct trial *t = result_trial_of(&r->invocations[i], arm);
        const struct counter *c = t && f->counter ? counter_of(t, f->name + f->counter) : NULL;
        if (c && c->reason)
            return c->reason;
        if (t && f->counter && !c)
            return "no counter of that name was recorded";
    }
    return "it was not measured in any invocation that counts";
}
