/* Verdicts row by row; the definition and its error bounds are in the header. */
#include "results/stats/gate.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/stats/holm.h"
#include "results/stats/order_statistic.h"
#include "results/stats/tost.h"

size_t stats_gate_smallest_n(double alpha, int looks, size_t nrows)
{
    return stats_median_smallest_n(alpha / looks / (double)(nrows > 1 ? nrows : 1));
}

static void judge(struct stats_gate_row *row, double ln_margin, double alpha)
{
    row->verdict = STATS_INCONCLUSIVE;
    if (row->p <= alpha)
        row->verdict = STATS_REGRESSION;
    else if (row->limits.high < ln_margin)
        row->verdict = STATS_PASS;
    row->smallest_seen_ln = row->n ? ln_margin + (row->limits.value - row->limits.low) : INFINITY;
}

static enum stats_verdict verdict_on_all(const struct stats_gate_row *rows, size_t nrows)
{
    enum stats_verdict all = nrows ? STATS_PASS : STATS_INCONCLUSIVE;
    for (size_t i = 0; i < nrows; i++) {
        if (rows[i].verdict == STATS_REGRESSION)
            return STATS_REGRESSION;
        if (rows[i].verdict == STATS_INCONCLUSIVE)
            all = STATS_INCONCLUSIVE;
    }
    return all;
}

int stats_gate(struct stats_gate_row *rows, size_t nrows, double ln_margin, double alpha, int looks,
               enum stats_verdict *out, struct err *err)
{
    assert(ln_margin >= 0 && alpha > 0 && alpha < 1 && looks >= 1);
    *out = STATS_INCONCLUSIVE;
    double a = alpha / looks;
    double *p = calloc(nrows + 1, sizeof *p);
    if (!p)
        return err_set(err, -ENOMEM, "no memory for %zu rows of a gate", nrows);
    for (size_t i = 0; i < nrows; i++) {
        rows[i].limits = stats_limits(rows[i].ratios, rows[i].n, a, a);
        p[i] = stats_sign_test_above(rows[i].ratios, rows[i].n, ln_margin);
    }
    int rc = stats_holm(p, nrows, p, err);
    for (size_t i = 0; rc == 0 && i < nrows; i++) {
        rows[i].p = p[i];
        judge(&rows[i], ln_margin, a);
    }
    if (rc == 0)
        *out = verdict_on_all(rows, nrows);
    free(p);
    return rc;
}
