/* tune --max-stall: the smallest setting that keeps the consumer waiting for at most a share of the time. */
#include <stdio.h>

#include "parts.h"
#include "session.h"

static const double most = 0.01;
static const struct {
    const char *name;
    double stall[6]; /* of arms by size, the smallest first */
} profiles[] = {
    {"ladder", {0.3, 0.1, 0.02, 0.0095, 0.004, 0.001}},
    {"all but the largest just too long", {0.01001, 0.01001, 0.01001, 0.01001, 0.01001, 0.005}},
    {"the smallest just short enough", {0.00999, 0.02, 0.02, 0.01001, 0.01001, 0.002}},
    {"all too long", {0.01001, 0.01001, 0.01001, 0.01001, 0.01001, 0.01001}},
};
static const double price_s[] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2};

static void rows(struct suite *s, struct session_noise noise, size_t profile)
{
    struct session_tally said = {0};
    struct session session;
    session_init(&session, 6, 0, price_s, noise);
    session.max_stall = most;
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 8500 + profile, k);
        struct session_end end = session_run(&session, profiles[profile].stall, &rng);
        session_count(&said, &end);
    }
    session_fini(&session);
    char what[160];
    snprintf(what, sizeof what, "%s: wrong choice", profiles[profile].name);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &said.wrong);
    snprintf(what, sizeof what, "%s: choice or \"none smaller\" wrong", profiles[profile].name);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &said.statement);
    snprintf(what, sizeof what, "%s: decided", profiles[profile].name);
    if (!s->is_short)
        report_row(s, noise.name, what, 0, ROW_SHOWN, 0, &said.decided);
}

void part_stall(struct suite *s, const struct recordings *r)
{
    report_title("Tune with --max-stall 1 %: 6 arms, alpha 5 %, three looks", "happened");
    const struct session_noise noises[] = {
        {.name = "normal", .made = &noise_made[0], .scale = 1},
        {.name = "lognormal", .made = &noise_made[1], .scale = 1},
        {.name = "Pareto", .made = &noise_made[2], .scale = 1},
        {.name = "bimodal", .made = &noise_made[3], .scale = 1},
        {.name = "ties", .made = &noise_made[4], .scale = 1},
        {.name = "constant", .made = &noise_made[5], .scale = 1},
        {.name = "quiet.csv, drawn by round", .rounds = &r->rounds[0], .scale = 1},
        {.name = "loaded.csv, drawn by round", .rounds = &r->rounds[2], .scale = 1},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
            if (!s->is_short || p == 1 || i == 0)
                rows(s, noises[i], p);
}
