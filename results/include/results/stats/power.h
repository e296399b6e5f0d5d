/* How small an effect a gate would find in so many invocations, from ratios that were measured without one.
 *
 * Ratios of invocations to come are drawn from those measured, whole groups of neighbours at a time (a group: the
 * invocations of one session), so that what neighbours share stays shared. An effect multiplies the cost: it shifts
 * every log ratio. A draw finds an effect when the lower limit of the median, at alpha / looks, exceeds the margin at
 * one of its looks; so the smallest effect that it finds, above the margin, is the least distance from 0 down to a
 * limit. The answer is a quantile of that over many draws.
 * Source: power by simulation; block bootstrap after Kuensch, Ann. Statist. 17 (1989). */
#ifndef RESULTS_STATS_POWER_H
#define RESULTS_STATS_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { STATS_POWER_LOOKS_MAX = 8 };

/* ln_ratios[n], group by group; group[ngroups] are their sizes. Borrowed. */
struct stats_power_pool {
    const double *ln_ratios;
    const size_t *group;
    size_t ngroups;
};

/* *out: the effect, as a log ratio above the margin, that a share of the draws finds; INFINITY when the last look has
 * too few invocations to find any.
 * look_n: invocations at each look, growing. draws: 1,000 give the quantile a standard error of under 1 point.
 * Errors: -EINVAL no group or an empty one; -ENOMEM. */
int stats_power_smallest(const struct stats_power_pool *pool, const size_t *look_n, int looks, double alpha,
                         double share, size_t draws, uint64_t seed, double *out, struct err *err);

#endif
