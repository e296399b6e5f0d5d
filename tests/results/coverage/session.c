/* Draws all invocations of a session, then looks at them as the harness would. */
#include "session.h"

#include <math.h>
#include <stdlib.h>

#include "building.h"
#include "results/stats/choice.h"
#include "results/stats/design.h"

enum { LOOKS = 3, BLOCKS = 2, MOST_ARMS = 16 };

/* What is not simulated is not known: no time is spent on its intervals. */
static void only_cost(struct trial *t)
{
    t->start_ns = NAN;
    for (size_t n = 0; n < t->nturns; n++)
        t->turns[n].item_ns = t->turns[n].cpu_ns = NAN;
}

void session_init(struct session *s, size_t narms, double budget, struct session_noise noise)
{
    *s = (struct session){.noise = noise, .narms = narms, .budget = budget};
    s->first = stats_choice_smallest_n(0.05, LOOKS, narms);
    if (s->first < 6)
        s->first = 6;
    /* What the budget leaves after the first look, spent on a single arm; the look after it need not fit. */
    s->most = s->first << (LOOKS - 1);
    if (budget > (double)(s->first * narms))
        s->most += (size_t)budget - s->first * narms;
    s->result = building_create((struct shape){narms, s->most, BLOCKS, 1});
    s->result.looks_planned = LOOKS;
    for (size_t i = 0; i < s->result.ninvocations; i++)
        for (size_t a = 0; a < narms; a++)
            only_cost(&s->result.invocations[i].trials[a]);
    s->dropped = calloc(narms, sizeof *s->dropped);
}

void session_fini(struct session *s)
{
    s->result.ninvocations = s->most;
    result_fini(&s->result);
    free(s->dropped);
}

/* Effects of one invocation on all arms. */
static void draw_invocation(const struct session *s, struct counter_rng *rng, double *effect)
{
    const struct session_noise *n = &s->noise;
    double sign = counter_rng_below(rng, 2) ? 1 : -1;
    size_t round = counter_rng_below(rng, RECORDED_ROUNDS);
    size_t column = counter_rng_below(rng, RECORDED_CONFIGURATIONS);
    for (size_t a = 0; a < s->narms; a++) {
        if (n->made)
            noise_draw(n->made, rng, &effect[a], 1);
        else if (n->rounds) /* two arms share a column when there are more arms than columns */
            effect[a] = sign * n->rounds->ln[(column + a) % RECORDED_CONFIGURATIONS][round];
        else
            effect[a] = (counter_rng_below(rng, 2) ? 1 : -1) *
                        n->turns->ratio[counter_rng_below(rng, RECORDED_ROUNDS)] / sqrt(2);
        effect[a] *= n->scale;
    }
    if (n->best_is_steady)
        effect[s->narms - 1] = 0;
}

/* What each arm meets in a block: one swing, or its slot's part of the series; and noise of its turn. */
static void draw_block(const struct session *s, struct counter_rng *rng, int i, int block,
                       const double *series, double *met)
{
    static const int arms[MOST_ARMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int order[MOST_ARMS];
    if (!s->noise.shared) {
        double swing = 0.2 * counter_rng_normal(rng);
        for (size_t a = 0; a < s->narms; a++)
            met[a] = swing;
        return;
    }
    struct stats_design design = {.seed = 1, .blocks = BLOCKS};
    if (stats_design_block(&design, i, block, arms, s->narms, order) < 0)
        abort();
    for (size_t slot = 0; slot < s->narms; slot++)
        met[order[slot]] =
            series[((size_t)(i * BLOCKS + block) - 1) * s->narms + slot] + 0.01 * counter_rng_normal(rng);
}

static void fill(struct session *s, const double *cost, struct counter_rng *rng)
{
    double *series = calloc(s->most * BLOCKS * s->narms, sizeof *series);
    double effect[MOST_ARMS], met[MOST_ARMS];
    if (!series)
        abort();
    if (s->noise.shared)
        noise_draw(s->noise.shared, rng, series, s->result.ninvocations * BLOCKS * s->narms);
    for (size_t i = 0; i < s->result.ninvocations; i++) {
        draw_invocation(s, rng, effect);
        for (int b = 1; b <= BLOCKS; b++) {
            draw_block(s, rng, (int)i, b, series, met);
            for (size_t a = 0; a < s->narms; a++)
                s->result.invocations[i].trials[a].turns[b].cost_ns = 1e6 * cost[a] * exp(effect[a] + met[a]);
        }
        for (size_t a = 0; a < s->narms; a++)
            s->result.invocations[i].trials[a].arm = (int)a;
    }
    free(series);
}

/* From `from` on, dropped arms are no longer there. */
static void drop(struct session *s, int look, size_t from)
{
    for (size_t a = 0; a < s->narms; a++) {
        if (s->dropped[a] && !s->result.dropped_at_look[a])
            s->result.dropped_at_look[a] = look;
        for (size_t i = from; s->dropped[a] && i < s->most; i++)
            s->result.invocations[i].trials[a].arm = -1;
    }
}

static void judge(const struct session *s, const double *cost, const struct choice *c,
                  struct session_end *end)
{
    double best = INFINITY;
    for (size_t a = 0; a < s->narms; a++)
        best = fmin(best, cost[a]);
    double limit = best * (1 + s->result.margin);
    end->state = c->state;
    end->bad = c->arm < 0 || cost[c->arm] > limit;
    end->smaller_was_good = false;
    for (int a = 0; a < c->arm; a++)
        end->smaller_was_good |= cost[a] <= limit;
}

static size_t racing(const struct session *s)
{
    size_t n = 0;
    for (size_t a = 0; a < s->narms; a++)
        n += !s->dropped[a];
    return n;
}

/* Invocations at the look after one at n, as harness/session.c plans it; at most what the budget holds. */
static size_t next_look(const struct session *s, size_t n, int look, double spent)
{
    double fit = (double)n + floor(fmax(s->budget - spent, 0) / (double)racing(s));
    double next = floor(stats_design_next_look((double)n, fit, LOOKS - look));
    return (size_t)(s->budget > 0 ? fmin(next, fit) : next);
}

struct session_end session_run(struct session *s, const double *cost, struct counter_rng *rng)
{
    struct session_end end = {0};
    s->result.ninvocations = s->most;
    fill(s, cost, rng);
    for (size_t a = 0; a < s->narms; a++) {
        s->result.dropped_at_look[a] = 0;
        s->dropped[a] = false;
    }
    size_t n = s->first, before = 0;
    for (int look = 1; look <= LOOKS && end.state != CHOICE_DECIDED && n > before; look++) {
        end.arm_invocations += (double)(racing(s) * (n - before));
        s->result.ninvocations = before = n;
        struct choice c;
        if (summary_look(&s->result, look, s->dropped, &c, NULL) < 0)
            abort();
        judge(s, cost, &c, &end);
        choice_fini(&c);
        drop(s, look, n);
        end.looks = look;
        end.invocations = n;
        if (look < LOOKS)
            n = next_look(s, n, look, end.arm_invocations);
    }
    return end;
}
