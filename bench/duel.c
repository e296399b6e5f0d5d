/* The course of a gate: rows one after another, each with its two arms taking turns; a look over all of them; then
 * again for those that are still open, twice as long. */
#include "duel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FIRST_LEAST = 12 };

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

/* Reads the ratios of a row out of the result. */
static int update_row(const struct duel *d, struct duel_row *row, struct err *err)
{
    const struct result *r = d->result;
    double *more = realloc(row->gate.ratios, (r->ninvocations + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for %zu invocations", r->ninvocations);
    row->gate.ratios = more;
    row->ratio = summary_ratio(r, row->candidate, row->baseline, d->metric, 0.95);
    return summary_ln_ratios(r, row->candidate, row->baseline, d->metric, more, &row->gate.n, err);
}

static int judge(struct duel *d, struct err *err)
{
    struct stats_gate_row *rows = calloc(d->nrows, sizeof *rows);
    if (!rows)
        return err_set(err, -ENOMEM, "out of memory for %zu rows", d->nrows);
    int rc = 0;
    for (size_t i = 0; !rc && i < d->nrows; i++) {
        rc = update_row(d, &d->rows[i], err);
        rows[i] = d->rows[i].gate;
    }
    rc = rc ? rc : stats_gate(rows, d->nrows, d->ln_margin, d->alpha, d->looks, &d->verdict, err);
    for (size_t i = 0; !rc && i < d->nrows; i++)
        d->rows[i].gate = rows[i];
    free(rows);
    return rc;
}

static int measure_open_rows(struct duel *d, int valid, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < d->nrows; i++) {
        const int arms[2] = {d->rows[i].baseline, d->rows[i].candidate};
        if (d->rows[i].gate.verdict == STATS_INCONCLUSIVE)
            rc = session_measure(d->session, arms, 2, valid, d->look, err);
    }
    return rc;
}

int duel_run(struct duel *d, struct err *err)
{
    int valid = d->first;
    for (d->look = 1;; d->look++) {
        double before = session_elapsed_ns(d->session);
        int rc = measure_open_rows(d, valid, err);
        rc = rc ? rc : judge(d, err);
        if (rc || d->verdict != STATS_INCONCLUSIVE || d->look == d->looks)
            return rc;
        double took = session_elapsed_ns(d->session) - before;
        valid = d->first << (d->look - 1); /* n, 2n, 4n in all */
        double next = d->look == 1 ? took : 2 * took;
        if (d->budget_ns > 0 && session_elapsed_ns(d->session) + next > d->budget_ns)
            return 0;
    }
}
