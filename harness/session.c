/* The course of a session: invocations until a look, looks until the choice is made or the budget is spent. */
#include "session.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "results/stats/choice.h"

static const double TURN_NS = 25e6;
enum { LOOKS = 3, VOID_IN_A_ROW_MAX = 5, INVOCATIONS_LEAST = 6 };

/* Time that so many invocations that count will have taken; NaN = no limit, or not known yet. */
static double until_ns(const struct session *s, int invocations)
{
    bool known = invocations && s->invocation_cost_ns > 0;
    return known ? fmax(0, invocations - s->valid) * s->invocation_cost_ns : NAN;
}

/* Until the session ends at the latest: what is NaN bounds nothing. */
static double eta_ns(const struct session *s, double elapsed)
{
    if (s->cfg->invocations)
        return until_ns(s, s->cfg->invocations);
    double by_time = fmin(until_ns(s, s->cfg->most), fmax(0, s->r->budget_ns - elapsed));
    return fmax(by_time, until_ns(s, s->cfg->least));
}

void session_progress(const struct session *s, const char *step, int arm, int block)
{
    if (!s->cfg->progress)
        return;
    double elapsed = (double)(clock_now_ns() - s->began_ns);
    struct session_progress p = {
        .step = step,
        .arm = arm >= 0 ? s->r->arms[arm].name : "",
        .look = s->look,
        .looks = s->r->looks_planned,
        .invocation = s->invocation + 1,
        .planned = s->next_look_at,
        .block = block,
        .blocks = s->blocks,
        .in_race = (int)s->nracing,
        .elapsed_ns = elapsed,
        .budget_ns = s->r->budget_ns,
        .eta_ns = eta_ns(s, elapsed),
    };
    s->cfg->progress(s->cfg->arg, &p);
}

void session_warn(const struct session *s, const char *fmt, ...)
{
    if (!s->cfg->warn)
        return;
    char text[640];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    s->cfg->warn(s->cfg->arg, text);
}

static void list_racing(struct session *s)
{
    s->nracing = 0;
    for (size_t i = 0; i < s->r->narms; i++)
        if (s->arm[i].in_race)
            s->racing[s->nracing++] = (int)i;
    session_group(s);
}

/* Smallest number of invocations at which the first of so many looks can decide anything: the level of one limit is that
 * of summary_look. */
static int least_invocations(const struct session_config *cfg, int looks)
{
    size_t narms = cfg->result->narms;
    if (!cfg->eliminate || narms < 2)
        return INVOCATIONS_LEAST;
    int n = (int)stats_choice_smallest_n(cfg->result->alpha, looks, narms);
    return n > INVOCATIONS_LEAST ? n : INVOCATIONS_LEAST;
}

/* The first look falls where something can be decided for the first time, whatever the budget: it costs its share of
 * alpha in any case, and arms that are far apart need no more. An only one comes when all is measured that may be. */
static int first_look(const struct session_config *cfg, int looks)
{
    if (cfg->invocations)
        return cfg->invocations;
    int n = least_invocations(cfg, looks);
    n = n > cfg->least ? n : cfg->least;
    return cfg->most && (looks == 1 || n > cfg->most) ? cfg->most : n;
}

/* Two more looks at twice and four times the first, or, where the budget holds more, the last at its end and the other
 * in the middle of the two (of their ratio). Neither depends on what was measured but for how long it took. */
static void plan_next_look(struct session *s)
{
    double left = s->r->budget_ns - (double)(clock_now_ns() - s->began_ns);
    double fit = s->invocation_cost_ns > 0 ? s->valid + floor(left / s->invocation_cost_ns) : 0;
    if (s->cfg->most)
        fit = fmin(fit, s->cfg->most);
    int looks = s->r->looks_planned - s->look + 1; /* the next one is s->look already */
    s->next_look_at =
        (int)fmin(stats_design_next_look(s->valid, fmax(fit, 0), looks > 1 ? looks : 1), INT_MAX / 2);
}

int session_looks(const struct session_config *cfg)
{
    int looks = cfg->invocations ? 1 : cfg->result->looks_planned ? cfg->result->looks_planned : LOOKS;
    while (looks > 1 && cfg->most && (int64_t)first_look(cfg, looks) << (looks - 1) > cfg->most)
        looks--;
    return looks;
}

static int open_session(struct session *s, const struct session_config *cfg, struct err *err)
{
    struct result *r = cfg->result;
    *s = (struct session){.cfg = cfg, .r = r, .look = 1, .began_ns = clock_now_ns()};
    r->looks_planned = session_looks(cfg);
    s->arm = calloc(r->narms, sizeof *s->arm);
    s->racing = calloc(r->narms, sizeof *s->racing);
    s->alive = calloc(3 * r->narms, sizeof *s->alive); /* groups of two hold an arm and the reference */
    s->nalive = calloc(r->narms, sizeof *s->nalive);
    s->group = calloc(r->narms, sizeof *s->group);
    if (!s->arm || !s->racing || !s->alive || !s->nalive || !s->group)
        return err_set(err, -ENOMEM, "out of memory for %zu arms", r->narms);
    for (size_t i = 0; i < r->narms; i++) {
        const struct setting *set = &r->arms[i].setting;
        const struct harness_placement_ask ask = {.affinity = set->affinity,
                                                  .workers = set->workers,
                                                  .threads = set->threads,
                                                  .reserve_main = set->reserve_main};
        int rc = harness_placement_plan(cfg->topology, &ask, &s->arm[i].placement, err);
        if (rc)
            return rc;
        s->arm[i].in_race = true;
    }
    list_racing(s);
    s->blocks = cfg->blocks;
    s->target_ns = cfg->turn_ns > 0 ? cfg->turn_ns : TURN_NS;
    s->design = (struct stats_design){.seed = r->seed, .blocks = cfg->blocks > 0 ? cfg->blocks : 1};
    s->next_look_at = first_look(cfg, r->looks_planned);
    int rc = harness_guardian_open(&s->guardian, err);
    return rc ? rc : harness_children_find(&s->known, err);
}

static void close_session(struct session *s)
{
    harness_guardian_close(s->guardian);
    harness_tree_fini(&s->known);
    for (size_t i = 0; s->arm && i < s->r->narms; i++)
        harness_placement_fini(&s->arm[i].placement);
    free(s->arm);
    free(s->racing);
    free(s->alive);
    free(s->nalive);
    free(s->group);
}

static bool is_last_look(const struct session *s)
{
    return s->look >= s->r->looks_planned;
}

/* Takes arms out that are surely worse. *done: the choice is made, or there is nobody left to compare. */
static int look(struct session *s, bool *done, struct err *err)
{
    session_progress(s, "look", -1, 0);
    struct choice choice = {0};
    bool *dropped = calloc(s->r->narms, sizeof *dropped);
    int rc = dropped ? 0 : err_set(err, -ENOMEM, "out of memory for a look");
    rc = rc ? rc : summary_look(s->r, s->look, dropped, &choice, err);
    for (size_t i = 0; !rc && i < s->r->narms; i++) {
        dropped[i] = dropped[i] && s->arm[i].in_race;
        if (!dropped[i])
            continue;
        s->arm[i].in_race = false;
        s->r->dropped_at_look[i] = s->look;
    }
    *done = choice.state == CHOICE_DECIDED;
    if (!rc && s->cfg->writer)
        rc = result_writer_look(s->cfg->writer, s->look, *done, dropped, s->r->narms, err);
    s->r->looks_taken = s->look;
    s->r->decided = *done;
    choice_fini(&choice);
    free(dropped);
    return rc;
}

void session_restart_design(struct session *s)
{
    list_racing(s);
    s->design.first_invocation = s->invocation;
    s->blocks = s->cfg->blocks ? s->cfg->blocks : s->r->pilot.blocks;
    if (s->blocks)
        s->design.blocks = s->blocks;
}

void session_next_look(struct session *s)
{
    s->look++;
    size_t before = s->nracing;
    list_racing(s);
    if (s->nracing != before) /* else the cycle of the design goes on */
        session_restart_design(s);
    s->block_cost_ns *= (double)s->nracing / (double)before;
    s->invocation_cost_ns *= (double)s->nracing / (double)before;
    plan_next_look(s);
}

static bool budget_is_spent(const struct session *s)
{
    if (s->cfg->invocations || s->valid < s->cfg->least || s->r->budget_ns <= 0)
        return false;
    double elapsed = (double)(clock_now_ns() - s->began_ns);
    return elapsed + s->invocation_cost_ns > s->r->budget_ns;
}

/* One invocation, void ones included. */
static int step(struct session *s, struct err *err)
{
    struct err why = {0};
    int rc = session_invocation(s, &why);
    s->invocation++;
    if (rc == -EAGAIN) {
        session_restart_design(s);
        if (!s->nracing)
            return err_set(err, -ENODATA, "no arm could be measured: %s",
                           s->r->invocations[s->r->ninvocations - 1].void_reason);
        if (++s->void_in_a_row >= VOID_IN_A_ROW_MAX)
            return err_set(err, -EXDEV, "%d invocations in a row are void, the last one: %s",
                           VOID_IN_A_ROW_MAX, s->r->invocations[s->r->ninvocations - 1].void_reason);
        return 0;
    }
    if (rc)
        return err_set(err, rc, "%s", why.text);
    s->void_in_a_row = 0;
    s->valid++;
    session_progress(s, "invocation", -1, 0);
    return session_pilot_is_over(s) ? session_pilot_end(s, err) : 0;
}

/* taken: the look that is due was taken before the session was stopped. */
static int conclude_look(struct session *s, bool taken, bool *done, struct err *err)
{
    *done = s->r->decided;
    return s->cfg->eliminate && !taken ? look(s, done, err) : 0;
}

static int run(struct session *s, struct err *err)
{
    bool done = false, taken = false;
    s->pilot = !s->cfg->blocks && s->next_look_at > PILOT_INVOCATIONS;
    int rc = s->cfg->resume ? session_resume(s, &taken, err) : 0;
    while (!rc && !done) {
        if (s->cfg->stop && *s->cfg->stop)
            return err_set(err, -EINTR, "interrupted");
        bool spent = s->valid > 0 && budget_is_spent(s);
        if (taken || spent || s->valid >= s->next_look_at) {
            bool last = spent || is_last_look(s) || s->cfg->invocations;
            rc = conclude_look(s, taken, &done, err);
            taken = false;
            if (rc || last)
                return rc;
            session_next_look(s);
            done = done || s->nracing < 2;
            continue;
        }
        rc = step(s, err);
    }
    return rc;
}

int session_open(const struct session_config *cfg, struct session **out, struct err *err)
{
    assert(cfg->result && cfg->result->narms && cfg->topology && cfg->core);
    struct session *s = *out = malloc(sizeof *s);
    if (!s)
        return err_set(err, -ENOMEM, "out of memory for a session");
    int rc = open_session(s, cfg, err);
    if (rc) {
        close_session(s);
        free(s);
        *out = NULL;
    }
    return rc;
}

int session_close(struct session *s, int rc, struct err *err)
{
    struct result *r = s->r;
    r->interrupted = rc == -EINTR;
    r->complete = rc == 0;
    r->spent_ns = session_elapsed_ns(s);
    if (s->cfg->writer && (!rc || rc == -EINTR)) {
        int written = result_writer_footer(s->cfg->writer, r, err);
        rc = rc ? rc : written;
    }
    close_session(s);
    free(s);
    return rc;
}

int session_run(const struct session_config *cfg, struct err *err)
{
    struct session *s;
    int rc = session_open(cfg, &s, err);
    return rc ? rc : session_close(s, run(s, err), err);
}

static int one_is_out(const struct session *s, const int *arms, size_t narms, struct err *err)
{
    for (size_t i = 0; i < narms; i++) {
        const struct arm *a = &s->r->arms[arms[i]];
        if (a->failure)
            return err_set(err, s->arm[arms[i]].timed_out ? -ETIMEDOUT : -ENODATA,
                           "'%s' could not be measured: %s", a->name, a->failure);
    }
    return err_set(err, -ENODATA, "a setting could not be measured");
}

int session_measure(struct session *s, const int *arms, size_t narms, const struct session_share *share,
                    struct err *err)
{
    for (size_t i = 0; i < s->r->narms; i++)
        s->arm[i].in_race = false;
    for (size_t i = 0; i < narms; i++)
        s->arm[arms[i]].in_race = !s->r->arms[arms[i]].failure;
    session_restart_design(s);
    s->look = share->look;
    s->block_cost_ns = s->invocation_cost_ns = 0;
    int before = s->valid;
    s->next_look_at = before + share->valid;
    while (s->valid < before + share->valid) {
        if (s->nracing < narms)
            return one_is_out(s, arms, narms, err);
        if (s->cfg->stop && *s->cfg->stop)
            return err_set(err, -EINTR, "interrupted");
        if (share->until_ns > 0 && session_elapsed_ns(s) + s->invocation_cost_ns > share->until_ns)
            break;
        int rc = step(s, err);
        if (rc)
            return rc;
    }
    return s->valid - before;
}

double session_elapsed_ns(const struct session *s)
{
    return (double)(clock_now_ns() - s->began_ns);
}
