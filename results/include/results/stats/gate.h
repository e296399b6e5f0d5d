/* The verdict on a change: slower by more than the margin, surely not, or not known.
 *
 * With delta = ln(1 + margin), a row (one arm before and after) is
 *     PASS          when the one-sided upper limit of its log ratio lies below delta,
 *     REGRESSION    when the sign test of "the median is at most delta" has, after Holm over all rows, p <= alpha,
 *     INCONCLUSIVE  otherwise,
 * with alpha / looks at each look. A row whose true ratio is at most 1 + margin is called a regression, at any
 * look and in any row of the gate, with probability at most alpha; a row that is truly slower passes with
 * probability at most alpha. No assumption but independent invocations. */
#ifndef RESULTS_STATS_GATE_H
#define RESULTS_STATS_GATE_H

#include <stddef.h>

#include "base/err.h"
#include "results/stats/choice.h"

enum stats_verdict { STATS_INCONCLUSIVE, STATS_PASS, STATS_REGRESSION };

struct stats_gate_row {
    double *ratios; /* in: ln(candidate / baseline), one an invocation; gets sorted. Borrowed */
    size_t n;
    enum stats_verdict verdict;
    struct stats_limits limits; /* at alpha / looks on each side */
    double p;                   /* of "not slower than the margin", after Holm over the rows */
    double smallest_seen_ln; /* a true ratio of that size would have been called a regression, were the limits
                                   as far from the median as they are; INFINITY when n is too small */
};

/* Judges all rows of a gate at one look, and returns the verdict on the whole through *out: REGRESSION when any
 * row is one, PASS when all pass (none when there is no row), else INCONCLUSIVE. alpha is the session's.
 * Errors: -ENOMEM. */
int stats_gate(struct stats_gate_row *rows, size_t nrows, double ln_margin, double alpha, int looks,
               enum stats_verdict *out, struct err *err);

/* Invocations below which neither verdict is possible. */
size_t stats_gate_smallest_n(double alpha, int looks, size_t nrows);

#endif
