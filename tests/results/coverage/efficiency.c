/* Time to a decision on recorded noise: against the full grid, and against processes one after another. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "results/stats/choice.h"
#include "results/stats/order_statistic.h"
#include "session.h"

enum { LOOKS = 3, DEFAULT_BUDGET_S = 60 };

struct grid {
    const char *name;
    size_t narms;
    double cost[10];    /* of arms by size, the smallest first */
    double price_s[10]; /* of a trial, its share of the pauses and untimed parts included */
};

/* Prices are those of a session of tune on two CPUs with its default budget: start and timed turns of each setting, times
 * 1.57, which makes its trials the 60 s that they took. */

/* Costs measured beside the recordings: one thread in the main process, two threads there, 1, 2, 4 workers, 2 workers of 2
 * threads. */
static const struct grid six = {
    "Six arms", 6, {1.00, 0.65, 1.01, 0.59, 0.60, 0.69}, {0.23, 0.17, 0.24, 0.22, 0.30, 0.26}};

/* What tune tries by default on two CPUs, 0 to 4 workers with one thread and with two: costs in ms of that session. */
static const struct grid ten = {"Ten arms",
                                10,
                                {9.84, 4.97, 9.90, 5.07, 5.01, 6.4, 7.33, 5.8, 5.03, 6.1},
                                {0.23, 0.17, 0.24, 0.18, 0.22, 0.26, 0.25, 0.30, 0.30, 0.30}};

/* Half-width of a limit of n values at a one-sided level, in standard deviations of normal noise; infinite when there is
 * none. */
static double reach(size_t n, double alpha)
{
    size_t rank = stats_median_rank(n, alpha);
    return rank ? gsl_cdf_ugaussian_Qinv((double)rank / (double)(n + 1)) : INFINITY;
}

/* Invocations of a grid with a single look whose limits reach no further than those of a look of three at n. */
static size_t one_look(size_t n, size_t narms)
{
    double wanted = reach(n, stats_choice_alpha(0.05, LOOKS, narms));
    size_t m = 1;
    while (m < n && reach(m, stats_choice_alpha(0.05, 1, narms)) > wanted)
        m++;
    return m;
}

/* Time of an invocation of all arms, and of the two cheapest. */
static double price_of(const struct grid *g, double *two)
{
    double sum = 0, first = INFINITY, second = INFINITY;
    for (size_t a = 0; a < g->narms; a++) {
        double p = g->price_s[a];
        sum += p;
        second = fmin(second, fmax(first, p));
        first = fmin(first, p);
    }
    *two = first + second;
    return sum;
}

/* Time that tune took against that of grids that measure all arms to the end: the same invocations, so that the arms left
 * are known as sharply; one that knew beforehand when to stop, and so needs a single look and all of alpha for it; one of
 * the last look's invocations, for who must fix the number beforehand and wants to be as sure of an answer. And the least
 * that an elimination could take which assumes nothing of the shape of noise, and so cannot drop an arm before the first
 * look: all but the two cheapest leave there. half: tune has to stay below half of the grid at the same look. */
static void against_grid(struct suite *s, const struct grid *grid, double budget_s, bool half,
                         struct session_noise noise)
{
    struct session session;
    double two, all = price_of(grid, &two);
    session_init(&session, grid->narms, budget_s, grid->price_s, noise);
    double spent = 0, same = 0, single = 0, fixed = 0, least = 0;
    size_t decided = 0;
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 9000, k);
        struct session_end end = session_run(&session, grid->cost, &rng);
        spent += end.spent_s;
        same += all * (double)end.invocations;
        single += all * (double)one_look(end.invocations, grid->narms);
        fixed += budget_s > 0 ? budget_s : all * (double)(session.first * 4);
        least += all * (double)session.first + two * (double)(end.invocations - session.first);
        decided += end.state == CHOICE_DECIDED;
    }
    double runs = (double)s->replications;
    bool settled =
        spent < 1.3 * runs * all * (double)session.first; /* most at the first look: nothing to eliminate */
    bool failed = spent < 0.999 * least || (half && !settled && spent > 0.5 * same) || spent > 0.99 * same;
    session_fini(&session);
    printf("| %s | %.0f %% | %.0f s | %.2f (least possible %.2f)%s | %.2f | %.2f |\n", noise.name,
           100 * (double)decided / runs, spent / runs, spent / same, least / same, failed ? " BROKEN" : "",
           spent / single, spent / fixed);
    s->rows++;
    s->failed |= failed;
}

/* Mean half-width of the 95 % interval of n values drawn from x[length]. */
static double half_width(const double *x, size_t length, size_t n, size_t replications, uint64_t seed)
{
    double *draw = malloc(n * sizeof *draw), sum = 0;
    for (size_t k = 0; k < replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, seed, 9500, k);
        for (size_t i = 0; i < n; i++)
            draw[i] = x[counter_rng_below(&rng, (uint32_t)length)];
        stats_sort(draw, n);
        struct interval ci = stats_median_interval(draw, n, 0.95);
        sum += (ci.high - ci.low) / 2 / (double)replications;
    }
    free(draw);
    return sum;
}

/* Values until the half-width is at most `wanted` (by doubling and halving of the step). */
static size_t needed(const double *x, size_t length, double wanted, size_t replications, uint64_t seed)
{
    size_t n = 8;
    while (n < 100000 && half_width(x, length, n, replications, seed) > wanted)
        n *= 2;
    size_t low = n / 2;
    while (n - low > 1 + n / 50) {
        size_t middle = (low + n) / 2;
        if (half_width(x, length, middle, replications, seed) > wanted)
            low = middle;
        else
            n = middle;
    }
    return n;
}

/* Processes one after another: a's whole trial in one invocation against b's in the next. */
static void pair_trials(const struct recorded_turns *rec, double pairs[RECORDED_ROUNDS - 1])
{
    double arm[2][RECORDED_ROUNDS];
    for (int i = 0; i < RECORDED_ROUNDS; i++)
        for (int a = 0; a < 2; a++) {
            double turns[2 * RECORDED_BLOCKS];
            for (int b = 0; b < RECORDED_BLOCKS; b++)
                for (int t = 0; t < 2; t++)
                    turns[2 * b + t] = rec->ln[i][b][a][t];
            arm[a][i] = stats_median(turns, 2 * RECORDED_BLOCKS);
        }
    for (int i = 0; i + 1 < RECORDED_ROUNDS; i++)
        pairs[i] = arm[1][i + 1] - arm[0][i];
}

static void against_one_after_another(struct suite *s, const struct recordings *r)
{
    double turns[RECORDED_ROUNDS - 1], rounds[RECORDED_ROUNDS - 1];
    pair_trials(&r->same_cpu, turns);
    for (int i = 0; i + 1 < RECORDED_ROUNDS; i++)
        rounds[i] = r->rounds[0].ln[0][i + 1] - r->rounds[0].ln[0][i];
    double by_turns = (double)needed(r->same_cpu.ratio, RECORDED_ROUNDS, 0.01, s->replications, s->seed);
    double apart = (double)needed(turns, RECORDED_ROUNDS - 1, 0.01, s->replications, s->seed);
    double fresh = (double)needed(rounds, RECORDED_ROUNDS - 1, 0.01, s->replications, s->seed);
    printf("\nTwo equal arms to a half-width of 1 %%, two processes each time:\n\n| how | times | share of "
           "the time that "
           "turns need |\n|---|---|---|\n| by turns (turns_same_cpu.csv) | %.0f | 1 |\n| one after another, "
           "of the same "
           "file | %.0f | %.2f |\n| one after another (quiet.csv, 1x1) | %.0f | %.2f |\n",
           by_turns, apart, apart / by_turns, fresh, fresh / by_turns);
    s->rows++;
    s->failed |= by_turns > fresh / 4;
}

static void against_grids(struct suite *s, const struct grid *grid, double budget_s, bool half,
                          const struct recordings *r)
{
    size_t first = stats_choice_smallest_n(0.05, LOOKS, grid->narms);
    if (budget_s > 0)
        printf("\n%s, with a budget of %g s%s:\n\n", grid->name, budget_s,
               budget_s == DEFAULT_BUDGET_S ? ", the default of tune" : "");
    else
        printf("\n%s, looks at %zu, %zu and %zu invocations:\n\n", grid->name, first, 2 * first, 4 * first);
    printf("| noise | decided | time, mean | of the full grid stopped at the same look | of one that knew "
           "when to "
           "stop | of one planned for the last look |\n|---|---|---|---|---|---|\n");
    const struct session_noise noises[] = {
        {.name = "turns_same_cpu.csv", .turns = &r->same_cpu, .scale = 1},
        {.name = "turns_any_cpu.csv", .turns = &r->any_cpu, .scale = 1},
        {.name = "quiet.csv", .rounds = &r->rounds[0], .scale = 1},
        {.name = "loaded.csv", .rounds = &r->rounds[2], .scale = 1},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        against_grid(s, grid, budget_s, half, noises[i]);
}

void part_efficiency(struct suite *s, const struct recordings *r)
{
    const struct grid *const grids[] = {&six, &ten};
    printf("\n### Time to a decision\n\nTime until tune ends, over that of full grids.\n");
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        against_grids(s, grids[i], 0, false, r);
        against_grids(s, grids[i], DEFAULT_BUDGET_S, false, r);
        against_grids(s, grids[i], 180, grids[i] == &ten, r);
    }
    against_one_after_another(s, r);
}
