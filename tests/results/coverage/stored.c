/* Results of different times against each other: the interval over sessions, what `compare` calls it, and the alarms of a
 * gate against stored sessions (ten rows, alpha 1 %). Each session's figure has an error of its own. */
#include <math.h>
#include <stdio.h>

#include "parts.h"
#include "results/stats/holm.h"
#include "results/stats/pooled.h"
#include "results/stats/tost.h"

enum { SESSIONS = 4, ROWS = 10 };

/* How sessions came about: sides by turns, or all of one before those of the other. */
struct source {
    const struct noise *noise;
    bool apart;
};

static struct stats_pooled draw(struct source from, struct counter_rng *rng, double scale, double shift)
{
    double all[2 * SESSIONS], side[2][SESSIONS];
    noise_draw(from.noise, rng, all, 2 * SESSIONS);
    for (int i = 0; i < 2 * SESSIONS; i++)
        if (from.apart)
            side[i / SESSIONS][i % SESSIONS] = scale * all[i];
        else
            side[i % 2][i / 2] = scale * all[i];
    for (int i = 0; i < SESSIONS; i++)
        side[1][i] += shift;
    return stats_pooled(side[0], SESSIONS, side[1], SESSIONS, 0);
}

static bool alarm(struct source from, struct counter_rng *rng)
{
    double p[ROWS];
    bool any = false;
    for (int i = 0; i < ROWS; i++) {
        struct stats_pooled d = draw(from, rng, 1, 0);
        p[i] = stats_pooled_above(&d, log(1.05));
    }
    if (stats_holm(p, ROWS, p, NULL) < 0)
        return true;
    for (int i = 0; i < ROWS; i++)
        any |= p[i] <= 0.01;
    return any;
}

/* Student's t is exact for errors that are normal; of lopsided ones it is on the safe side. */
static enum row_rule promised(struct source from, enum row_rule rule)
{
    bool kept = !from.apart && from.noise->kind != NOISE_BIMODAL && from.noise->kind != NOISE_TIES;
    return kept ? rule : ROW_SHOWN;
}

static void rows(struct suite *s, struct source from)
{
    struct tally interval = {0}, same = {0}, alarms = {0};
    double truth = log(1.05), slack = 1e-9; /* where nothing scatters */
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 10000, k);
        struct stats_pooled d = draw(from, &rng, 0.1, truth);
        double low = stats_pooled_lower(&d, 0.025), high = stats_pooled_upper(&d, 0.025);
        tally_interval(&interval, true, low, high, d.difference, truth);
        enum stats_relation told = stats_tost(low, high, truth - slack);
        tally_event(&same, told == STATS_EQUAL_WITHIN || told == STATS_DIFFERENT_WITHIN);
        tally_event(&alarms, alarm(from, &rng));
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s", from.noise->name, from.apart ? ", one side after the other" : "");
    report_row(s, name, "4 and 4 sessions, ratio 1.05", 0.95, promised(from, ROW_AT_LEAST), 0.94, &interval);
    report_row(s, name, "on the margin: called within it", 0.025, promised(from, ROW_AT_MOST), 0.03, &same);
    report_row(s, name, "gate of ten rows, no change: alarm", 0.01, promised(from, ROW_AT_MOST), 0.01,
               &alarms);
}

void part_stored(struct suite *s, const struct recordings *r)
{
    (void)r;
    report_title("Stored results of different times", "covered, or happened");
    for (const struct noise *noise = noise_made; noise->name; noise++) {
        rows(s, (struct source){.noise = noise});
        if (!noise_is_independent(noise) && !s->is_short)
            rows(s, (struct source){.noise = noise, .apart = true});
    }
}
