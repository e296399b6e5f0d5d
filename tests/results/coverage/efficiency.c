/* Time to a decision on recorded noise: against the full grid, and against processes one after another. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "results/stats/choice.h"
#include "results/stats/order_statistic.h"
#include "session.h"

/* The six arms measured beside the recordings: one thread in the main process, two threads there, 1, 2, 4 workers, 2
 * workers of 2 threads. */
static const double six[] = {1.00, 0.65, 1.01, 0.59, 0.60, 0.69};

enum { LOOKS = 3, GOOD = 2 }; /* GOOD: arms within the margin of the best, which no look may drop for that */

/* Trials in tune's default budget of 60 s: starts and turns of the reference result took 0.11 to 0.19 s each. */
static const double default_budget = 60 / 0.15;

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

/* Trials that tune measured against those of grids that measure all arms to the end:
 * the same invocations, so that the arms left are known as sharply; one that knew beforehand when to stop, and so needs a
 * single look and all of alpha for it; one of the last look's invocations, for who must fix the number beforehand and
 * wants to be as sure of an answer. And the least that an elimination could take which assumes nothing of the shape of
 * noise, and so cannot drop an arm before the first look: the bad arms leave all there. */
static void against_grid(struct suite *s, double budget, struct session_noise noise)
{
    struct session session;
    session_init(&session, 6, budget, noise);
    double spent = 0, same = 0, single = 0, fixed = 0, least = 0;
    size_t decided = 0;
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 9000, k);
        struct session_end end = session_run(&session, six, &rng);
        spent += end.arm_invocations;
        same += 6.0 * (double)end.invocations;
        single += 6.0 * (double)one_look(end.invocations, 6);
        fixed += budget > 0 ? budget : 6.0 * (double)(session.first * 4);
        least += 6.0 * (double)session.first + GOOD * (double)(end.invocations - session.first);
        decided += end.state == CHOICE_DECIDED;
    }
    session_fini(&session);
    double runs = (double)s->replications;
    printf("| %s | %.0f %% | %.0f | %.2f (least possible %.2f) | %.2f | %.2f |\n", noise.name,
           100 * (double)decided / runs, spent / runs, spent / same, least / same, spent / single,
           spent / fixed);
    s->rows++;
    s->failed |= spent > 1.75 * least || spent < least; /* elimination works, and by the rules */
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

static void against_grids(struct suite *s, double budget, const struct recordings *r)
{
    printf("| noise | decided | trials, mean | of the full grid stopped at the same look | of one that knew "
           "when to "
           "stop | of one planned for the last look |\n|---|---|---|---|---|---|\n");
    const struct session_noise noises[] = {
        {.name = "turns_same_cpu.csv", .turns = &r->same_cpu, .scale = 1},
        {.name = "turns_any_cpu.csv", .turns = &r->any_cpu, .scale = 1},
        {.name = "quiet.csv", .rounds = &r->rounds[0], .scale = 1},
        {.name = "loaded.csv", .rounds = &r->rounds[2], .scale = 1},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        against_grid(s, budget, noises[i]);
}

void part_efficiency(struct suite *s, const struct recordings *r)
{
    printf("\n### Time to a decision\n\nSix arms, trials until tune ends, looks at %d, %d and %d "
           "invocations:\n\n",
           10, 20, 40);
    against_grids(s, 0, r);
    printf("\nThe same with the budget of 60 s that tune has by default, %.0f trials:\n\n", default_budget);
    against_grids(s, default_budget, r);
    against_one_after_another(s, r);
}
