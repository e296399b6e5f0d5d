/* Two builds of the same arms against each other: the course of a gate, which calibrate repeats. */
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include <signal.h>

#include "harness/session.h"
#include "results/stats/gate.h"
#include "results/summary.h"

/* One row: arm `candidate` of the result against arm `baseline`. */
struct duel_row {
    int baseline, candidate;
    struct stats_gate_row gate; /* verdict and limits after the last look */
    struct estimate ratio;      /* candidate over baseline, with the session's interval */
};

struct duel {
    struct session *session; /* opened by the caller */
    struct result *result;
    struct duel_row *rows; /* caller's storage, [nrows]; baseline and candidate set */
    size_t nrows;
    enum result_metric metric;
    double ln_margin, alpha, budget_ns;
    int looks, first; /* invocations of a row before the first look */
    enum stats_verdict verdict;
    int look; /* the last one made */
};

/* Measures and looks until every row has a verdict, the looks are used up or the next would not fit into the budget.
 * Owner:  duel_fini afterwards, also after a failure.
 * Errors: those of session_measure. */
int duel_run(struct duel *d, struct err *err);
void duel_fini(struct duel *d);

/* Least invocations of a row such that both verdicts are possible at the first look. */
int duel_first(double alpha, int looks, size_t nrows);

#endif
