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

static size_t racing(const struct session *s)
{
    size_t n = 0;
    for (size_t a = 0; a < s->narms; a++)
        n += !s->dropped[a];
    return n;
}

/* Of an invocation with the arms in the race. */
static double price(const struct session *s)
{
    double sum = 0;
    for (size_t a = 0; a < s->narms; a++)
        sum += s->dropped[a] ? 0 : s->price_s[a];
    return sum;
}

void session_init(struct session *s, size_t narms, double budget_s, const double *price_s,
                  struct session_noise noise)
{
    *s = (struct session){.noise = noise, .narms = narms, .budget_s = budget_s, .price_s = price_s};
    s->dropped = calloc(narms, sizeof *s->dropped);
    s->first = stats_choice_smallest_n(0.05, LOOKS, narms);
    if (s->first < 6)
        s->first = 6;
    double least = INFINITY;
    for (size_t a = 0; a < narms; a++)
        least = fmin(least, price_s[a]);
    /* What the budget leaves after the first look, spent on the cheapest arm; the look after it need not fit. */
    s->most = s->first << (LOOKS - 1);
    s->most += (size_t)(fmax(0, budget_s - (double)s->first * price(s)) / least);
    s->result = building_create((struct shape){narms, s->most, BLOCKS, 1});
    s->result.looks_planned = LOOKS;
    for (size_t i = 0; i < s->result.ninvocations; i++)
        for (size_t a = 0; a < narms; a++)
            only_cost(&s->result.invocations[i].trials[a]);
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
            for (size_t a = 0; a < s->narms; a++) {
                struct turn *turn = &s->result.invocations[i].trials[a].turns[b];
                if (s->max_stall > 0) /* no swing: the median of two turns is their mean */
                    turn->stall_ratio = cost[a] * exp(effect[a]);
                else
                    turn->cost_ns = 1e6 * cost[a] * exp(effect[a] + met[a]);
            }
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
    double limit = s->max_stall > 0 ? s->max_stall : best * (1 + s->result.margin);
    end->state = c->state;
    end->bad = c->arm < 0 || cost[c->arm] > limit;
    end->smaller_was_good = false;
    for (int a = 0; a < c->arm; a++)
        end->smaller_was_good |= cost[a] <= limit;
}

/* Invocations at the look after one at n, as harness/session.c plans it: arms are taken to cost the same. At most what the
 * budget holds. before: arms that raced until then, and what an invocation took. */
static size_t next_look(const struct session *s, size_t n, int look, double spent_s, size_t before,
                        double took_s)
{
    double left = fmax(s->budget_s - spent_s, 0);
    double fit = (double)n + floor(left / (took_s * (double)racing(s) / (double)before));
    double next = floor(stats_design_next_look((double)n, fit, LOOKS - look));
    return (size_t)(s->budget_s > 0 ? fmin(next, (double)n + floor(left / price(s))) : next);
}

struct session_end session_run(struct session *s, const double *cost, struct counter_rng *rng)
{
    struct session_end end = {0};
    s->result.ninvocations = s->most;
    s->result.max_stall = s->max_stall;
    fill(s, cost, rng);
    for (size_t a = 0; a < s->narms; a++) {
        s->result.dropped_at_look[a] = 0;
        s->dropped[a] = false;
    }
    size_t n = s->first, before = 0;
    for (int look = 1; look <= LOOKS && end.state != CHOICE_DECIDED && n > before; look++) {
        size_t raced = racing(s);
        double took_s = price(s);
        end.spent_s += took_s * (double)(n - before);
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
            n = next_look(s, n, look, end.spent_s, raced, took_s);
    }
    return end;
}

void session_count(struct session_tally *t, const struct session_end *end)
{
    bool sure = end->state == CHOICE_DECIDED || end->state == CHOICE_TIED;
    tally_event(&t->wrong, sure && end->bad);
    tally_event(&t->statement, (sure && end->bad) || (end->state == CHOICE_DECIDED && end->smaller_was_good));
    tally_event(&t->decided, end->state == CHOICE_DECIDED);
    tally_event(&t->guess, end->bad);
}
