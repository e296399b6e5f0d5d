/* Fills the table of logarithms, and decides what is void. */
#include "cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/stats/order_statistic.h"

double results__turn_metric(const struct turn *t, enum result_metric metric)
{
    switch (metric) {
    case METRIC_COST_NS:
        return t->cost_ns;
    case METRIC_ITEM_NS:
        return t->item_ns;
    case METRIC_CPU_NS:
        return t->cpu_ns;
    case METRIC_OVERHEAD_NS:
        return t->overhead_ns;
    }
    return NAN;
}

static bool has_log(double x)
{
    return isfinite(x) && x > 0;
}

static void find_size(struct cells *c, const struct result *r)
{
    c->narms = r->narms;
    c->ninvocations = r->ninvocations;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            for (size_t n = 0; n < r->invocations[i].trials[t].nturns; n++) {
                int block = r->invocations[i].trials[t].turns[n].block;
                if (block >= 0 && (size_t)block >= c->nblocks)
                    c->nblocks = (size_t)block + 1;
            }
}

/* Marks the blocks of an invocation that some trial measured and none voids. */
static void judge_blocks(struct cells *c, const struct invocation *inv, bool *usable)
{
    if (inv->void_reason)
        return;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < inv->ntrials; t++)
            for (size_t n = 0; n < inv->trials[t].nturns; n++) {
                const struct turn *turn = &inv->trials[t].turns[n];
                if (turn->block < 1)
                    continue;
                bool *block = &usable[turn->block];
                bool sound = !turn->void_reason && has_log(turn->cost_ns);
                if (pass == 0) {
                    *block = true;
                } else if (!sound && *block) {
                    *block = false;
                    c->blocks_void++;
                }
            }
    }
}

/* Turns of a trial in a block, and the mean logarithm of the metric over them (NaN when one has none). */
static size_t block_mean(const struct trial *t, int block, enum result_metric metric, double *mean)
{
    size_t n = 0;
    double sum = 0;
    for (size_t i = 0; i < t->nturns; i++) {
        if (t->turns[i].block != block)
            continue;
        double x = results__turn_metric(&t->turns[i], metric);
        sum += has_log(x) ? log(x) : NAN;
        n++;
    }
    *mean = n ? sum / (double)n : NAN;
    return n;
}

/* An arm that has fewer turns in a block than another was cut short in it, and does not count there. */
static void fill_block(struct cells *c, const struct invocation *inv, int block, enum result_metric metric,
                       double *row)
{
    double mean;
    size_t most = 0;
    for (size_t t = 0; t < inv->ntrials; t++) {
        size_t n = block_mean(&inv->trials[t], block, metric, &mean);
        most = n > most ? n : most;
    }
    for (size_t t = 0; t < inv->ntrials; t++) {
        int arm = inv->trials[t].arm;
        if (arm < 0 || (size_t)arm >= c->narms || block_mean(&inv->trials[t], block, metric, &mean) < most)
            continue;
        row[arm] = mean;
        c->measured[arm] = c->measured[arm] || isfinite(mean);
    }
}

static void fill_invocation(struct cells *c, const struct invocation *inv, size_t i,
                            enum result_metric metric)
{
    bool *usable = &c->usable[i * c->nblocks];
    double *rows = &c->mean_ln[i * c->nblocks * c->narms];
    judge_blocks(c, inv, usable);
    bool any = false;
    for (size_t b = 0; b < c->nblocks; b++) {
        for (size_t a = 0; a < c->narms; a++)
            rows[b * c->narms + a] = NAN;
        if (usable[b])
            fill_block(c, inv, (int)b, metric, &rows[b * c->narms]);
        any |= usable[b];
    }
    c->invocations_valid += any;
    c->invocations_void += !any;
}

int results__cells_init(struct cells *c, const struct result *r, enum result_metric metric, struct err *err)
{
    *c = (struct cells){0};
    find_size(c, r);
    size_t blocks = c->ninvocations * c->nblocks;
    c->mean_ln = calloc(blocks * c->narms + 1, sizeof *c->mean_ln);
    c->usable = calloc(blocks + 1, sizeof *c->usable);
    c->measured = calloc(c->narms + 1, sizeof *c->measured);
    if (!c->mean_ln || !c->usable || !c->measured) {
        results__cells_fini(c);
        return err_set(err, -ENOMEM, "no memory for the blocks of %zu invocations", r->ninvocations);
    }
    for (size_t i = 0; i < c->ninvocations; i++)
        fill_invocation(c, &r->invocations[i], i, metric);
    return 0;
}

void results__cells_fini(struct cells *c)
{
    free(c->mean_ln);
    free(c->usable);
    free(c->measured);
    *c = (struct cells){0};
}

bool results__cells_turn_counts(const struct cells *c, size_t invocation, const struct turn *t)
{
    return t->block >= 1 && (size_t)t->block < c->nblocks &&
           c->usable[invocation * c->nblocks + (size_t)t->block];
}

/* Median over the blocks of invocation i that both were in; NaN when there is none. */
static double direct_ratio(const struct cells *c, size_t i, size_t a, size_t b, double *scratch)
{
    size_t blocks = 0;
    for (size_t k = 0; k < c->nblocks; k++) {
        const double *row = &c->mean_ln[(i * c->nblocks + k) * c->narms];
        double ratio = row[a] - row[b];
        if (isfinite(ratio))
            scratch[blocks++] = ratio;
    }
    return stats_median(scratch, blocks);
}

/* Through the first arm that shares blocks with each of the two. */
static double chained_ratio(const struct cells *c, size_t i, size_t a, size_t b, double *scratch)
{
    for (size_t r = 0; r < c->narms; r++) {
        if (r == a || r == b)
            continue;
        double ratio = direct_ratio(c, i, a, r, scratch) + direct_ratio(c, i, r, b, scratch);
        if (isfinite(ratio))
            return ratio;
    }
    return NAN;
}

size_t results__cells_ratios(const struct cells *c, size_t a, size_t b, double *out, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < c->ninvocations; i++) {
        double ratio = direct_ratio(c, i, a, b, scratch);
        if (isnan(ratio))
            ratio = chained_ratio(c, i, a, b, scratch);
        if (isfinite(ratio))
            out[n++] = ratio;
    }
    return n;
}

double results__trial_ns(const struct trial *trial)
{
    double sum = isfinite(trial->start_ns) ? trial->start_ns : 0;
    for (size_t n = 0; n < trial->nturns; n++)
        sum += isfinite(trial->turns[n].wall_ns) ? trial->turns[n].wall_ns : 0;
    return sum;
}
