/* Logarithms of a metric by invocation, block and arm: what every comparison is made of. Private. */
#ifndef RESULTS_CELLS_H
#define RESULTS_CELLS_H

#include "results/summary.h"

/* Blocks and invocations that are void are void for all arms; so is a block with a cost that has no
 * logarithm. Arms that are absent from an invocation, or have no usable turns in a block, are NaN there. */
struct cells {
    size_t narms, ninvocations, nblocks; /* nblocks: the highest block number and one */
    double *mean_ln;                     /* [invocation][block][arm] */
    bool *usable;                        /* [invocation][block]: inferential and not void */
    bool *measured;                      /* [arm]: at least one usable block */
    int invocations_valid, invocations_void, blocks_void;
};

/* Errors: -ENOMEM. */
int results__cells_init(struct cells *c, const struct result *r, enum result_metric metric, struct err *err);
void results__cells_fini(struct cells *c);

/* Whether a turn lies in a block that counts. */
bool results__cells_turn_counts(const struct cells *c, size_t invocation, const struct turn *t);

/* ln(arm a / arm b) of every invocation both were in, in order: the median over the blocks they share, or,
 * when they were in different groups, the sum of such medians against an arm that was in both. Returns how many.
 * Shapes: out[ninvocations], scratch[nblocks]. */
size_t results__cells_ratios(const struct cells *c, size_t a, size_t b, double *out, double *scratch);

/* Median turn of a figure (at `offset` in struct turn) of every invocation that has one, in order; how many.
 * Shapes: out[ninvocations] and scratch[most turns of an invocation]: results__series_alloc gives both in one piece
 * (NULL: no memory), scratch from ninvocations on. */
size_t results__cells_series(const struct cells *c, const struct result *r, size_t arm, size_t offset,
                             double *out, double *scratch);
double *results__series_alloc(const struct result *r);

/* Median over invocations of the median turn of a figure (at `offset` in struct turn), with the interval that
 * covers at `level` after `looks` looks. Errors: -ENOMEM. */
int results__cells_estimate(const struct cells *c, const struct result *r, size_t arm, size_t offset,
                            double level, int looks, struct estimate *out, struct err *err);

/* The same of one value an invocation, x[n] in their order; sorts x. */
int results__series_estimate(double *x, size_t n, double level, int looks, struct estimate *out,
                             struct err *err);

/* Time of a trial as recorded: its start and its timed turns, the warm-up block's too. */
double results__trial_ns(const struct trial *trial);

double results__turn_metric(const struct turn *t, enum result_metric metric);

#endif
