/* An interval for a statistic that has no formula: bootstrap-t over invocations. */
#ifndef RESULTS_STATS_BOOTSTRAP_H
#define RESULTS_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/stats/interval.h"

enum { STATS_BOOTSTRAP_LEAST = 12, STATS_BOOTSTRAP_RESAMPLES = 9999 };

/* A statistic of the invocations pick[0..n): indices, with repeats. NaN = cannot be had of these. */
struct stats_statistic {
    double (*of)(const size_t *pick, size_t n, const void *data);
    const void *data;
};

/* Interval from the quantiles of (t* - t) / se*, with se from the jackknife, each resample its own. Costs
 * 10,000 n evaluations. Not known when n < 12, when t or its se is NaN or 0, or when more than a tenth of the
 * resamples has no value. *value = the statistic of all.
 * Errors: -ENOMEM.
 * Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), sections 11.2 and 12.5. */
int stats_bootstrap_t(struct stats_statistic s, size_t n, double level, uint64_t seed, double *value,
                      struct interval *ci, struct err *err);

#endif
