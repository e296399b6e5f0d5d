/* Settings as comma-separated values: a column for each part of each figure, and for each counter that some setting has. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "results/counted.h"
#include "results/csv.h"

/* ---- counters: the names of all settings, each once ---- */

struct names {
    const char **item; /* borrowed from the result */
    size_t n;
};

static bool has_name(const struct names *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->item[i], name))
            return true;
    return false;
}

static void add_names(struct names *all, const struct trial *t, struct text *out)
{
    const char **more = t ? realloc(all->item, (all->n + t->ncounters + 1) * sizeof *more) : NULL;
    out->failed |= t && !more;
    all->item = more ? more : all->item;
    for (size_t i = 0; more && i < t->ncounters; i++)
        if (!has_name(all, t->counters[i].name))
            all->item[all->n++] = t->counters[i].name;
}

/* ---- head ---- */

/* A column's name made of up to three parts. */
static void head(struct text *out, const char *a, const char *b, const char *c)
{
    struct text name = {0};
    text_add(&name, a);
    text_add(&name, b);
    text_add(&name, c);
    csv_field(out, false, text_get(&name));
    out->failed |= name.failed;
    text_fini(&name);
}

static void add_head(const struct names *counters, struct text *out)
{
    static const char *const words[] = {"state",    "recommended",     "dropped_at_look", "subject",
                                        "data",     "transform",       "sampler",         "batch_size",
                                        "consumer", "on_error",        "cache",           "workers",
                                        "threads",  "prefetch_factor", "affinity",        "backend",
                                        "main",     "cpus_asked",      "ci_level"};
    static const char *const last[] = {"variance_invocation_ratio", "variance_block_ratio",
                                       "variance_turn_ratio", "repeat_next", "note"};
    csv_field(out, true, "name");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        head(out, words[i], "", "");
    for (size_t i = 0; i < outcome_nfigures; i++) {
        const struct outcome_figure *f = &outcome_figures[i];
        head(out, f->stem, f->unit, "");
        if (f->alone)
            continue;
        head(out, f->stem, "_low", f->unit);
        head(out, f->stem, "_high", f->unit);
        if (f->interval)
            continue;
        head(out, f->stem, "_n", "");
        head(out, f->stem, "_n_effective", "");
    }
    for (size_t i = 0; i < counters->n; i++) {
        head(out, "counter:", counters->item[i], "");
        head(out, "counter:", counters->item[i], ":share");
    }
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        head(out, last[i], "", "");
    csv_end(out);
}

/* ---- records ---- */

static void field(struct text *out, const char *s)
{
    csv_field(out, false, s ? s : "");
}

static void add_setting(const struct outcome *o, size_t i, struct text *out)
{
    const struct arm *a = &o->summary->result->arms[i];
    const struct workload *w = &a->workload;
    const struct setting *s = &a->setting;
    csv_field(out, true, a->name ? a->name : "");
    field(out, outcome_state(o, i));
    field(out, outcome_recommends(o, i) ? "yes" : "no");
    csv_number(out, false, o->summary->arms[i].dropped_at_look);
    field(out, a->subject);
    field(out, w->data);
    field(out, w->transform);
    field(out, w->sampler);
    csv_number(out, false, (double)w->batch_size);
    field(out, w->consumer);
    field(out, w->on_error);
    field(out, w->cache);
    csv_number(out, false, s->workers);
    csv_number(out, false, s->threads);
    csv_number(out, false, s->prefetch_factor);
    field(out, s->affinity);
    field(out, s->backend);
    field(out, s->reserve_main ? "reserve" : "share");
    csv_number(out, false, a->cpus_asked);
    csv_number(out, false, o->summary->choice.level);
}

static void add_figure(const struct outcome *o, size_t arm, const struct outcome_figure *f, struct text *out)
{
    struct estimate e = outcome_value(o, arm, f);
    bool known = !outcome_missing(o, arm, f), bounded = known && e.ci.known;
    csv_number(out, false, known ? e.value : NAN);
    if (f->alone)
        return;
    csv_number(out, false, bounded ? e.ci.low : NAN);
    csv_number(out, false, bounded ? e.ci.high : NAN);
    if (f->interval)
        return;
    csv_number(out, false, known ? e.n : NAN);
    csv_number(out, false, known ? e.n_effective : NAN);
}

static void add_record(const struct outcome *o, size_t arm, const struct names *counters, struct text *out)
{
    struct outcome_shares shares;
    add_setting(o, arm, out);
    for (size_t i = 0; i < outcome_nfigures; i++)
        add_figure(o, arm, &outcome_figures[i], out);
    for (size_t i = 0; i < counters->n; i++) {
        struct counted c = result_counted(o->summary->result, (int)arm, counters->item[i], NULL);
        csv_number(out, false, *c.reason ? NAN : c.value);
        csv_number(out, false, *c.reason ? NAN : c.share);
    }
    outcome_shares(o, arm, &shares);
    csv_number(out, false, shares.invocation);
    csv_number(out, false, shares.block);
    csv_number(out, false, shares.turn);
    field(out, shares.repeat);
    field(out, o->summary->arms[arm].note);
    csv_end(out);
}

int outcome_csv(const struct outcome *o, struct text *out, struct err *err)
{
    const struct result *r = o->summary->result;
    struct names counters = {0};
    for (size_t a = 0; a < r->narms; a++)
        add_names(&counters, result_first_trial(r, (int)a), out);
    add_head(&counters, out);
    for (size_t a = 0; a < r->narms; a++)
        add_record(o, a, &counters, out);
    free(counters.item);
    return out->failed ? err_set(err, -ENOMEM, "out of memory for the result as CSV") : 0;
}
