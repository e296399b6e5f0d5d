/* Two builds of the same arms against each other: the course of a gate, which calibrate repeats. */
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include <signal.h>

#include "harness/session.h"
#include "results/figure.h"
#include "results/stats/gate.h"
#include "results/summary.h"

/* When does a row pass? In both: REGRESSION when it is surely worse by more than the margin. */
enum duel_rule {
    DUEL_NON_INFERIOR, /* PASS when it is surely not worse by more than the margin */
    DUEL_DETECT, /* PASS when no regression was found although one of the smallest effect would have been */
};

/* One row: a figure of arm `candidate` of the result against arm `baseline`. Rows of one pair of arms stand together. */
struct duel_row {
    int baseline, candidate;
    const struct result_figure *figure;
    double ln_margin;
    struct stats_gate_row gate; /* verdict and limits after the last look, of ln(candidate / baseline) */
    struct estimate ratio; /* candidate over baseline, worse is above 1, with the session's 95 % interval */
    const char
        *missing;  /* why the figure was not measured or cannot be believed; NULL = it was. Borrowed from the
                              result, or from the row */
    bool withheld; /* one side seems to take more time beside what it times than the other: no verdict */
    char unbelieved[256]; /* that, in words */
    double each_ns;       /* of the first row of a pair: what one more invocation of it takes */
};

struct duel {
    struct session *session; /* opened by the caller */
    struct result *result;
    struct duel_row *rows; /* caller's storage, [nrows]; the first four members set */
    size_t nrows;
    enum duel_rule rule;
    double ln_effect;        /* DUEL_DETECT: the smallest effect that has to be seen */
    double alpha, budget_ns; /* no further look that would not fit; 0 = no limit */
    bool spend;              /* the last look comes when the budget is spent, instead of at 4 * first */
    int looks, first;        /* invocations of a row before the first look */
    enum stats_verdict verdict;
    int look;                                        /* the last one made */
    void (*looked)(void *arg, const struct duel *d); /* optional: after each look */
    void *arg;
};

/* Invocations of a row, in all, at the look after d->look, which had `valid`: twice as many; with `spend`, as many as the
 * budget allows at the last look and their geometric mean at one in between. 0: not even twice as many are affordable.
 * affordable: further invocations that the budget has room for, INFINITY without one. Pure. */
int duel_next(const struct duel *d, int valid, double affordable);

/* Further invocations that a budget has room for after `spent`, at `each` an invocation of all rows still open; INFINITY
 * without a budget (0). Some of it is kept: a round may take longer than the one before. Any unit of time. Pure. */
double duel_affordable(double budget, double spent, double each);

/* Measures and looks until every row has a verdict, the looks are used up or the next would not fit into the budget.
 * A pair that takes longer than it did gets fewer invocations after the first look: the budget holds.
 * Owner:  duel_fini afterwards, also after a failure.
 * Errors: those of session_measure; -ENODATA a row's figure was not measured, with the reason; -EBADMSG one of the two
 * surely takes more time beside its timed parts than the other, by more than the margin and 5 % (result_outside_excess): it
 * tells too little, or its figure is not of the same work. Judged at each look, with an error of at most alpha for each
 * side of all rows and looks. Where that is the median only, the row has no verdict at that look. */
int duel_run(struct duel *d, struct err *err);
void duel_fini(struct duel *d);

/* The verdicts of rows from their ratios (row.gate.ratios, n), each row against its own margin, and the one on all:
 * what duel_run does at each look. Errors: -ENOMEM. */
int duel_judge(struct duel *d, struct err *err);

/* Least invocations of a row such that both verdicts are possible at the first look. */
int duel_first(double alpha, int looks, size_t nrows);

#endif
