/* The arms still in the race, their paired limits, and the choice among them. Private. */
#ifndef RESULTS_RACE_H
#define RESULTS_RACE_H

#include "cells.h"
#include "results/stats/choice.h"

struct race {
    const struct result *result; /* borrowed */
    struct cells cells;
    bool *in_race;              /* [narms] measured, and not dropped at an earlier look */
    bool *out, *good;           /* [narms] as judged now */
    size_t *size;               /* [narms] arms of fewer workers, or as many and fewer threads */
    struct stats_limits *pairs; /* [narms][narms] at alpha_pair on both sides */
    double *stall;              /* [narms] median share of waiting; with result->max_stall only */
    double *cpu_ns;             /* [narms] median over invocations: the last word on size */
    size_t nmeasured;
    double alpha, alpha_pair, ln_margin;
    int looks;
};

/* Judges r as it stands. alpha is the session's. Errors: -ENOMEM. */
int results__race_init(struct race *race, const struct result *r, double alpha, struct err *err);
void results__race_fini(struct race *race);

/* With result->max_stall: an arm is good when the upper limit of its stall lies at or below it, worse when the lower one
 * lies above. Each limit is wrong with probability at most alpha / looks / 2 / arms, so "the consumer waits at most that
 * share, and with no smaller setting it does" holds with confidence 1 - alpha after all looks (Bonferroni). NaN counts as
 * worse: a subject that does not tell cannot be recommended. Errors: -ENOMEM. */
int results__race_judge_stall(struct race *race, struct err *err);

/* Limits of all pairs into pairs[narms * narms]. Errors: -ENOMEM. */
int results__race_pairs(const struct race *race, double alpha_low, double alpha_high,
                        struct stats_limits *pairs, struct err *err);

/* Of an arm that is out: whether it is slower than a smaller one, and not worse by more than the margin, or kept the
 * consumer waiting for too long. */
bool results__race_only_slower(const struct race *race, size_t arm);

/* Order of size: workers, then threads, then CPU time. An unknown CPU time decides nothing. */
int results__compare_size(const struct setting *x, double x_cpu_ns, const struct setting *y, double y_cpu_ns);

/* Owner: the caller, choice_fini. Errors: -ENOMEM. */
int results__race_choose(const struct race *race, struct choice *out, struct err *err);

#endif
