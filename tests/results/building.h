/* Results in memory for the tests: arms by workers x threads, costs by invocation, block and turn. */
#ifndef BUILDING_H
#define BUILDING_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/record.h"

struct shape {
    size_t narms, ninvocations;
    int blocks, turns; /* inferential blocks, turns of an arm in each */
};

/* Everything the same: cost, item and CPU time 1 ms. Arm a has a workers of one thread. Owner: result_fini.
 */
static inline struct result building_create(struct shape s)
{
    struct result r = {.schema = RESULT_SCHEMA, .alpha = 0.05, .margin = 0.05, .looks_planned = 1};
    r.narms = s.narms;
    r.arms = calloc(s.narms, sizeof *r.arms);
    r.dropped_at_look = calloc(s.narms, sizeof *r.dropped_at_look);
    for (size_t a = 0; a < s.narms; a++)
        r.arms[a].setting = (struct setting){.workers = (int)a, .threads = 1};
    r.ninvocations = s.ninvocations;
    r.invocations = calloc(s.ninvocations + 1, sizeof *r.invocations);
    for (size_t i = 0; i < s.ninvocations; i++) {
        struct invocation *inv = &r.invocations[i];
        inv->index = (int)i;
        inv->look = 1;
        inv->ntrials = s.narms;
        inv->trials = calloc(s.narms, sizeof *inv->trials);
        for (size_t a = 0; a < s.narms; a++) {
            struct trial *t = &inv->trials[a];
            t->arm = (int)a;
            t->start_ns = 5e6;
            t->first_batch_ns = NAN;
            t->nturns = (size_t)((s.blocks + 1) * s.turns);
            t->turns = calloc(t->nturns, sizeof *t->turns);
            for (size_t n = 0; n < t->nturns; n++) {
                t->turns[n] = result_turn_unknown();
                t->turns[n].block = (int)n / s.turns;
                t->turns[n].cost_ns = t->turns[n].item_ns = t->turns[n].cpu_ns = 1e6;
                t->turns[n].wall_ns = 1e7;
            }
        }
    }
    return r;
}

static inline struct turn *building_turn(struct result *r, size_t invocation, size_t arm, int block, int nth)
{
    struct trial *t = &r->invocations[invocation].trials[arm];
    for (size_t n = 0; n < t->nturns; n++)
        if (t->turns[n].block == block && nth-- == 0)
            return &t->turns[n];
    return NULL;
}

/* Multiplies the costs of an arm in one invocation, all its blocks. */
static inline void building_scale(struct result *r, size_t invocation, size_t arm, double factor)
{
    struct trial *t = &r->invocations[invocation].trials[arm];
    for (size_t n = 0; n < t->nturns; n++) {
        t->turns[n].cost_ns *= factor;
        t->turns[n].item_ns *= factor;
        t->turns[n].cpu_ns *= factor;
    }
}

/* Leaves an arm out of an invocation, as after it was dropped. */
static inline void building_absent(struct result *r, size_t invocation, size_t arm)
{
    struct invocation *inv = &r->invocations[invocation];
    for (size_t t = 0; t < inv->ntrials; t++)
        if (inv->trials[t].arm == (int)arm) {
            free(inv->trials[t].turns);
            memmove(&inv->trials[t], &inv->trials[t + 1], (inv->ntrials - t - 1) * sizeof *inv->trials);
            inv->ntrials--;
        }
}

#endif
