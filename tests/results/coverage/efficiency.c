/* Time to a decision on recorded noise: against the full grid, and against processes one after another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "results/stats/order_statistic.h"
#include "session.h"

/* The six arms measured beside the recordings: one thread in the main process, two threads there, 1, 2, 4 workers, 2
 * workers of 2 threads. */
static const double six[] = {1.00, 0.65, 1.01, 0.59, 0.60, 0.69};

/* Trials that tune measured against those of the full grid of as many invocations: the survivors' intervals are as
 * wide in both. And against the full grid of the three looks' invocations, which who wants the answer surely, but
 * must fix the number beforehand, has to run. */
static void against_grid(struct suite *s, struct session_noise noise)
{
    struct session session;
    session_init(&session, 6, noise);
    double spent = 0, same_width = 0, fixed = 0;
    size_t decided = 0;
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 9000, k);
        struct session_end end = session_run(&session, six, &rng);
        spent += end.arm_invocations;
        same_width += 6.0 * (double)end.invocations;
        fixed += 6.0 * (double)(session.first * 4);
        decided += end.state == CHOICE_DECIDED;
    }
    session_fini(&session);
    double runs = (double)s->replications;
    printf("| %s | %.0f %% | %.0f | %.2f | %.2f |\n", noise.name, 100 * (double)decided / runs, spent / runs,
           spent / same_width, spent / fixed);
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

void part_efficiency(struct suite *s, const struct recordings *r)
{
    printf("\n### Time to a decision\n\nSix arms, trials until tune ends:\n\n| noise | decided | trials, "
           "mean | of the full "
           "grid stopped at the same look | of the full grid planned beforehand |\n|---|---|---|---|---|\n");
    against_grid(s, (struct session_noise){.name = "turns_same_cpu.csv", .turns = &r->same_cpu, .scale = 1});
    against_grid(s, (struct session_noise){.name = "turns_any_cpu.csv", .turns = &r->any_cpu, .scale = 1});
    against_grid(s, (struct session_noise){.name = "quiet.csv", .rounds = &r->rounds[0], .scale = 1});
    against_grid(s, (struct session_noise){.name = "loaded.csv", .rounds = &r->rounds[2], .scale = 1});
    against_one_after_another(s, r);
}
