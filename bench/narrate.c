/* Lines for --verbose. */
#include "narrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "table.h"

/* ---- what does not count ---- */

static void add_draw(const struct invocation *inv, struct text *out)
{
    for (size_t i = 0; i < inv->ncpus; i++)
        text_sayf(out, "%s%d", i ? "," : "", inv->cpus[i]);
}

/* A block is void for all by any of its turns: the first of them says why. */
static void add_void_blocks(const struct result *r, const struct invocation *inv, struct text *out)
{
    for (int block = 1, last = 1; block <= last; block++) {
        const struct turn *why = NULL;
        int arm = -1;
        for (size_t t = 0; t < inv->ntrials; t++)
            for (size_t k = 0; k < inv->trials[t].nturns; k++) {
                const struct turn *turn = &inv->trials[t].turns[k];
                last = turn->block > last ? turn->block : last;
                if (why || turn->block != block || !turn->void_reason)
                    continue;
                why = turn;
                arm = inv->trials[t].arm;
            }
        if (why)
            text_sayf(out, "invocation %d: block %d does not count: %s, in the turn of %s\n", inv->index,
                      block, why->void_reason, r->arms[arm].name);
    }
}

/* Why one is void the session has said already, as a warning. */
static void add_invocation(const struct result *r, const struct invocation *inv, struct text *out)
{
    if (!inv->void_reason) {
        add_void_blocks(r, inv, out);
        return;
    }
    text_sayf(out, "invocation %d, which is void, had for the positions of the plan the CPUs ", inv->index);
    add_draw(inv, out);
    text_add(out, "\n");
}

static void add_failed(struct narrate *n, struct text *out)
{
    const struct result *r = n->result;
    if (!n->failed)
        n->failed = calloc(r->narms + 1, sizeof *n->failed);
    out->failed |= !n->failed;
    for (size_t a = 0; n->failed && a < r->narms; a++) {
        if (!r->arms[a].failure || n->failed[a])
            continue;
        n->failed[a] = true;
        text_sayf(out, "%s is out of the session: %s\n", r->arms[a].name, r->arms[a].failure);
    }
}

/* ---- what is decided ---- */

static void add_pilot(const struct result *r, struct text *out)
{
    const struct pilot *p = &r->pilot;
    char block[UNIT_TEXT], turn[UNIT_TEXT];
    table_add_pilot(out, r);
    text_sayf(out, "the pilot's prices: %s for a block's untimed part, %s for a turn of each setting; ",
              unit_format_ns(block, p->block_ns, 2), unit_format_ns(turn, p->turn_ns, 2));
    text_sayf(out, "the plan divides the variance that the same time buys by %.2f\n", p->gain);
}

static void add_standing(const struct summary *s, size_t arm, struct text *out)
{
    const struct arm_summary *a = &s->arms[arm];
    const struct estimate *e = &a->to_best;
    bool lowest = s->choice.best == (int)arm;
    bool stays = a->standing == ARM_GOOD || a->standing == ARM_IN_RACE;
    text_sayf(out, "  %s: %s: %s", stays ? "stays" : "leaves", s->result->arms[arm].name,
              summary_standing_word(a->standing));
    if (lowest)
        text_add(out, ", lowest cost so far");
    else if (e->ci.known)
        text_sayf(out, ", x %.3f (%g %% CI %.3f .. %.3f, n = %d)", e->value, 100 * e->ci.level, e->ci.low,
                  e->ci.high, e->n);
    else
        text_sayf(out, ", x %.3f (n = %d: no interval)", e->value, e->n);
    text_add(out, "\n");
}

/* Before the session takes it: from the same figures, so with the same outcome. */
static void add_look(const struct narrate *n, const struct session_progress *step, struct text *out)
{
    const struct result *r = n->result;
    struct summary *s;
    if (summary_create(r, 1 - r->alpha, &s, NULL)) {
        out->failed = 1;
        return;
    }
    text_sayf(out, "look %d of %d, at %d invocations:\n", step->look, step->looks, s->invocations_valid);
    for (size_t a = 0; a < r->narms; a++)
        if (s->arms[a].standing != ARM_NOT_MEASURED && !s->arms[a].dropped_at_look)
            add_standing(s, a, out);
    if (s->choice.state == CHOICE_DECIDED)
        text_sayf(out, "  decided: %s\n", r->arms[s->choice.arm].name);
    else if (s->choice.state != CHOICE_NONE)
        text_sayf(out, "  not decided; %s so far: %s\n",
                  s->choice.state == CHOICE_TIED ? "surely good enough" : "the best guess",
                  r->arms[s->choice.arm].name);
    summary_destroy(s);
}

static void add_next_look(struct narrate *n, const struct session_progress *step, struct text *out)
{
    if (step->planned == n->planned)
        return;
    n->planned = step->planned;
    text_sayf(out, "look %d of %d comes at %d invocations\n", step->look, step->looks, step->planned);
}

void narrate_add(struct narrate *n, const struct session_progress *step, struct text *out)
{
    const struct result *r = n->result;
    bool look = step && !strcmp(step->step, "look"),
         between = !step || look || !strcmp(step->step, "invocation");
    for (; n->told + !between < r->ninvocations; n->told++) /* the one in hand is not over */
        add_invocation(r, &r->invocations[n->told], out);
    add_failed(n, out);
    if (r->pilot.invocations && !n->pilot)
        add_pilot(r, out);
    n->pilot = r->pilot.invocations > 0;
    if (look)
        add_look(n, step, out);
    else if (!between && n->race)
        add_next_look(n, step, out);
}

void narrate_fini(struct narrate *n)
{
    free(n->failed);
    *n = (struct narrate){0};
}

/* ---- gate ---- */

void narrate_duel(const struct duel *d, struct text *out)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "still open", [STATS_PASS] = "passes", [STATS_REGRESSION] = "is a regression"};
    for (size_t i = 0; i < d->nrows; i++) {
        const struct duel_row *row = &d->rows[i];
        const struct stats_limits *l = &row->gate.limits;
        text_sayf(out, "look %d of %d, at %zu invocations: %s, %s: %s", d->look, d->looks, row->gate.n,
                  d->result->arms[row->candidate].name, row->figure->name, words[row->gate.verdict]);
        text_sayf(out, ": x %.3f, limits %.3f .. %.3f, margin x %.3f\n", exp(l->value), exp(l->low),
                  exp(l->high), exp(row->ln_margin));
    }
}
