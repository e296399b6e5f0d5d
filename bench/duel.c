/* The course of a gate: rows one after another, each with its two arms taking turns; a look over all of them; then
 * again for those that are still open, twice as long. */
#include "duel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/outside.h"
#include "results/stats/design.h"

enum { FIRST_LEAST = 12 };

/* What is done outside of the timed parts is not measured for its own sake: caches are cold there. */
static const double OUTSIDE_LEAST = 0.05;

int duel_first(double alpha, int looks, size_t nrows)
{
    int n = (int)stats_gate_smallest_n(alpha, looks, nrows);
    return n > FIRST_LEAST ? n : FIRST_LEAST;
}

void duel_fini(struct duel *d)
{
    for (size_t i = 0; i < d->nrows; i++) {
        free(d->rows[i].gate.ratios);
        d->rows[i].gate.ratios = NULL;
    }
}

static struct estimate estimate_of(double *ratios, size_t n, int looks)
{
    double alpha = 0.05 / 2 / looks;
    struct stats_limits l = stats_limits(ratios, n, alpha, alpha);
    bool known = isfinite(l.low) && isfinite(l.high);
    return (struct estimate){.value = exp(l.value),
                             .n = (int)n,
                             .n_effective = (int)n,
                             .ci = {.low = exp(l.low), .high = exp(l.high), .level = 0.95, .known = known}};
}

/* Does `arm` take more time beside what it times than the other, by more than the margin, and than can be told there? */
static int check_outside(const struct duel *d, struct duel_row *row, int arm, int other, struct err *err)
{
    const struct result *r = d->result;
    double *excess = calloc(r->ninvocations + 1, sizeof *excess),
           alpha = d->alpha / d->looks / (double)d->nrows, most = fmax(expm1(row->ln_margin), OUTSIDE_LEAST);
    size_t n = 0;
    int rc = excess ? result_outside_excess(r, arm, other, excess, &n, err)
                    : err_set(err, -ENOMEM, "out of memory for %zu invocations", r->ninvocations);
    struct stats_limits l = stats_limits(excess, n, alpha, alpha);
    free(excess);
    if (rc || !(l.value > most))
        return rc;
    bool sure = isfinite(l.low) && l.low > most;
    row->withheld = true;
    snprintf(row->unbelieved, sizeof row->unbelieved,
             "the %s takes %.3g %% of a turn more than the %s outside of what it times: %s",
             arm == row->candidate ? "candidate" : "baseline", 100 * l.value,
             arm == row->candidate ? "baseline" : "candidate",
             sure ? "its times cannot be believed" : "no verdict on its times");
    if (!sure)
        return 0;
    row->missing = row->unbelieved;
    return err_set(err, -EBADMSG, "'%s': %s", r->arms[row->candidate].name, row->unbelieved);
}

/* Reads the ratios of a row out of the result. */
static int update_row(const struct duel *d, struct duel_row *row, struct err *err)
{
    const struct result *r = d->result;
    double *more = realloc(row->gate.ratios, (r->ninvocations + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for %zu invocations", r->ninvocations);
    row->gate.ratios = more;
    int rc = result_figure_ln_ratios(r, row->candidate, row->baseline, row->figure, more, &row->gate.n, err);
    if (rc)
        return rc;
    row->withheld = false;
    if (row->gate.n && row->figure->counter)
        return 0; /* no time that could be told too short */
    if (row->gate.n) {
        rc = check_outside(d, row, row->candidate, row->baseline, err);
        return rc ? rc : check_outside(d, row, row->baseline, row->candidate, err);
    }
    row->missing = result_figure_missing(r, row->candidate, row->figure);
    return err_set(err, -ENODATA, "'%s' has no %s: %s", r->arms[row->candidate].name, row->figure->name,
                   row->missing);
}

/* Moves the row so that its margin lies at 0, and back with what was found. */
static void shift(struct stats_gate_row *row, double by)
{
    for (size_t i = 0; i < row->n; i++)
        row->ratios[i] += by;
    row->limits.value += by;
    row->limits.low += by;
    row->limits.high += by;
    row->smallest_seen_ln += by;
}

/* "No regression was found" says something only where one would have been. */
static void apply_detect(struct duel *d)
{
    for (size_t i = 0; i < d->nrows; i++) {
        struct stats_gate_row *row = &d->rows[i].gate;
        if (row->verdict != STATS_REGRESSION)
            row->verdict = row->smallest_seen_ln <= d->ln_effect ? STATS_PASS : STATS_INCONCLUSIVE;
    }
}

/* A row whose verdict is withheld leaves open what the others do not decide. */
static void conclude(struct duel *d)
{
    bool alarm = false, all = d->nrows > 0;
    for (size_t i = 0; i < d->nrows; i++) {
        struct duel_row *row = &d->rows[i];
        if (row->withheld)
            row->gate.verdict = STATS_INCONCLUSIVE;
        alarm = alarm || row->gate.verdict == STATS_REGRESSION;
        all = all && row->gate.verdict == STATS_PASS;
    }
    d->verdict = alarm ? STATS_REGRESSION : all ? STATS_PASS : STATS_INCONCLUSIVE;
}

int duel_judge(struct duel *d, struct err *err)
{
    struct stats_gate_row *rows = calloc(d->nrows + 1, sizeof *rows);
    if (!rows)
        return err_set(err, -ENOMEM, "out of memory for %zu rows", d->nrows);
    for (size_t i = 0; i < d->nrows; i++) {
        rows[i] = d->rows[i].gate;
        shift(&rows[i], -d->rows[i].ln_margin);
    }
    int rc = stats_gate(rows, d->nrows, 0, d->alpha, d->looks, &d->verdict, err);
    for (size_t i = 0; i < d->nrows; i++) {
        shift(&rows[i], d->rows[i].ln_margin);
        d->rows[i].gate = rows[i];
        d->rows[i].ratio = estimate_of(rows[i].ratios, rows[i].n, d->looks);
    }
    free(rows);
    if (!rc && d->rule == DUEL_DETECT)
        apply_detect(d);
    if (!rc)
        conclude(d);
    return rc;
}

static int look(struct duel *d, struct err *err)
{
    int rc = 0, missing = 0;
    for (size_t i = 0; !rc && i < d->nrows; i++) {
        rc = update_row(d, &d->rows[i], err);
        bool lacks = rc == -ENODATA || rc == -EBADMSG; /* the other rows are judged all the same */
        missing = lacks ? rc : missing;
        rc = lacks ? 0 : rc;
    }
    rc = rc ? rc : duel_judge(d, err);
    return rc ? rc : missing;
}

static bool same_pair(const struct duel_row *a, const struct duel_row *b)
{
    return a->baseline == b->baseline && a->candidate == b->candidate;
}

/* Where the rows of the pair that begins at row i end; *open: one of them has no verdict yet. */
static size_t pair_end(const struct duel *d, size_t i, bool *open)
{
    size_t next = i;
    for (*open = false; next < d->nrows && same_pair(&d->rows[i], &d->rows[next]); next++)
        *open = *open || d->rows[next].gate.verdict == STATS_INCONCLUSIVE;
    return next;
}

/* Time that an invocation of every pair still open takes, from row `from` on. */
static double each_open(const struct duel *d, size_t from)
{
    double sum = 0;
    bool open;
    for (size_t i = from, next; i < d->nrows; i = next) {
        next = pair_end(d, i, &open);
        sum += open ? d->rows[i].each_ns : 0;
    }
    return sum;
}

/* When the pair of row i has to end, so that those after it get their part of the budget; 0 = whenever. The first look is
 * made in any case. */
static double until(const struct duel *d, size_t i)
{
    double now_ns = session_elapsed_ns(d->session);
    if (d->look == 1 || d->budget_ns <= 0)
        return 0;
    return now_ns + (d->budget_ns - now_ns) * d->rows[i].each_ns / each_open(d, i);
}

static int measure_pair(struct duel *d, struct duel_row *row, int valid, double until_ns, struct err *err)
{
    const int arms[2] = {row->baseline, row->candidate};
    const struct session_share share = {.valid = valid, .look = d->look, .until_ns = until_ns};
    double from_ns = session_elapsed_ns(d->session);
    int n = session_measure(d->session, arms, 2, &share, err);
    if (n > 0)
        row->each_ns = (session_elapsed_ns(d->session) - from_ns) / n;
    return n < 0 ? n : 0;
}

static int measure_open_rows(struct duel *d, int valid, struct err *err)
{
    int rc = 0;
    bool open;
    for (size_t i = 0, next; !rc && i < d->nrows; i = next) {
        next = pair_end(d, i, &open);
        if (open)
            rc = measure_pair(d, &d->rows[i], valid, until(d, i), err);
    }
    return rc;
}

int duel_next(const struct duel *d, int valid, double affordable)
{
    double doubled = 2.0 * valid, most = valid + fmin(affordable, 1e6);
    if (doubled > most)
        return 0;
    if (!d->spend)
        return (int)doubled;
    return (int)stats_design_next_look(valid, most, d->looks - d->look);
}

double duel_affordable(double budget, double spent, double each)
{
    return budget > 0 ? (0.95 * budget - spent) / each : INFINITY;
}

int duel_run(struct duel *d, struct err *err)
{
    int valid = d->first, before = 0;
    for (d->look = 1;; d->look++) {
        int rc = measure_open_rows(d, valid - before, err);
        rc = rc ? rc : look(d, err);
        if (!rc && d->looked)
            d->looked(d->arg, d);
        if (rc || d->verdict != STATS_INCONCLUSIVE || d->look == d->looks)
            return rc;
        before = valid;
        double spent_ns = session_elapsed_ns(d->session);
        valid = duel_next(d, valid, duel_affordable(d->budget_ns, spent_ns, each_open(d, 0)));
        if (!valid)
            return 0;
    }
}
