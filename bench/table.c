/* Printing a summary. Digits are cut to what the interval supports; without an interval the reason stands there. */
#include "table.h"

#include <math.h>
#include <string.h>

#include "base/unit.h"
#include "results/bound.h"
#include "results/checks.h"
#include "results/delivery.h"

static int digits_for(const struct estimate *e)
{
    return summary_digits(e->value, &e->ci);
}

static void add_ns(struct text *out, const struct estimate *e)
{
    char buf[UNIT_TEXT];
    text_add(out, unit_format_ns(buf, e->value, digits_for(e)));
}

static void add_ns_interval(struct text *out, const struct estimate *e)
{
    char buf[2 * UNIT_TEXT];
    if (e->ci.known)
        text_add(out, unit_format_ns_interval(buf, e->ci.low, e->ci.high, digits_for(e)));
    else
        text_sayf(out, "n = %d: no interval", e->n);
}

static int decimals_for(const struct estimate *e)
{
    return summary_ratio_decimals(e->value, e->ci.low, e->ci.high);
}

static void add_ratio_interval(struct text *out, const struct estimate *e)
{
    if (e->ci.known)
        text_sayf(out, "%.*f .. %.*f", decimals_for(e), e->ci.low, decimals_for(e), e->ci.high);
    else
        text_sayf(out, "n = %d: no interval", e->n);
}

/* ---- columns ---- */

static void cell_setting(struct text *t, const struct summary *s, size_t i)
{
    enum { NAME_COLUMNS = 40 };
    struct text clean = {0};
    text_add_line(&clean, s->result->arms[i].name);
    const char *name = text_get(&clean);
    size_t n = 0;
    for (size_t columns = 0; name[n]; n++) {
        columns += ((unsigned char)name[n] & 0xC0) != 0x80;
        if (columns > NAME_COLUMNS)
            break;
    }
    text_add_bytes(t, name, n);
    if (name[n])
        text_add(t, "~");
    t->failed |= clean.failed;
    text_fini(&clean);
}

static void cell_cost(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].cost_ns);
}

static void cell_interval(struct text *t, const struct summary *s, size_t i)
{
    add_ns_interval(t, &s->arms[i].cost_ns);
}

static void cell_n(struct text *t, const struct summary *s, size_t i)
{
    const struct estimate *e = &s->arms[i].cost_ns;
    if (e->n_effective < e->n)
        text_sayf(t, "%d (%d)", e->n, e->n_effective);
    else
        text_sayf(t, "%d", e->n);
}

static void cell_rate(struct text *t, const struct summary *s, size_t i)
{
    char buf[UNIT_TEXT];
    text_add(t, unit_format_rate(buf, s->arms[i].rate_per_s.value, digits_for(&s->arms[i].cost_ns)));
}

static void cell_item(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].item_ns);
}

static void cell_cpu(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].cpu_ns);
}

static void cell_stall(struct text *t, const struct summary *s, size_t i)
{
    const struct estimate *e = &s->arms[i].stall_ratio;
    if (!isfinite(e->value))
        text_add(t, "-");
    else if (e->ci.known)
        text_sayf(t, "%.2g .. %.2g %%", 100 * e->ci.low, 100 * e->ci.high);
    else
        text_sayf(t, "%.2g %% (no interval)", 100 * e->value);
}

static void cell_cpus(struct text *t, const struct summary *s, size_t i)
{
    text_sayf(t, "%d/%d", s->result->arms[i].cpus_asked, s->result->cpu_budget);
}

static void cell_to_best(struct text *t, const struct summary *s, size_t i)
{
    const struct estimate *e = &s->arms[i].to_best;
    if ((int)i == s->choice.best)
        text_add(t, "1");
    else if (isfinite(e->value))
        text_sayf(t, "%.*f", decimals_for(e), e->value);
    else
        text_add(t, "-");
}

static void cell_to_best_interval(struct text *t, const struct summary *s, size_t i)
{
    add_ratio_interval(t, &s->arms[i].to_best);
}

static void cell_recommended(struct text *t, const struct summary *s, size_t i)
{
    text_add(t, (int)i == s->choice.arm ? "<- use this" : "");
}

static void cell_standing(struct text *t, const struct summary *s, size_t i)
{
    text_add(t, summary_standing_word(s->arms[i].standing));
}

struct column {
    const char *head;
    bool left;
    void (*cell)(struct text *t, const struct summary *s, size_t arm);
};

static const struct column columns[] = {
    {"setting", true, cell_setting},   {"cost/sample", false, cell_cost},
    {"%g %% CI", true, cell_interval}, {"n", false, cell_n},
    {"rate", false, cell_rate},        {"item", false, cell_item},
    {"CPU/sample", false, cell_cpu},   {"CPUs", false, cell_cpus},
    {"x best", false, cell_to_best},   {"%g %% CI", true, cell_to_best_interval},
    {"stall", false, cell_stall},      {"", true, cell_standing},
    {"", true, cell_recommended},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* row 0 is the head, row i + 1 is arm i. */
static void fill(struct text *t, const struct summary *s, size_t row, const struct column *c)
{
    if (!row && strchr(c->head, '%'))
        text_sayf(t, "%g %% CI", 100 * s->choice.level);
    else if (!row)
        text_add(t, c->head);
    else if (s->arms[row - 1].standing == ARM_NOT_MEASURED && c->cell != cell_setting &&
             c->cell != cell_standing && c->cell != cell_cpus)
        text_add(t, "-");
    else
        c->cell(t, s, row - 1);
}

static size_t width_of(const struct summary *s, const struct column *c)
{
    size_t width = 0;
    for (size_t row = 0; row <= s->result->narms; row++) {
        struct text t = {0};
        fill(&t, s, row, c);
        size_t w = text_columns(text_get(&t));
        width = w > width ? w : width;
        text_fini(&t);
    }
    return width;
}

static void add_cell(struct text *line, const struct summary *s, size_t row, const struct column *c,
                     size_t width)
{
    struct text t = {0};
    fill(&t, s, row, c);
    size_t pad = width - text_columns(text_get(&t));
    for (size_t i = 0; !c->left && i < pad; i++)
        text_add(line, " ");
    text_add(line, text_get(&t));
    for (size_t i = 0; c->left && i < pad; i++)
        text_add(line, " ");
    text_fini(&t);
}

static bool has_stall(const struct summary *s)
{
    for (size_t i = 0; i < s->result->narms; i++)
        if (s->arms[i].stall_ratio.n)
            return true;
    return false;
}

static bool is_shown(const struct column *c, const struct summary *s, bool recommend)
{
    if (c->cell == cell_recommended)
        return recommend;
    if (c->cell == cell_stall)
        return has_stall(s);
    if (c->cell == cell_to_best || c->cell == cell_to_best_interval || c->cell == cell_standing)
        return result_is_race(s->result);
    return true;
}

void table_add(struct text *out, const struct summary *s, bool recommend)
{
    size_t width[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++)
        width[c] = width_of(s, &columns[c]);
    for (size_t row = 0; row <= s->result->narms; row++) {
        struct text line = {0};
        for (size_t c = 0; c < COLUMNS; c++)
            if (is_shown(&columns[c], s, recommend)) {
                add_cell(&line, s, row, &columns[c], width[c]);
                text_add(&line, "  ");
            }
        size_t n = line.len;
        while (n && text_get(&line)[n - 1] == ' ')
            n--;
        text_add_bytes(out, text_get(&line), n);
        text_add(out, "\n");
        text_fini(&line);
    }
}

/* ---- sentences ---- */

void table_add_ratio(struct text *out, const struct summary *s)
{
    if (s->worker_arm < 0 || s->main_arm < 0)
        return;
    const struct estimate *e = &s->worker_to_main;
    int threads = s->result->arms[s->main_arm].setting.threads;
    text_sayf(out, "One thread in a worker against %s%d thread%s in the main process: an item takes ",
              threads == 1 ? "" : "all ", threads, threads == 1 ? "" : "s");
    if (!isfinite(e->value))
        text_add(out, "an unknown time there (neither was measured).\n");
    else if (e->ci.known)
        text_sayf(out, "%.*f times as long\n(%g %% CI %.*f .. %.*f, n = %d).\n", decimals_for(e), e->value,
                  100 * e->ci.level, decimals_for(e), e->ci.low, decimals_for(e), e->ci.high, e->n);
    else
        text_sayf(out, "about %.2f times as long (n = %d: no interval).\n", e->value, e->n);
}

void table_add_pilot(struct text *out, const struct result *r)
{
    const struct pilot *p = &r->pilot;
    double all = p->invocation_variance + p->block_variance + p->turn_variance;
    char start[UNIT_TEXT], target[UNIT_TEXT];
    if (!p->invocations)
        return;
    text_sayf(out, "Pilot of %d invocations: ", p->invocations);
    if (all > 0)
        text_sayf(out,
                  "%.0f %% of the variance lies between invocations, %.0f %% between blocks, %.0f %% between "
                  "turns, ",
                  100 * p->invocation_variance / all, 100 * p->block_variance / all,
                  100 * p->turn_variance / all);
    else
        text_add(out, "no variance seen, ");
    text_sayf(out, "a start takes %s; so %d block%s an invocation, turns of %s.\n",
              unit_format_ns(start, p->start_ns, 2), p->blocks, p->blocks == 1 ? "" : "s",
              unit_format_ns(target, p->target_ns, 2));
}

void table_add_spared(struct text *out, const struct summary *s)
{
    char spent[UNIT_TEXT], grid[UNIT_TEXT];
    bool left = false;
    for (size_t i = 0; i < s->result->narms; i++)
        left |= s->arms[i].dropped_at_look > 0;
    struct grid_time g = summary_grid_time(s->result);
    if (left && g.grid_ns > g.spent_ns) /* not when all left at the last look */
        text_sayf(
            out, "Settings that left the race early: %.0f %% of the full grid's time was spent (%s of %s).\n",
            100 * g.spent_ns / g.grid_ns, unit_format_ns(spent, g.spent_ns, 3),
            unit_format_ns(grid, g.grid_ns, 3));
}

/* The open arms by name: with a choice that is sure, those that may take its place. */
static void add_open(struct text *out, const struct summary *s)
{
    const struct choice *c = &s->choice;
    const char *before = NULL;
    int n = 0;
    for (size_t i = 0; i < c->nopen; i++) {
        if (c->state == CHOICE_TIED && summary_compare_size(s, c->open[i], c->arm) >= 0)
            continue;
        if (before)
            text_sayf(out, "%s%s", n++ ? ", " : "", before);
        before = s->result->arms[c->open[i]].name;
    }
    if (before)
        text_sayf(out, "%s%s.\n", n ? " and " : "", before);
}

/* What the chosen setting is surely, or would be. */
static void add_claim(struct text *out, const struct result *r)
{
    if (r->max_stall > 0)
        text_sayf(out, "keeps the consumer waiting for at most %g %% of the time", 100 * r->max_stall);
    else
        text_sayf(out, "is within %g %% of the lowest cost", 100 * r->margin);
}

static void add_decided(struct text *out, const struct summary *s, const char *name)
{
    text_sayf(out, "Recommendation: %s. It ", name);
    add_claim(out, s->result);
    if (s->choice.state == CHOICE_DECIDED)
        text_sayf(out, ",\nand no smaller setting %s", s->result->max_stall > 0 ? "does" : "is");
    text_sayf(out, ", at %g %% confidence.\n", 100 * (1 - s->result->alpha));
}

static void add_undecided(struct text *out, const struct summary *s, const char *name)
{
    text_sayf(out, "Recommendation: %s is the best guess. That it ", name);
    add_claim(out, s->result);
    text_sayf(out, "\nwas not decided at %g %% confidence.\n", 100 * (1 - s->result->alpha));
}

void table_add_choice(struct text *out, const struct summary *s)
{
    const struct choice *c = &s->choice;
    char more[UNIT_TEXT];
    if (c->state == CHOICE_NONE) {
        text_add(out, s->result->max_stall > 0 && s->invocations_valid
                          ? "No recommendation: every setting keeps the consumer waiting longer than that.\n"
                          : "No recommendation: nothing usable was measured.\n");
        return;
    }
    const char *name = s->result->arms[c->arm].name;
    if (s->result->narms == 1)
        text_sayf(out, "Only one setting was measured: %s.\n", name);
    else if (c->state == CHOICE_UNDECIDED)
        add_undecided(out, s, name);
    else
        add_decided(out, s, name);
    if (!c->nopen || c->state == CHOICE_DECIDED)
        return;
    if (c->state == CHOICE_TIED) {
        text_add(out, "Whether a smaller setting ");
        add_claim(out, s->result);
        text_add(out, ", too, was not decided: ");
    } else {
        text_add(out, "Still in the race: ");
    }
    add_open(out, s);
    if (isfinite(c->more_ns))
        text_sayf(out, "To decide, about %s more of measuring would be needed (--budget).\n",
                  unit_format_ns(more, c->more_ns, 2));
}

enum { BOUNDS_MAX = 8 };

void table_add_bound(struct text *out, const struct summary *s, bool recommend)
{
    int only = recommend && s->choice.state != CHOICE_NONE ? s->choice.arm : -1;
    for (int i = 0; i < (int)s->result->narms && (only >= 0 || i < BOUNDS_MAX); i++) {
        if ((only >= 0 && i != only) || result_bound(s, i) == BOUND_UNKNOWN)
            continue;
        text_sayf(out, "What bounds %s: ", s->result->arms[i].name);
        result_bound_text(s, i, out);
        text_add(out, ".\n");
    }
}

static void add_left_out(struct text *out, const struct result *r)
{
    char first[256];
    int64_t n = result_left_out(r, first, sizeof first);
    if (n)
        text_sayf(out,
                  "Left out by --on-error skip: %lld broken samples in all trials together; the first: %s\n",
                  (long long)n, first);
}

static void add_pauses(struct text *out, const struct result *r)
{
    for (size_t i = 0; i < r->npauses; i++) {
        char pause[UNIT_TEXT], spent[UNIT_TEXT];
        const struct pause *p = &r->pauses[i];
        text_sayf(out, "Went on after a pause of %s, behind %lld invocations and %s of measuring.\n",
                  unit_format_ns(pause, fmax(p->pause_ns, 1e9), 2), (long long)p->invocations,
                  unit_format_ns(spent, p->spent_ns, 2));
    }
}

void table_add_caveats(struct text *out, const struct summary *s)
{
    add_left_out(out, s->result);
    add_pauses(out, s->result);
    if (s->invocations_void || s->blocks_void)
        text_sayf(out,
                  "Not counted, by rules that do not look at the outcome: %d of %d invocations, %d blocks.\n",
                  s->invocations_void, s->invocations_void + s->invocations_valid, s->blocks_void);
    for (size_t i = 0; i < s->result->narms; i++)
        if (s->arms[i].standing == ARM_NOT_MEASURED || s->result->arms[i].failure)
            text_sayf(out, "Not measured: %s: %s\n", s->result->arms[i].name,
                      s->arms[i].note ? s->arms[i].note : s->result->arms[i].failure);
}

int table_add_checks(struct text *out, const struct result *r, bool *unfit, struct err *err)
{
    struct session_check checks[SESSION_CHECKS];
    int rc = summary_checks(r, checks, unfit, err);
    for (size_t i = 0; !rc && *unfit && i < SESSION_CHECKS; i++)
        if (checks[i].failed)
            text_sayf(out, "Speaks against these figures: %s (%s: %.2g, limit %.2g).\n", checks[i].text,
                      checks[i].name, checks[i].value, checks[i].limit);
    return rc;
}
