/* Going on with a session that was stopped.
 *
 * What its records tell is done once more without measuring: who was in the race, which blocks, looks and pilot there
 * were, what was dropped, how long it took. Order of turns, draw of CPUs and seeds are functions of the session's seed and
 * the number of the invocation, so those to come are the ones that an unbroken session would have had. That the records
 * are what this session would have done is checked on the way: a plan that cannot be gone on with is not guessed at.
 *
 * A record that was due when the session was stopped (a look, the pilot's) is made anew, from the same figures. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session.h"

static int other(const struct invocation *inv, const char *what, struct err *err)
{
    return err_set(err, -EPROTO, "invocation %d of the file has %s than its seed and settings ask for here",
                   inv->index, what);
}

static int check_trials(const struct session *s, const struct invocation *inv, struct err *err)
{
    size_t n = 0;
    if (inv->ntrials != session_trials(s))
        return other(inv, "other trials", err);
    for (int g = 0; g < s->ngroups; g++)
        for (int k = 0; k < s->nalive[g]; k++)
            if (inv->trials[n++].arm != s->alive[g * s->together + k])
                return other(inv, "other trials", err);
    return 0;
}

static int check_cpus(const struct session *s, const struct invocation *inv, struct err *err)
{
    const struct harness_topology *t = s->cfg->topology;
    int *cpus = calloc((size_t)t->ncpus, sizeof *cpus);
    if (!cpus)
        return err_set(err, -ENOMEM, "out of memory for %d CPUs", t->ncpus);
    harness_topology_draw(t, s->r->seed, inv->index, cpus);
    bool same = inv->ncpus == (size_t)t->ncpus && !memcmp(cpus, inv->cpus, inv->ncpus * sizeof *cpus);
    free(cpus);
    return same ? 0 : other(inv, "other CPUs", err);
}

static bool had_turn(const struct trial *t, int block, int slot)
{
    for (size_t i = 0; i < t->nturns; i++)
        if (t->turns[i].block == block && t->turns[i].slot == slot)
            return true;
    return false;
}

/* The turns of a block in the group whose trials begin at `trial`. */
static int check_block(const struct session *s, const struct invocation *inv, int group,
                       const struct trial *trial, int block, struct err *err)
{
    struct session_block b;
    int rc = session_block(s, group, block, inv->index, &b, err);
    for (size_t i = 0; !rc && i < b.slots; i++)
        if (!had_turn(&trial[b.turn[i]], b.number, (int)i))
            rc = other(inv, "another order of turns", err);
    free(b.turn);
    return rc;
}

static int check_blocks(const struct session *s, const struct invocation *inv, int from, int to,
                        struct err *err)
{
    int rc = 0;
    const struct trial *first = inv->trials;
    for (int g = 0; !rc && g < s->ngroups; first += s->nalive[g++])
        for (int b = from; !rc && b <= to; b++)
            rc = check_block(s, inv, g, first, b, err);
    return rc;
}

/* Blocks that were chosen in it were chosen after its first warm-up. */
static int replay_blocks(struct session *s, const struct invocation *inv, struct err *err)
{
    bool counts = !inv->void_reason;
    int rc = counts && s->blocks ? check_blocks(s, inv, 0, 0, err) : 0;
    if (inv->blocks > 0 && !s->blocks)
        s->blocks = s->design.blocks = inv->blocks;
    if (!rc && inv->blocks != s->blocks && (counts || inv->blocks))
        rc = other(inv, "another number of blocks", err);
    return rc || !counts ? rc : check_blocks(s, inv, 1, s->blocks, err);
}

/* Turns of an arm have the length that was found before. */
static void replay_lengths(struct session *s, const struct invocation *inv)
{
    for (size_t t = 0; t < inv->ntrials; t++)
        if (inv->trials[t].nturns)
            s->arm[inv->trials[t].arm].batches = inv->trials[t].turns[inv->trials[t].nturns - 1].batches;
}

static int replay_void(struct session *s, const struct invocation *inv, struct err *err)
{
    int arm = inv->void_arm;
    s->void_in_a_row++;
    if (arm < 0 || (size_t)arm >= s->r->narms || !s->arm[arm].in_race)
        return other(inv, "another arm that failed", err);
    s->arm[arm].in_race = ++s->arm[arm].failures < FAILURES_MAX;
    session_restart_design(s);
    return 0;
}

/* *pilot is what the file has of it, all-zero when nothing. behind: records of later invocations are there. */
static void replay_valid(struct session *s, const struct pilot *pilot, bool behind)
{
    for (size_t k = 0; k < s->nracing; k++)
        s->arm[s->racing[k]].failures = 0;
    s->void_in_a_row = 0;
    s->valid++;
    if (!session_pilot_is_over(s))
        return;
    if (pilot->invocations) {
        s->r->pilot = *pilot;
        session_pilot_apply(s, pilot);
    } else if (behind) { /* it could not tell */
        s->pilot = false;
    }
}

static int replay_invocation(struct session *s, const struct pilot *pilot, bool behind, struct err *err)
{
    const struct invocation *inv = &s->r->invocations[s->r->ninvocations];
    if (inv->index != s->invocation || inv->look != s->look || inv->look_at < 1)
        return err_set(
            err, -EPROTO,
            "the file's invocations are not one after another: %d, look %d, where %d, look %d is due",
            inv->index, inv->look, s->invocation, s->look);
    int rc = inv->took_ns >= 0 && inv->block_ns >= 0 ? 0 : other(inv, "less to say of its time", err);
    rc = rc ? rc : check_trials(s, inv, err);
    rc = rc ? rc : check_cpus(s, inv, err);
    rc = rc ? rc : replay_blocks(s, inv, err);
    if (rc)
        return rc;
    replay_lengths(s, inv);
    s->next_look_at = inv->look_at;
    s->block_cost_ns = inv->block_ns;
    s->invocation_cost_ns = inv->took_ns;
    s->r->ninvocations++;
    s->invocation++;
    if (inv->void_reason)
        return replay_void(s, inv, err);
    replay_valid(s, pilot, behind);
    return 0;
}

/* Who dropped out at the look that is due. */
static void replay_drops(struct session *s)
{
    for (size_t i = 0; i < s->r->narms; i++)
        if (s->r->dropped_at_look[i] == s->look)
            s->arm[i].in_race = false;
}

static int replay(struct session *s, size_t recorded, const struct pilot *pilot, struct err *err)
{
    int rc = 0;
    while (!rc && s->r->ninvocations < recorded) {
        const struct invocation *next = &s->r->invocations[s->r->ninvocations];
        while (s->look < next->look && s->look < s->r->looks_planned) {
            replay_drops(s);
            session_next_look(s);
        }
        rc = replay_invocation(s, pilot, s->r->ninvocations + 1 < recorded, err);
    }
    return rc;
}

/* An arm whose second failure was in the invocation that never came to its end has not failed. */
static void forgive(struct session *s)
{
    for (size_t i = 0; i < s->r->narms; i++)
        if (s->arm[i].in_race) {
            free(s->r->arms[i].failure);
            s->r->arms[i].failure = NULL;
        }
}

int session_resume(struct session *s, bool *look_taken, struct err *err)
{
    struct result *r = s->r;
    size_t recorded = r->ninvocations;
    struct pilot pilot = r->pilot;
    if (pilot.invocations && !(pilot.blocks >= 1 && pilot.target_ns > 0))
        return err_set(err, -EPROTO, "the file's pilot chose %d blocks and turns of %g ns", pilot.blocks,
                       pilot.target_ns);
    r->ninvocations = 0;
    r->pilot = (struct pilot){0};
    s->began_ns -= (uint64_t)r->spent_ns;
    int rc = replay(s, recorded, &pilot, err);
    r->ninvocations = recorded;
    if (rc)
        return rc;
    forgive(s);
    *look_taken = s->cfg->eliminate && r->looks_taken >= s->look;
    if (*look_taken)
        replay_drops(s);
    if (!s->nracing)
        return err_set(err, -ENODATA, "no arm is left that could be measured");
    if (s->cfg->writer && r->npauses)
        rc = result_writer_resumed(s->cfg->writer, &r->pauses[r->npauses - 1], err);
    if (!rc && session_pilot_is_over(s))
        rc = session_pilot_end(s, err);
    return rc;
}
