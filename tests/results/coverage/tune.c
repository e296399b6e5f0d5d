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

/* tune's default with trials of 0.2 s. The looks then depend on how many arms are left. */
static const double budgets_s[] = {0, 60};
static const double price_s[] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2};

/* In the first profile arms drop out early, and how many are left decides when a budget's next look is; in the second
 * nearly all stay to the end. */
static bool is_shown(size_t profile, double budget_s)
{
    return profile == 0 || (profile == 1 && !(budget_s > 0));
}

/* The intervals of the table that tune prints at the end, those of arms that left the race included. */
struct shown {
    struct tally to_best, dropped, cost;
};

static void count_shown(const struct session *session, const double *cost, size_t k, struct shown *t)
{
    struct summary *table;
    if (summary_create(&session->result, 0.95, &table, NULL) < 0)
        abort();
    for (size_t a = 0; a < session->narms; a++) {
        const struct interval *best = &table->arms[a].to_best.ci, *own = &table->arms[a].cost_ns.ci;
        tally_interval(&t->to_best, best->known, best->low, best->high, NAN, cost[a]); /* the best cost 1 */
        if (session->result.dropped_at_look[a])
            tally_interval(&t->dropped, best->known, best->low, best->high, NAN, cost[a]);
        if (a == k % session->narms) /* all meet the same swings */
            tally_interval(&t->cost, own->known, own->low, own->high, NAN, 1e6 * cost[a]);
    }
    summary_destroy(table);
}

/* An arm that hardly ever drops out is misjudged whenever it does: dropped arms are promised for where many rightly do.
 * The median of a cost is known where all that it meets is symmetric. */
static void report_shown(struct suite *s, const struct session *session, size_t profile,
                         const struct shown *t)
{
    char what[160];
    const struct session_noise *noise = &session->noise;
    const char *looks_at = session->budget_s > 0 ? " (looks by budget)" : "";
    snprintf(what, sizeof what, "%s%s: ratio to the best as shown, every arm", profiles[profile].name,
             looks_at);
    report_row(s, noise->name, what, 0.95, ROW_AT_LEAST, 0.94, &t->to_best);
    snprintf(what, sizeof what, "%s%s: the same, arms that were dropped", profiles[profile].name, looks_at);
    if (profile == 0)
        report_row(s, noise->name, what, 0.95, ROW_AT_LEAST, 0.94, &t->dropped);
    snprintf(what, sizeof what, "%s%s: cost as shown, an arm of each session", profiles[profile].name,
             looks_at);
    if (!noise->shared && (!noise->made || noise->made->kind == NOISE_NORMAL))
        report_row(s, noise->name, what, 0.95, ROW_AT_LEAST, 0.94, &t->cost);
}

static void rows(struct suite *s, struct session_noise noise, double budget_s, size_t profile)
{
    struct session_tally said = {0};
    struct shown shown = {0};
    double looks = 0;
    struct session session;
    session_init(&session, 6, budget_s, price_s, noise);
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 8000 + profile, k);
        struct session_end end = session_run(&session, profiles[profile].cost, &rng);
        session_count(&said, &end);
        if (is_shown(profile, budget_s) && (!s->is_short || k % 4 == 0))
            count_shown(&session, profiles[profile].cost, k, &shown);
        looks += end.looks;
    }
    session_fini(&session);
    char what[160];
    const char *looks_at = budget_s > 0 ? " (looks by budget)" : "";
    snprintf(what, sizeof what, "%s%s: wrong choice", profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &said.wrong);
    snprintf(what, sizeof what, "%s%s: choice or \"none smaller\" wrong", profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0.05, ROW_AT_MOST, 0.05, &said.statement);
    if (is_shown(profile, budget_s))
        report_shown(s, &session, profile, &shown);
    if (s->is_short)
        return;
    snprintf(what, sizeof what, "%s%s: decided (%.1f looks on average)", profiles[profile].name, looks_at,
             looks / (double)s->replications);
    report_row(s, noise.name, what, 0, ROW_SHOWN, 0, &said.decided);
    snprintf(what, sizeof what, "%s%s: wrong, best guesses of undecided runs included",
             profiles[profile].name, looks_at);
    report_row(s, noise.name, what, 0, ROW_SHOWN, 0, &said.guess);
}

void part_tune(struct suite *s, const struct recordings *r)
{
    report_title("Tune: 6 arms, margin 5 %, alpha 5 %, three looks", "happened, or covered");
    const struct session_noise noises[] = {
        {.name = "normal 1 %", .made = &noise_made[0], .scale = 0.1},
        {.name = "normal 5 %", .made = &noise_made[0], .scale = 0.5},
        {.name = "Pareto against a steady best",
         .made = &noise_made[2],
         .scale = 0.3,
         .best_is_steady = true},
        {.name = "lognormal", .made = &noise_made[1], .scale = 0.3},
        {.name = "bimodal", .made = &noise_made[3], .scale = 0.2},
        {.name = "ties", .made = &noise_made[4], .scale = 0.3},
        {.name = "constant", .made = &noise_made[5], .scale = 1},
        {.name = "AR(1) 0.3", .made = &noise_made[0], .scale = 0.1, .shared = &noise_made[6]},
        {.name = "AR(1) 0.5", .made = &noise_made[0], .scale = 0.1, .shared = &noise_made[7]},
        {.name = "AR(1) 0.7", .made = &noise_made[0], .scale = 0.1, .shared = &noise_made[8]},
        {.name = "drift", .made = &noise_made[0], .scale = 0.1, .shared = &noise_made[9]},
        {.name = "step", .made = &noise_made[0], .scale = 0.1, .shared = &noise_made[10]},
        {.name = "quiet.csv, drawn by round", .rounds = &r->rounds[0], .scale = 1},
        {.name = "loaded.csv, drawn by round", .rounds = &r->rounds[2], .scale = 1},
        {.name = "turns_same_cpu.csv", .turns = &r->same_cpu, .scale = 1},
        {.name = "turns_any_cpu.csv", .turns = &r->any_cpu, .scale = 1},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
            for (size_t b = 0; b < sizeof budgets_s / sizeof *budgets_s; b++)
                if (!s->is_short || (b == 0 && p == 1) || i == 0)
                    rows(s, noises[i], budgets_s[b], p);
}
