/* Who takes which turn: orders of the arms that balance slot and predecessor, and the draw of CPUs. */
#ifndef RESULTS_STATS_DESIGN_H
#define RESULTS_STATS_DESIGN_H

#include <stddef.h>
#include <stdint.h>

struct stats_design {
    uint64_t seed;
    int blocks;           /* in an invocation, beside the warm-up block */
    int first_invocation; /* the one from which on the arms now in the race were in it: after a look the
                             balance starts anew */
};

enum { STATS_DESIGN_MAX_SLOTS = 4096 };

/* Turns in a block of k arms: 4 for two (ABBA or BAAB), else k. */
size_t stats_design_slots(size_t narms);

/* Blocks after which every arm was in each slot, and directly after each other arm, equally often: 2 for two
 * arms, k for an even number of arms, 2k for an odd one (a pair of squares). Give an invocation a multiple of
 * it, or a session: the count runs on from one invocation to the next. */
size_t stats_design_cycle(size_t narms);

/* The order of block `block` (0 is the warm-up, the inferential ones count from 1) of an invocation: order[s]
 * is the member of `arms` that takes its turn in slot s. A pure function of its arguments: a resumed session
 * continues the same plan. Within each cycle the rows come in a random order and the arms are relabelled.
 * Shapes: arms[narms], order[stats_design_slots(narms)], 1 <= narms <= STATS_DESIGN_MAX_SLOTS.
 * Errors: -ENOMEM.
 * Source: Williams (1949), "Experimental designs balanced for the estimation of residual effects of
 * treatments", Australian Journal of Scientific Research A 2. */
int stats_design_block(const struct stats_design *d, int invocation, int block, const int *arms, size_t narms,
                       int *order);

/* Shuffles cpus[n] into the assignment of an invocation: position i of the plan runs on cpus[i]. Every
 * permutation is equally likely, drawn anew for each invocation. Give it the same list each time. */
void stats_design_cpus(uint64_t seed, int invocation, int *cpus, size_t n);

/* Splits arms into groups that fit at once, each with the same reference arm: group[a] is the group of arm a
 * (the reference is in all, group[reference] = 0). Sizes differ by at most one. Returns the number of groups.
 * capacity >= 2, or narms = 1. */
size_t stats_design_groups(size_t narms, size_t capacity, size_t reference, size_t *group);

/* Invocations, in all, at the next of `left` >= 1 looks still to come, after one at `valid` > 0, when `most` can be afforded:
 * the looks that are left divide most / valid into equal ratios, so that the last comes at `most`; but never fewer than
 * twice `valid`. */
double stats_design_next_look(double valid, double most, int left);

#endif
