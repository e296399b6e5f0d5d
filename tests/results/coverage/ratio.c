/* The ratio of two arms that take turns, at a fixed number of invocations and with stops at three looks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "building.h"
#include "parts.h"
#include "results/stats/design.h"
#include "results/summary.h"

enum { BLOCKS = 6, TURNS = 2, SLOTS = 4, MOST = 48 };

/* What the arms share: a series over all slots when the noise remembers, else a swing of each block. What they do
 * not: an effect of each invocation, of the noise's own shape when it is independent. */
static void fill(struct result *r, const struct noise *noise, struct counter_rng *rng, double ln_ratio)
{
    static double series[MOST * BLOCKS * SLOTS];
    double own[2][MOST];
    bool independent = noise_is_independent(noise);
    size_t n = r->ninvocations;
    if (!independent)
        noise_draw(noise, rng, series, n * BLOCKS * SLOTS);
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < n; i++)
            own[a][i] = independent ? 0 : 0.03 * counter_rng_normal(rng);
    for (int a = 0; independent && a < 2; a++)
        noise_draw(noise, rng, own[a], n);

    struct stats_design design = {.seed = counter_rng_u64(rng), .blocks = BLOCKS};
    static const int arms[2] = {0, 1};
    for (size_t i = 0; i < n; i++)
        for (int b = 1; b <= BLOCKS; b++) {
            int order[SLOTS], taken[2] = {0};
            stats_design_block(&design, (int)i, b, arms, 2, order);
            double swing = independent ? 0.2 * counter_rng_normal(rng) : 0;
            for (int s = 0; s < SLOTS; s++) {
                int a = order[s];
                double common =
                    independent ? swing : series[(i * BLOCKS + (size_t)b - 1) * SLOTS + (size_t)s];
                double turn = noise->kind == NOISE_CONSTANT ? 0 : 0.05 * counter_rng_normal(rng);
                r->invocations[i].trials[a].turns[b * TURNS + taken[a]++].cost_ns =
                    1e6 * exp(common + own[a][i] + turn + a * ln_ratio);
            }
        }
}

/* A window of a recorded session, a and b swapped in each invocation or not, b made slower. */
static void fill_recorded(struct result *r, const struct recorded_turns *rec, struct counter_rng *rng,
                          double ln_ratio)
{
    size_t from = counter_rng_below(rng, RECORDED_ROUNDS);
    for (size_t i = 0; i < r->ninvocations; i++) {
        size_t at = (from + i) % RECORDED_ROUNDS;
        int swap = (int)counter_rng_below(rng, 2);
        for (int b = 0; b < RECORDED_BLOCKS; b++)
            for (int a = 0; a < 2; a++)
                for (int t = 0; t < TURNS; t++)
                    r->invocations[i].trials[a].turns[(b + 1) * TURNS + t].cost_ns =
                        exp(rec->ln[at][b][a ^ swap][t] + a * ln_ratio);
    }
}

/* Two groups of a recorded session, each a window of its own: the shared arm 0 against arm 1, then against arm 2, which is
 * made slower; in each the two recorded arms are swapped or not. */
static void fill_groups(struct result *r, const struct recorded_turns *rec, struct counter_rng *rng,
                        double ln_ratio)
{
    size_t from[2] = {counter_rng_below(rng, RECORDED_ROUNDS), counter_rng_below(rng, RECORDED_ROUNDS)};
    for (size_t i = 0; i < r->ninvocations; i++)
        for (int g = 0; g < 2; g++) {
            size_t at = (from[g] + i) % RECORDED_ROUNDS;
            int swap = (int)counter_rng_below(rng, 2);
            for (int k = 0; k < RECORDED_BLOCKS * TURNS; k++) {
                struct turn *shared = r->invocations[i].trials[0].turns,
                            *own = r->invocations[i].trials[1 + g].turns;
                shared[(g * RECORDED_BLOCKS + 1) * TURNS + k].cost_ns =
                    exp(rec->ln[at][k / TURNS][swap][k % TURNS]);
                own[TURNS + k].cost_ns = exp(rec->ln[at][k / TURNS][1 ^ swap][k % TURNS] + g * ln_ratio);
            }
        }
}

struct source {
    const struct noise *noise;
    const struct recorded_turns *recorded; /* instead of noise */
    bool groups;                           /* of recorded turns: two groups that share arm 0 */
};

static void draw(struct result *r, struct source from, struct counter_rng *rng, double ln_ratio)
{
    if (from.groups)
        fill_groups(r, from.recorded, rng, ln_ratio);
    else if (from.recorded)
        fill_recorded(r, from.recorded, rng, ln_ratio);
    else
        fill(r, from.noise, rng, ln_ratio);
}

/* Arm 0 with a trial in both groups; arm 1 in the first, arm 2 in the second. */
static struct result make_groups(size_t n)
{
    struct result r = building_create((struct shape){3, n, 2 * RECORDED_BLOCKS, TURNS});
    for (size_t i = 0; i < n; i++)
        for (int g = 0; g < 2; g++) {
            struct trial *own = &r.invocations[i].trials[1 + g];
            own->nturns = (RECORDED_BLOCKS + 1) * TURNS;
            for (size_t k = TURNS; k < own->nturns; k++)
                own->turns[k].block = g * RECORDED_BLOCKS + (int)k / TURNS;
        }
    return r;
}

static struct result make(struct source from, size_t n)
{
    if (from.groups)
        return make_groups(n);
    return building_create((struct shape){2, n, from.recorded ? RECORDED_BLOCKS : BLOCKS, TURNS});
}

static const char *name_of(struct source from, char *buffer, size_t size)
{
    if (!from.recorded)
        return from.noise->name;
    snprintf(buffer, size, "%s.csv", from.recorded->name);
    return buffer;
}

/* Arms of two groups were never alive together: they are compared through the one that both share. */
static void fixed_row(struct suite *s, struct source from, size_t n, double ratio)
{
    int slower = from.groups ? 2 : 1;
    struct tally t = {.misses = malloc(s->replications * sizeof(double))};
    struct result r = make(from, n);
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, (from.groups ? 3500 : 2000) + n, k);
        draw(&r, from, &rng, log(ratio));
        struct estimate e = summary_ratio(&r, slower, slower - 1, METRIC_COST_NS, 0.95);
        tally_interval(&t, e.ci.known, log(e.ci.low), log(e.ci.high), log(e.value), log(ratio));
    }
    char what[64], name[64];
    snprintf(what, sizeof what, "%s%zu invocations, ratio %g", from.groups ? "two groups, " : "", n, ratio);
    report_row(s, name_of(from, name, sizeof name), what, 0.95, ROW_AT_LEAST, 0.94, &t);
    result_fini(&r);
    free(t.misses);
}

/* The worst way to stop: at the first of three looks whose interval does not hold the truth. Hit: none did. */
static void looks_row(struct suite *s, struct source from, size_t first)
{
    struct tally t = {0};
    struct result r = make(from, 4 * first);
    r.looks_planned = 3;
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 3000 + first, k);
        r.ninvocations = 4 * first;
        draw(&r, from, &rng, log(1.03));
        bool covered = true;
        for (size_t n = first; n <= 4 * first; n *= 2) {
            r.ninvocations = n;
            struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
            covered &= !e.ci.known || (e.ci.low <= 1.03 * (1 + 1e-9) && e.ci.high >= 1.03 * (1 - 1e-9));
        }
        tally_event(&t, covered);
    }
    r.ninvocations = 4 * first;
    char what[64], name[64];
    snprintf(what, sizeof what, "looks at %zu, %zu, %zu, worst stop", first, 2 * first, 4 * first);
    report_row(s, name_of(from, name, sizeof name), what, 0.95, ROW_AT_LEAST, 0.94, &t);
    result_fini(&r);
}

void part_ratio(struct suite *s, const struct recordings *rec)
{
    static const double shifts[] = {1, 1.03, 1.05, 1.10};
    report_title("The ratio of two arms within blocks (95 %)", "covered");
    for (const struct noise *noise = noise_made; noise->name; noise++) {
        struct source from = {.noise = noise};
        if (!s->is_short)
            fixed_row(s, from, 8, 1.03);
        fixed_row(s, from, 24, 1.03);
        looks_row(s, from, 9);
    }
    const struct recorded_turns *files[] = {&rec->same_cpu, &rec->any_cpu, &rec->slower};
    for (int f = 0; f < 3; f++) {
        struct source from = {.recorded = files[f]};
        for (int i = 0; i < 4; i++)
            if (!s->is_short || i == 2)
                fixed_row(s, from, 24, shifts[i]);
        looks_row(s, from, 9);
        from.groups = true;
        fixed_row(s, from, 24, 1.05);
    }
}
