/* The pilot: what its invocations say of the noise and of time decides how the rest of the session is spent.
 *
 * Variances are those of comparisons (summary_components). In the pilot every arm has two turns in a block (ABBA, or a
 * row there and back), so that turns and blocks can be told apart. The plan is the square-root rule (stats_plan): blocks
 * an invocation, and so many units of the present turn's length in a block; a longer turn is taken to vary as the mean of
 * so many turns would. Then it shrinks until the first look comes at a quarter of the budget, since there are to be looks at
 * twice and four times as many invocations: limits from the sign test need many invocations more than they need exact
 * ones. No choice looks at which arm is fast. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "session.h"

enum { TURNS_IN_PILOT = 2, LONGER_MAX = 8 };

/* Timed part of all turns of an invocation's blocks, the warm-up left out. */
static double timed_ns(const struct invocation *inv)
{
    double sum = 0;
    for (size_t t = 0; t < inv->ntrials; t++)
        for (size_t n = 0; n < inv->trials[t].nturns; n++)
            sum += inv->trials[t].turns[n].block ? inv->trials[t].turns[n].wall_ns : 0;
    return sum;
}

static struct stats_price price(const struct session *s)
{
    double block = timed_ns(&s->r->invocations[s->r->ninvocations - 1]) / s->blocks;
    struct stats_price p = {.start_ns = s->invocation_cost_ns - s->blocks * s->block_cost_ns,
                            .turn_ns = block / TURNS_IN_PILOT};
    p.block_ns = fmax(0, s->block_cost_ns - block);
    if (s->together != 2) /* from here on one turn in a block */
        p.block_ns /= TURNS_IN_PILOT;
    return p;
}

static double invocation_ns(const struct stats_price *p, const struct stats_plan *plan)
{
    return p->start_ns + plan->blocks * (p->block_ns + plan->turns * p->turn_ns);
}

/* Shorter turns first, then fewer blocks, until those who are still to come before the first look fit into its part. */
static void fit_budget(const struct session *s, const struct stats_price *p, int least_turns,
                       struct stats_plan *plan)
{
    if (s->cfg->invocations || s->r->budget_ns <= 0)
        return;
    double part = s->r->budget_ns / (1 << (s->r->looks_planned - 1));
    double left = 0.95 * part - (double)(clock_now_ns() - s->began_ns);
    double each = left / fmax(1, s->next_look_at - s->valid);
    while (invocation_ns(p, plan) > each && (plan->turns > least_turns || plan->blocks > 1))
        *(plan->turns > least_turns ? &plan->turns : &plan->blocks) -= 1;
}

/* Turns of a length that was asked for: blocks alone are to be chosen. */
static struct stats_plan plan_blocks(const struct stats_components *c, const struct stats_price *p, int turns)
{
    struct stats_components whole = *c;
    struct stats_price price = {.start_ns = p->start_ns, .turn_ns = p->block_ns + turns * p->turn_ns};
    whole.block += whole.turn / turns;
    whole.turn = 0;
    return stats_plan(&whole, &price, LONGER_MAX);
}

static double now_over(const struct stats_components *c, const struct stats_price *p, int blocks, int turns,
                       const struct stats_plan *plan)
{
    struct stats_plan now = {.blocks = blocks, .turns = turns};
    return stats_plan_variance(c, 1, blocks, turns) * invocation_ns(p, &now) /
           (stats_plan_variance(c, 1, plan->blocks, plan->turns) * invocation_ns(p, plan));
}

bool session_pilot_is_over(const struct session *s)
{
    return s->pilot && s->valid == PILOT_INVOCATIONS;
}

/* Turns of an arm in a block, from the pilot on. */
static int turns_in_block(const struct session *s)
{
    return s->together == 2 ? TURNS_IN_PILOT : 1;
}

void session_pilot_apply(struct session *s, const struct pilot *p)
{
    const struct stats_price price = {
        .start_ns = p->start_ns, .block_ns = p->block_ns, .turn_ns = p->turn_ns};
    struct stats_plan plan = {.blocks = p->blocks,
                              .turns = (int)lround(turns_in_block(s) * p->target_ns / s->target_ns)};
    s->pilot = false;
    s->target_ns = p->target_ns;
    s->blocks = s->design.blocks = p->blocks;
    s->design.first_invocation = s->invocation;
    s->invocation_cost_ns = invocation_ns(&price, &plan);
}

int session_pilot_end(struct session *s, struct err *err)
{
    s->pilot = false;
    bool *in_race = calloc(s->r->narms, sizeof *in_race);
    if (!in_race)
        return err_set(err, -ENOMEM, "out of memory for the pilot of %zu arms", s->r->narms);
    for (size_t k = 0; k < s->nracing; k++)
        in_race[s->racing[k]] = true;
    struct stats_components c;
    int rc = summary_components(s->r, in_race, &c, err);
    free(in_race);
    if (rc || c.invocations < 2)
        return rc;
    struct stats_price p = price(s);
    int turns = turns_in_block(s);
    struct stats_plan plan =
        s->cfg->turn_ns > 0 ? plan_blocks(&c, &p, turns) : stats_plan(&c, &p, LONGER_MAX);
    if (plan.turns < turns)
        plan.turns = turns;
    fit_budget(s, &p, turns, &plan);
    double gain = now_over(&c, &p, s->blocks, turns, &plan);
    s->r->pilot = (struct pilot){.invocations = s->valid,
                                 .invocation_variance = c.invocation,
                                 .block_variance = c.block,
                                 .turn_variance = c.turn,
                                 .start_ns = p.start_ns,
                                 .block_ns = p.block_ns,
                                 .turn_ns = p.turn_ns,
                                 .gain = isfinite(gain) ? gain : 1,
                                 .target_ns = s->target_ns * plan.turns / turns,
                                 .blocks = plan.blocks};
    session_pilot_apply(s, &s->r->pilot);
    return s->cfg->writer ? result_writer_pilot(s->cfg->writer, &s->r->pilot, err) : 0;
}
