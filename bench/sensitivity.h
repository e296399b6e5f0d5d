/* What a gate's budget buys on a machine: how small a slowdown it would find, drawn from comparisons of equal arms. */
#ifndef BENCH_SENSITIVITY_H
#define BENCH_SENSITIVITY_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Null comparisons: ln(candidate / baseline) of their invocations in running order, and how long they took. All zero at
 * the start. Owner: sensitivity_fini. */
struct sensitivity {
    double *ln_ratios;
    size_t *group; /* [ngroups] invocations of each comparison */
    size_t n, ngroups;
    double seconds;
};

/* Errors: -ENOMEM. */
int sensitivity_add(struct sensitivity *s, const double *ln_ratios, size_t n, double seconds,
                    struct err *err);
void sensitivity_fini(struct sensitivity *s);

/* Appends a table: by budget, the invocations at each look and the smallest slowdown of one row that 95 of 100 gates
 * find. Nothing when there are fewer than 20 comparisons. Errors: -ENOMEM. */
int sensitivity_table(const struct sensitivity *s, double margin, double alpha, int looks, struct text *out,
                      struct err *err);

#endif
