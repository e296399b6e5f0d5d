/* What two builds can be compared by: one figure of a trial, with its direction. */
#ifndef RESULTS_FIGURE_H
#define RESULTS_FIGURE_H

#include <stdbool.h>

#include "base/text.h"
#include "results/record.h"

enum { RESULT_FIGURE_NAME = 128 };

/* Caller's storage, filled by result_figure_parse. */
struct result_figure {
    char name[RESULT_FIGURE_NAME]; /* as asked for: "cost_ns", "item_p95_ns", "counter:PAPI_TOT_INS" */
    size_t counter;                /* where in name that of a counter begins; 0 = one of the table */
    int entry;                     /* of the table, when it is no counter */
    bool more_is_better;
};

/* A figure's name: one of the table below, or counter:NAME, of which more is worse unless "/more-is-better" follows.
 * Errors: -EINVAL with the nearest name. */
int result_figure_parse(const char *text, struct result_figure *out, struct err *err);

/* The figures of n names. Owner: *out, the caller's to free; NULL on failure. Errors: as above, -ENOMEM. */
int result_figures_parse(char *const *names, size_t n, struct result_figure **out, struct err *err);

/* The names of the table, parted by commas: for help and messages. */
void result_figure_names(struct text *out);

/* ln(a / b) of the figure in every invocation in which both were measured, in order, with the sign turned where more is
 * better: above 0 is always worse. What a turn tells is paired by block (as summary_ln_ratios); what only a whole trial
 * tells is paired by invocation. Two zeros are equal; a zero against something counts as a factor of 1e9.
 * Shapes: out[r->ninvocations]; *n = how many. Errors: -ENOMEM. */
int result_figure_ln_ratios(const struct result *r, int arm_a, int arm_b, const struct result_figure *f,
                            double *out, size_t *n, struct err *err);

/* The figure of an arm in every invocation that counts and has it, in order. Shapes and errors as above. */
int result_figure_series(const struct result *r, int arm, const struct result_figure *f, double *out,
                         size_t *n, struct err *err);

/* Why an arm has no such figure, in words; borrowed. */
const char *result_figure_missing(const struct result *r, int arm, const struct result_figure *f);

#endif
