/* Settings as JSON: null with the reason where something is not known. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "export.h"
#include "outcome.h"
#include "results/bound.h"
#include "results/checks.h"
#include "results/counted.h"
#include "results/json.h"

enum { OUTCOME_SCHEMA = 1 };

/* ---- figures ---- */

static void put_interval(json_t *o, const struct estimate *e, bool known)
{
    json_object_set_new(o, "low", result_json_real(known ? e->ci.low : NAN));
    json_object_set_new(o, "high", result_json_real(known ? e->ci.high : NAN));
}

/* missing: why there is no value; NULL = there is one. */
static json_t *estimate_json(const struct estimate *e, const char *missing)
{
    char few[64];
    json_t *o = json_pack("{s:o}", "value", result_json_real(missing ? NAN : e->value));
    put_interval(o, e, !missing && e->ci.known);
    json_object_set_new(o, "n", json_integer(missing ? 0 : e->n));
    json_object_set_new(o, "n_effective", json_integer(missing ? 0 : e->n_effective));
    snprintf(few, sizeof few, "n = %d: too few invocations", e->n_effective);
    if (missing)
        json_object_set_new(o, "unavailable", result_json_text(missing));
    else if (!e->ci.known)
        json_object_set_new(o, "no_interval", result_json_text(few));
    return o;
}

static json_t *figure_json(const struct outcome *o, size_t arm, const struct outcome_figure *f)
{
    struct estimate e = outcome_value(o, arm, f);
    const char *missing = outcome_missing(o, arm, f);
    if (!f->alone && !f->interval)
        return estimate_json(&e, missing);
    json_t *j = json_pack("{s:o}", "value", result_json_real(missing ? NAN : e.value));
    if (f->interval)
        put_interval(j, &e, !missing && e.ci.known);
    if (missing)
        json_object_set_new(j, "unavailable", result_json_text(missing));
    else if (f->interval && !e.ci.known)
        json_object_set_new(j, "no_interval", json_string("too few invocations"));
    return j;
}

static json_t *figures_json(const struct outcome *o, size_t arm)
{
    json_t *all = json_object();
    for (size_t i = 0; i < outcome_nfigures; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s", outcome_figures[i].stem, outcome_figures[i].unit);
        json_object_set_new(all, key, figure_json(o, arm, &outcome_figures[i]));
    }
    return all;
}

/* ---- counters ---- */

static json_t *counted_json(const char *name, const struct counted *c)
{
    json_t *o = json_pack("{s:o, s:o}", "name", result_json_text(name), "value",
                          result_json_real(*c->reason ? NAN : c->value));
    if (*c->reason)
        json_object_set_new(o, "unavailable", result_json_text(c->reason));
    else
        json_object_set_new(o, "share", result_json_real(c->share));
    return o;
}

static json_t *counters_json(const struct result *r, int arm)
{
    json_t *list = json_array();
    const struct trial *t = result_first_trial(r, arm);
    for (size_t i = 0; t && i < t->ncounters; i++) {
        const char *name = t->counters[i].name;
        struct counted c = result_counted(r, arm, name, NULL);
        json_array_append_new(list, counted_json(name, &c));
    }
    return list;
}

static int derived_json(const struct result *r, int arm, json_t **out, struct err *err)
{
    struct counted derived[DERIVED_FIGURES];
    *out = json_array();
    int rc = result_first_trial(r, arm) ? result_derived(r, arm, derived, err) : -ENODATA;
    for (int f = 0; !rc && f < DERIVED_FIGURES; f++)
        json_array_append_new(*out, counted_json(result_derived_names[f], &derived[f]));
    return rc == -ENODATA ? 0 : rc;
}

/* ---- settings ---- */

static json_t *shares_json(const struct outcome *o, size_t arm)
{
    struct outcome_shares s;
    bool known = outcome_shares(o, arm, &s);
    json_t *j = json_pack("{s:o, s:o, s:o, s:o}", "invocation_ratio", result_json_real(s.invocation),
                          "block_ratio", result_json_real(s.block), "turn_ratio", result_json_real(s.turn),
                          "repeat", result_json_text(s.repeat));
    if (!known)
        json_object_set_new(j, "unavailable", json_string("fewer than two invocations, or no variance"));
    return j;
}

static json_t *bound_json(const struct summary *s, int arm)
{
    struct text t = {0};
    if (result_bound(s, arm) != BOUND_UNKNOWN)
        result_bound_text(s, arm, &t);
    json_t *j = result_json_text(t.len ? text_get(&t) : NULL);
    text_fini(&t);
    return j;
}

static int setting_json(const struct outcome *o, size_t i, json_t **out, struct err *err)
{
    const struct arm *a = &o->summary->result->arms[i];
    const struct arm_summary *s = &o->summary->arms[i];
    json_t *derived;
    int rc = derived_json(o->summary->result, (int)i, &derived, err);
    *out = json_pack("{s:o, s:s, s:b, s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "name",
                     result_json_text(a->name), "state", outcome_state(o, i), "recommended",
                     outcome_recommends(o, i), "dropped_at_look", s->dropped_at_look, "note",
                     result_json_text(s->note), "subject", result_json_text(a->subject), "workload",
                     result_json_workload(&a->workload), "setting", result_json_setting(&a->setting),
                     "cpus_asked", a->cpus_asked, "figures", figures_json(o, i), "variance",
                     shares_json(o, i), "bound", bound_json(o->summary, (int)i), "counters",
                     counters_json(o->summary->result, (int)i), "derived", derived);
    return rc;
}

/* ---- the session ---- */

static json_t *recommendation_json(const struct outcome *o)
{
    static const char *const states[] = {[CHOICE_NONE] = "none",
                                         [CHOICE_DECIDED] = "decided",
                                         [CHOICE_TIED] = "tied",
                                         [CHOICE_UNDECIDED] = "undecided"};
    const struct choice *c = &o->summary->choice;
    const struct arm *arms = o->summary->result->arms;
    if (!o->race)
        return json_null();
    json_t *open = json_array();
    for (size_t i = 0; i < c->nopen; i++)
        json_array_append_new(open, result_json_text(arms[c->open[i]].name));
    return json_pack("{s:s, s:o, s:o, s:f, s:o, s:o}", "state", states[c->state], "setting",
                     result_json_text(c->state == CHOICE_NONE ? NULL : arms[c->arm].name), "lowest_cost",
                     result_json_text(c->best < 0 ? NULL : arms[c->best].name), "level",
                     1 - o->summary->result->alpha, "open", open, "more_ns", result_json_real(c->more_ns));
}

static json_t *worker_to_main_json(const struct summary *s)
{
    bool there = s->worker_arm >= 0 && s->main_arm >= 0;
    const struct estimate *e = &s->worker_to_main;
    json_t *o = estimate_json(e, !there               ? "the two settings are not in the plan"
                                 : isfinite(e->value) ? NULL
                                                      : "one of them was not measured");
    json_object_set_new(o, "worker", result_json_text(there ? s->result->arms[s->worker_arm].name : NULL));
    json_object_set_new(o, "main", result_json_text(there ? s->result->arms[s->main_arm].name : NULL));
    return o;
}

static int put_checks(json_t *o, const struct result *r, struct err *err)
{
    struct session_check checks[SESSION_CHECKS];
    bool unfit;
    int rc = summary_checks(r, checks, &unfit, err);
    json_t *list = json_array();
    for (size_t i = 0; !rc && i < SESSION_CHECKS; i++) {
        const struct session_check *c = &checks[i];
        json_t *j =
            json_pack("{s:s, s:s, s:o, s:f, s:b, s:b}", "name", c->name, "means", c->text, "value",
                      result_json_real(c->value), "limit", c->limit, "is_p", c->is_p, "failed", c->failed);
        if (!isfinite(c->value))
            json_object_set_new(j, "unavailable", json_string("too few invocations, or not recorded"));
        json_array_append_new(list, j);
    }
    json_object_set_new(o, "unfit", json_boolean(!rc && unfit));
    json_object_set_new(o, "checks", list);
    return rc;
}

static json_t *head_json(const struct outcome *o)
{
    const struct summary *s = o->summary;
    const struct result *r = s->result;
    const struct grid_time time = summary_grid_time(r);
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:b, s:o, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:i, "
                     "s:i, s:i, s:i, s:o, s:o}",
                     "schema", OUTCOME_SCHEMA, "tool", result_json_text(r->tool), "command",
                     result_json_text(r->command), "started", result_json_text(r->started), "commit",
                     result_json_text(r->commit), "exit", o->exit, "failure", result_json_text(o->failure),
                     "interrupted", r->interrupted, "result", result_json_text(o->path), "cpu_budget",
                     r->cpu_budget, "cpu_budget_text", result_json_text(r->cpu_budget_text), "seed",
                     (json_int_t)r->seed, "ci_level", result_json_real(s->choice.level), "margin",
                     result_json_real(r->margin), "max_stall", result_json_real(r->max_stall), "budget_ns",
                     result_json_real(r->budget_ns), "looks_planned", r->looks_planned, "invocations",
                     s->invocations_valid, "invocations_void", s->invocations_void, "blocks_void",
                     s->blocks_void, "spent_ns", result_json_real(time.spent_ns), "grid_ns",
                     result_json_real(time.grid_ns));
}

/* Where the session was stopped, and went on. */
static json_t *pauses_json(const struct result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->npauses; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I, s:o, s:o}", "date", result_json_text(r->pauses[i].date),
                                        "invocations", (json_int_t)r->pauses[i].invocations, "pause_ns",
                                        result_json_real(r->pauses[i].pause_ns), "spent_ns",
                                        result_json_real(r->pauses[i].spent_ns)));
    return list;
}

int outcome_json(const struct outcome *o, struct text *out, struct err *err)
{
    json_t *settings = json_array(), *j = head_json(o);
    int rc = j ? put_checks(j, o->summary->result, err)
               : err_set(err, -ENOMEM, "out of memory for the result as JSON");
    for (size_t i = 0; !rc && i < o->summary->result->narms; i++) {
        json_t *setting;
        rc = setting_json(o, i, &setting, err);
        json_array_append_new(settings, setting);
    }
    json_object_set_new(j, "pauses", pauses_json(o->summary->result));
    json_object_set_new(j, "recommendation", recommendation_json(o));
    json_object_set_new(j, "worker_to_main", worker_to_main_json(o->summary));
    json_object_set_new(j, "settings", settings);
    if (!rc)
        return export_json_take(out, j, JSON_INDENT(2) | JSON_REAL_PRECISION(10), err);
    json_decref(j);
    return rc;
}
