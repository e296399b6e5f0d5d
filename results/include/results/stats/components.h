/* Where the variance lies (between invocations, between blocks, between turns), and what to repeat next. */
#ifndef RESULTS_STATS_COMPONENTS_H
#define RESULTS_STATS_COMPONENTS_H

#include <stddef.h>

/* One value and where it comes from; sorted by invocation, then block. */
struct stats_nested {
    int invocation, block;
    double value; /* ln of a turn's cost, or a block's log ratio */
};

/* Variances of the three levels; negative moments count as 0. known = 0 in a level that has no replication
 * (one block an invocation, one turn a block): its variance is then part of the level above it. */
struct stats_components {
    double invocation, block, turn;
    int block_known, turn_known;
    size_t invocations;
    double blocks_mean, turns_mean; /* blocks an invocation, turns a block */
};

/* Moments of the nested analysis of variance, for unequal numbers too. All 0 with fewer than 2 invocations.
 * Source: Searle, Casella and McCulloch, "Variance Components" (1992), section 3.6 and appendix F.1; Snedecor
 * and Cochran, "Statistical Methods", section 13.10, for the coefficients. */
struct stats_components stats_components(const struct stats_nested *x, size_t n);

/* What time costs: a start of all trials of an invocation (with warm-up), what one block takes without its
 * timed turns, and one timed turn of all arms. */
struct stats_price {
    double start_ns, block_ns, turn_ns;
};

/* The best use of time for the variance of the mean of invocations: blocks an invocation and turns a block that
 * minimise (variance of an invocation's mean) x (time of an invocation), by the square-root rule of two-stage
 * sampling, at most `most` each.
 * Source: Cochran, "Sampling Techniques", 3rd ed., sections 10.6 and 10.8. */
struct stats_plan {
    int blocks, turns;
    double gain; /* variance for the same time now, over that of the plan; 1 = nothing to gain */
};
struct stats_plan stats_plan(const struct stats_components *c, const struct stats_price *price, int most);

/* Variance of the mean over n invocations of so many blocks and turns. */
double stats_plan_variance(const struct stats_components *c, double n, double blocks, double turns);

/* Which level to repeat in the next minute: the one that lowers the variance most for its time, from the numbers
 * so far. */
enum stats_level { STATS_LEVEL_INVOCATION, STATS_LEVEL_BLOCK, STATS_LEVEL_TURN };
enum stats_level stats_plan_next(const struct stats_components *c, const struct stats_price *price);

#endif
