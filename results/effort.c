/* From records to the shares of variance, and the price of lowering each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cells.h"

static int by_place(const void *a, const void *b)
{
    const struct stats_nested *x = a, *y = b;
    if (x->invocation != y->invocation)
        return x->invocation < y->invocation ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* Mean logarithm of all arms in a block; 0 with base = NULL. */
static double block_level(const struct cells *c, size_t invocation, int block, const bool *base)
{
    const double *row = &c->mean_ln[(invocation * c->nblocks + (size_t)block) * c->narms];
    double sum = 0;
    int n = 0;
    for (size_t a = 0; base && a < c->narms; a++) {
        bool counts = base[a] && isfinite(row[a]);
        sum += counts ? row[a] : 0;
        n += counts;
    }
    return n ? sum / n : 0;
}

/* ln(cost) of the turns of an arm that count, less the block's level of the arms in `base`, sorted by invocation and
 * block. */
static size_t gather(const struct cells *c, const struct result *r, int arm, const bool *base,
                     struct stats_nested *x)
{
    size_t n = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++) {
            const struct trial *trial = &r->invocations[i].trials[t];
            for (size_t k = 0; trial->arm == arm && k < trial->nturns; k++)
                if (results__cells_turn_counts(c, i, &trial->turns[k]))
                    x[n++] = (struct stats_nested){(int)i, trial->turns[k].block,
                                                   log(trial->turns[k].cost_ns) -
                                                       block_level(c, i, trial->turns[k].block, base)};
        }
    qsort(x, n, sizeof *x, by_place);
    return n;
}

/* Mean over invocations that count: starts and warm-up block of all trials; and of a turn of each trial. */
static struct stats_price price(const struct cells *c, const struct result *r)
{
    double start = 0, turns = 0, rounds = 0;
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct invocation *inv = &r->invocations[i];
        double most = 0;
        for (size_t t = 0; t < inv->ntrials && !inv->void_reason; t++) {
            double timed = 0;
            start += isfinite(inv->trials[t].start_ns) ? inv->trials[t].start_ns : 0;
            for (size_t k = 0; k < inv->trials[t].nturns; k++) {
                const struct turn *turn = &inv->trials[t].turns[k];
                double wall = isfinite(turn->wall_ns) ? turn->wall_ns : 0;
                *(turn->block ? &turns : &start) += wall;
                timed += turn->block != 0;
            }
            most = fmax(most, timed);
        }
        rounds += most;
    }
    struct stats_price p = {0};
    if (c->invocations_valid)
        p.start_ns = start / c->invocations_valid;
    if (rounds > 0)
        p.turn_ns = turns / rounds;
    return p;
}

int summary_effort(const struct result *r, int arm, struct effort *out, struct err *err)
{
    *out = (struct effort){.next = STATS_LEVEL_INVOCATION};
    if (arm < 0 || (size_t)arm >= r->narms)
        return err_set(err, -EINVAL, "arm %d of %zu", arm, r->narms);
    struct cells c;
    int rc = results__cells_init(&c, r, METRIC_COST_NS, err);
    if (rc)
        return rc;
    struct stats_nested *x = malloc((result_count_turns(r) + 1) * sizeof *x);
    if (x) {
        out->components = stats_components(x, gather(&c, r, arm, NULL, x));
        if (out->components.invocations >= 2) {
            out->price = price(&c, r);
            if (out->price.turn_ns > 0)
                out->next = stats_plan_next(&out->components, &out->price);
        } else {
            out->components = (struct stats_components){0};
        }
    } else {
        rc = err_set(err, -ENOMEM, "no memory for the turns of arm %d", arm);
    }
    free(x);
    results__cells_fini(&c);
    return rc;
}

/* Sums the components of an arm into *sum; false when it has none. */
static bool add_components(const struct cells *c, const struct result *r, int arm, const bool *base,
                           struct stats_nested *x, struct stats_components *sum)
{
    struct stats_components one = stats_components(x, gather(c, r, arm, base, x));
    if (one.invocations < 2)
        return false;
    sum->invocation += one.invocation;
    sum->block += one.block;
    sum->turn += one.turn;
    sum->blocks_mean += one.blocks_mean;
    sum->turns_mean += one.turns_mean;
    sum->block_known |= one.block_known;
    sum->turn_known |= one.turn_known;
    sum->invocations = one.invocations > sum->invocations ? one.invocations : sum->invocations;
    return true;
}

int summary_components(const struct result *r, const bool *in_race, struct stats_components *out,
                       struct err *err)
{
    *out = (struct stats_components){0};
    struct cells c;
    int rc = results__cells_init(&c, r, METRIC_COST_NS, err);
    if (rc)
        return rc;
    struct stats_nested *x = malloc((result_count_turns(r) + 1) * sizeof *x);
    int racing = 0, n = 0;
    for (size_t a = 0; a < r->narms; a++)
        racing += in_race[a];
    for (size_t a = 0; x && a < r->narms; a++)
        if (in_race[a])
            n += add_components(&c, r, (int)a, racing > 1 ? in_race : NULL, x, out);
    if (!x)
        rc = err_set(err, -ENOMEM, "no memory for the turns of %zu arms", r->narms);
    if (n) {
        out->invocation /= n;
        out->block /= n;
        out->turn /= n;
        out->blocks_mean /= n;
        out->turns_mean /= n;
    }
    free(x);
    results__cells_fini(&c);
    return rc;
}

struct grid_time summary_grid_time(const struct result *r)
{
    struct grid_time g = {0};
    int valid = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        valid += !r->invocations[i].void_reason;
    for (size_t a = 0; a < r->narms; a++) {
        double spent = 0;
        int trials = 0;
        for (size_t i = 0; i < r->ninvocations && !r->arms[a].failure; i++)
            for (size_t t = 0; t < r->invocations[i].ntrials && !r->invocations[i].void_reason; t++)
                if (r->invocations[i].trials[t].arm == (int)a) {
                    spent += results__trial_ns(&r->invocations[i].trials[t]);
                    trials++;
                }
        g.spent_ns += spent;
        g.grid_ns += trials ? spent / trials * fmax(valid, trials) : 0;
    }
    return g;
}

bool summary_effort_text(const struct result *r, int arm, struct text *out)
{
    static const char *const words[] = {[STATS_LEVEL_INVOCATION] = "more invocations",
                                        [STATS_LEVEL_BLOCK] = "more blocks in each invocation",
                                        [STATS_LEVEL_TURN] = "longer turns"};
    struct effort e;
    if (summary_effort(r, arm, &e, NULL) || !(e.price.turn_ns > 0))
        return false;
    const struct stats_components *c = &e.components;
    double all = c->invocation + c->block + c->turn;
    if (!(all > 0))
        return false;
    text_sayf(out, "%s (of the variance of its cost %.0f %% lies between invocations", words[e.next],
              100 * c->invocation / all);
    if (c->block_known)
        text_sayf(out, ", %.0f %% between blocks", 100 * c->block / all);
    if (c->turn_known)
        text_sayf(out, ", %.0f %% between turns", 100 * c->turn / all);
    text_add(out, ")");
    return true;
}
