/* Whole tuning sessions: looks, elimination, the choice; how often it is wrong and what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "session.h"

static const struct {
    const char *name;
    double cost[6]; /* of arms by size, the smallest first */
} profiles[] = {
    {"ladder", {1.6, 1.3, 1.12, 1.02, 1.0, 1.0}},
    {"all but the largest just bad", {1.0501, 1.0501, 1.0501, 1.0501, 1.0501, 1.0}},
    {"the smallest just good", {1.0499, 1.2, 1.1, 1.0501, 1.0501, 1.0}},
    /* Were the best dropped for being slower than a smaller one, the worst would seem good enough. */
    {"the largest best by 3 %", {1.0520, 1.03, 1.03, 1.03, 1.03, 1.0}},
};

/* Trials: tune's default of 60 s with starts and turns of 0.15 s. The looks then depend on how many arms are left. */
static const double budgets[] = {0, 400};

static void rows(struct suite *s, struct session_noise noise, double budget, size_t profile)
{
    struct tally wrong = {0}, statement = {0}, guess = {0}, decided = {0};
    double looks = 0;
    struct session session;
    session_init(&session, 6, budget, noise);
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 8000 + profile, k);
        struct session_end end = session_run(&session, profiles[profile].cost, &rng);
        bool sure = end.state == CHOICE_DECIDED || end.state == CHOICE_TIED;
        tally_event(&wrong, sure && end.bad);
        tally_event(&statement, (sure && end.bad) || (end.state == CHOICE_DECIDED && end.smaller_was_good));
        tally_event(&decided, end.state == CHOICE_DECIDED);
        tally_event(&guess, end.bad);
        looks += end.looks;
    }
    session_fini(&session);
    char what[160];
    const char *looks_at = budget > 0 ? " (looks by budget)" : "";
    snprintf(what, sizeof what, "%s%s: wrong choice", profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &wrong);
    snprintf(what, sizeof what, "%s%s: choice or \"none smaller\" wrong", profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &statement);
    if (s->is_short)
        return;
    snprintf(what, sizeof what, "%s%s: decided (%.1f looks on average)", profiles[profile].name, looks_at,
             looks / (double)s->replications);
    report_row(s, noise.name, what, 0, ROW_SHOWN, 0, &decided);
    snprintf(what, sizeof what, "%s%s: wrong, best guesses of undecided runs included",
             profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0, ROW_SHOWN, 0, &guess);
}

void part_tune(struct suite *s, const struct recordings *r)
{
    report_title("The choice of tune: 6 arms, margin 5 %, alpha 5 %, three looks", "happened");
    const struct session_noise noises[] = {
        {.name = "normal 1 %", .made = &noise_made[0], .scale = 0.1},
        {.name = "normal 5 %", .made = &noise_made[0], .scale = 0.5},
        {.name = "Pareto against a steady best",
         .made = &noise_made[2],
         .scale = 0.3,
         .best_is_steady = true},
        {.name = "bimodal", .made = &noise_made[3], .scale = 0.2},
        {.name = "quiet.csv, drawn by round", .rounds = &r->rounds[0], .scale = 1},
        {.name = "loaded.csv, drawn by round", .rounds = &r->rounds[2], .scale = 1},
        {.name = "turns_same_cpu.csv", .turns = &r->same_cpu, .scale = 1},
        {.name = "turns_any_cpu.csv", .turns = &r->any_cpu, .scale = 1},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
                if (!s->is_short || (b == 0 && p == 1) || i == 0)
                    rows(s, noises[i], budgets[b], p);
}
