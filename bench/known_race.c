/* Sessions of tune with a known outcome; see known_race.h. */
#include "known_race.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "harness/session.h"
#include "results/json.h"
#include "results/summary.h"

enum { EQUAL = 3, ARMS = EQUAL + 1 };

static const double LEVEL = 0.95; /* as tune has it by default */

double known_race_slowdown(double margin)
{
    return 2 * margin;
}

static int add_arms(const struct known_race *race, struct result *r, struct err *err)
{
    static const char *const names[ARMS] = {"equal 1", "equal 2", "equal 3", "slower"};
    int rc = 0;
    for (int a = 0; !rc && a < ARMS; a++)
        rc = calibrate_add_arm(r, names[a], race->work, a < EQUAL ? 0 : known_race_slowdown(race->margin),
                               err);
    return rc;
}

int known_race_judge(const struct result *r, struct known_race_end *end, struct err *err)
{
    struct summary *s;
    int rc = summary_create(r, LEVEL, &s, err);
    if (rc)
        return rc;
    *end = (struct known_race_end){.decided = s->choice.state == CHOICE_DECIDED, .seconds = end->seconds};
    bool sure = s->choice.state == CHOICE_DECIDED || s->choice.state == CHOICE_TIED;
    end->sure_of_the_slower = sure && s->choice.arm == EQUAL;
    end->slower_out = s->arms[EQUAL].standing == ARM_WORSE;
    for (int a = 0; a < EQUAL; a++)
        end->equal_out |= s->arms[a].standing == ARM_WORSE;
    summary_destroy(s);
    return 0;
}

int known_race_run(const struct known_race *race, uint64_t seed, struct known_race_end *end, struct err *err)
{
    struct result r = {.seed = seed,
                       .alpha = 1 - LEVEL,
                       .margin = race->margin,
                       .budget_ns = race->budget_ns,
                       .cpu_budget = race->cpu_budget};
    const struct session_config cfg = {.result = &r,
                                       .topology = race->topology,
                                       .core = "/proc/self/exe",
                                       .turn_ns = race->turn_ns,
                                       .eliminate = true,
                                       .stop = race->stop,
                                       .warn = progress_warn,
                                       .arg = race->progress};
    uint64_t from = clock_now_ns();
    *end = (struct known_race_end){.decided = false};
    int rc = add_arms(race, &r, err);
    rc = rc ? rc : session_run(&cfg, err);
    end->seconds = (double)(clock_now_ns() - from) / 1e9;
    rc = rc ? rc : known_race_judge(&r, end, err);
    result_fini(&r);
    return rc;
}

void known_race_count(struct calibration_races *counts, const struct known_race_end *end)
{
    counts->n++;
    counts->wrong_choices += end->sure_of_the_slower;
    counts->equal_out += end->equal_out;
    counts->wrong += end->sure_of_the_slower || end->equal_out;
    counts->slower_out += end->slower_out;
    counts->decided += end->decided;
}

json_t *known_race_key(const struct known_race *race)
{
    return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:s, s:I}", "command", "tune", "arms", ARMS, "slowdown",
                     known_race_slowdown(race->margin), "margin", race->margin, "turn_ns", race->turn_ns,
                     "budget_ns", race->budget_ns, "transform", race->work->transform, "workers",
                     (json_int_t)race->work->workers);
}

json_t *known_race_line(const struct known_race *race, uint64_t seed, const struct known_race_end *end)
{
    return json_pack("{s:o, s:I, s:s, s:b, s:b, s:b, s:o}", "of", known_race_key(race), "seed",
                     (json_int_t)seed, "verdict", end->decided ? "DECIDED" : "OPEN", "sure_of_the_slower",
                     end->sure_of_the_slower, "equal_out", end->equal_out, "slower_out", end->slower_out,
                     "seconds", result_json_real(end->seconds));
}

void known_race_read(const json_t *line, struct known_race_end *end)
{
    const char *verdict = json_string_value(json_object_get(line, "verdict"));
    *end = (struct known_race_end){.sure_of_the_slower =
                                       json_is_true(json_object_get(line, "sure_of_the_slower")),
                                   .equal_out = json_is_true(json_object_get(line, "equal_out")),
                                   .slower_out = json_is_true(json_object_get(line, "slower_out")),
                                   .decided = verdict && !strcmp(verdict, "DECIDED"),
                                   .seconds = result_json_get_real(line, "seconds")};
}
