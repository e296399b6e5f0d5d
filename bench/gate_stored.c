/* A gate against stored results: sessions measured at different times, so that the spread between sessions decides how
 * much a difference says. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "baseline.h"
#include "gate.h"
#include "harness/plan.h"
#include "results/stats/holm.h"

/* ---- measuring one session of the suite ---- */

static int add_arms(struct gate *g, struct err *err)
{
    struct result *r = &g->m.result, plan = {0};
    int rc = suite_add_arms(g->suite, g->m.budget.cpus, &plan, err);
    for (size_t i = 0; !rc && i < plan.narms; i++)
        if (gate_wants(g->settings, plan.arms[i].name))
            rc = plan_add(r, plan.arms[i].name, plan.arms[i].subject, &plan.arms[i].workload,
                          &plan.arms[i].setting, err);
    if (!rc && !r->narms)
        rc = err_set(err, -EINVAL, "--filter: none of the %zu settings has '%s' in its name", plan.narms,
                     g->settings->filter);
    result_fini(&plan);
    return rc ? rc : measure_check(&g->m, g->io->err, err);
}

static int measure_session(struct gate *g, struct err *err)
{
    struct result_writer *writer;
    struct progress progress;
    int rc = measure_create_file(&g->m, &writer, err);
    if (rc)
        return rc;
    struct session_config cfg = gate_session(g, writer, &progress);
    cfg.invocations = (int)g->settings->runs;
    rc = session_run(&cfg, err);
    progress_end(&progress);
    result_writer_close(writer);
    return rc;
}

/* ---- saving a baseline ---- */

/* A baseline holds sessions of one machine. */
static int check_kin(struct gate *g, struct err *err)
{
    const struct gate_settings *s = g->settings;
    struct baseline there;
    struct err none = {0};
    if (baseline_open(&there, s->folder, s->save, NULL, &none))
        return 0; /* it is a new one */
    const struct baseline_machine that = baseline_machine_of(s->save, &there.session[0]),
                                  here = baseline_machine_of("this machine", &g->m.result);
    int same = baseline_same_machine(&that, &here, &g->report.warnings, err);
    baseline_close(&there);
    if (same < 0 || same || s->any_machine)
        return same < 0 ? same : 0;
    return err_set(err, -EXDEV,
                   "the baseline '%s' is of another machine (--any-machine adds to it all the same)",
                   s->save);
}

static int report_saved(struct gate *g, int rc, const struct err *why)
{
    struct gate_report *r = &g->report;
    for (size_t i = 0; !rc && i < g->m.result.narms; i++)
        if (g->m.result.arms[i].failure) {
            struct err failed = {0};
            rc = err_set(&failed, -EIO, "'%s' could not be measured: %s", g->m.result.arms[i].name,
                         g->m.result.arms[i].failure);
            gate_report_fail(r, rc, &failed);
        }
    if (rc) {
        if (!*r->failure)
            gate_report_fail(r, rc, why);
        unlink(g->m.path); /* half a baseline is none */
        return 0;
    }
    r->exit = BENCH_EXIT_DONE;
    r->word = "SAVED";
    r->path = g->m.path;
    return 0;
}

int gate_save(struct gate *g, struct err *err)
{
    const struct gate_settings *s = g->settings;
    struct err why = {0};
    char *path = NULL;
    int rc = gate_report_init(&g->report, 0, err);
    rc = rc ? rc : add_arms(g, err);
    if (rc)
        return rc;
    rc = check_kin(g, &why);
    if (rc == -EXDEV) {
        gate_report_fail(&g->report, rc, &why);
        return 0;
    }
    rc = rc ? err_set(err, rc, "%s", why.text) : baseline_new_path(s->folder, s->save, &path, err);
    if (rc)
        return rc;
    g->m.set.output = path;
    rc = measure_session(g, &why);
    if (!rc || g->m.path)
        rc = report_saved(g, rc, &why);
    else
        rc = err_set(err, rc, "%s", why.text);
    free(path);
    return rc;
}

/* ---- comparing ---- */

/* All sessions against the first of the baseline. */
static int check_machines(struct gate *g, const struct baseline *a, const struct compare_side *b,
                          struct err *err)
{
    struct baseline_machine first = baseline_machine_of(NULL, &a->session[0]), other;
    int same = 1;
    for (size_t i = 1; same > 0 && i < a->n; i++) {
        other = baseline_machine_of(NULL, &a->session[i]);
        same = baseline_same_machine(&first, &other, &g->report.warnings, err);
    }
    first.name = "the baseline";
    for (size_t i = 0; same > 0 && i < b->n; i++) {
        other = baseline_machine_of("the candidate", &b->session[i]);
        same = baseline_same_machine(&first, &other, &g->report.warnings, err);
    }
    if (same < 0)
        return same;
    if (same || g->settings->any_machine)
        return 0;
    return err_set(err, -EXDEV, "the baseline is of another machine (--any-machine compares all the same)");
}

static int check_sessions(const struct gate *g, size_t a, size_t b, struct err *err)
{
    if (a + b > 2 || g->settings->across > 0)
        return 0;
    return err_set(
        err, -EXDEV,
        "one session a side: the spread between sessions cannot be known; add sessions to the baseline "
        "(--save-baseline), or assume a spread (--across-sessions 10%%)");
}

static int row_margin(const struct gate *g, const char *arm, double *out, struct err *err)
{
    struct result plan = {0};
    int rc = g->suite ? suite_add_arms(g->suite, g->m.budget.cpus, &plan, err) : 0;
    int index = rc ? -1 : result_arm_named(&plan, arm);
    *out = g->settings->margin;
    if (index >= 0)
        rc = gate_margin(g, (size_t)index, plan.narms, out, err);
    result_fini(&plan);
    return rc;
}

/* A row of the comparison becomes one of the report; *p is its p-value, NaN when it is not judged. */
static int add_row(struct gate *g, const struct compare_row *from, const struct result_figure *f, double *p,
                   struct err *err)
{
    struct gate_row *row = &g->report.row[g->report.nrows++];
    row->metric = f->name;
    row->counts = "sessions";
    row->n = from->sessions_a + from->sessions_b;
    row->ratio = row->low = row->high = NAN;
    row->smallest_seen = INFINITY;
    snprintf(row->note, sizeof row->note, "%s", from->note);
    row->name = strdup(from->arm);
    int rc = row->name ? row_margin(g, from->arm, &row->margin, err) : err_set(err, -ENOMEM, "out of memory");
    *p = NAN;
    if (from->state == COMPARE_ONLY_B) {
        row->is_new = true;
        snprintf(row->note, sizeof row->note, "the baseline does not have it");
    } else if (from->state == COMPARE_ONLY_A) {
        row->missing = true;
        snprintf(row->note, sizeof row->note, "the candidate lacks it");
    } else if (from->state != COMPARE_KNOWN) {
        row->missing = true;
    } else {
        double alpha = g->settings->alpha, low = stats_pooled_lower(&from->ln, alpha);
        row->ratio = exp(from->ln.difference);
        row->low = exp(stats_pooled_lower(&from->ln, 0.025));
        row->high = exp(stats_pooled_upper(&from->ln, 0.025));
        row->smallest_seen = exp(log1p(row->margin) + from->ln.difference - low);
        row->verdict =
            stats_pooled_upper(&from->ln, alpha) < log1p(row->margin) ? STATS_PASS : STATS_INCONCLUSIVE;
        if (g->settings->rule == DUEL_DETECT)
            row->verdict = row->smallest_seen <= 1 + g->settings->effect ? STATS_PASS : STATS_INCONCLUSIVE;
        *p = stats_pooled_above(&from->ln, log1p(row->margin));
    }
    return rc;
}

/* Rows whose deliveries were not compared are judged all the same, but it is said: one line a reason. */
static void note_delivery(struct gate *g, const struct compare *c)
{
    for (int d = COMPARE_DELIVERY_SAME + 1; d < COMPARE_DELIVERY_REASONS; d++) {
        const char *first = NULL;
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++) {
            const struct compare_row *row = &c->row[i];
            bool judged = row->state == COMPARE_KNOWN || row->state == COMPARE_ONE_SESSION;
            if (!judged || (int)row->delivery != d || !gate_wants(g->settings, row->arm))
                continue;
            first = first ? first : row->arm;
            n++;
        }
        if (n == 1)
            text_sayf(&g->report.warnings, "delivery not compared: '%s': %s\n", first,
                      compare_delivery_text((enum compare_delivery)d));
        else if (n)
            text_sayf(&g->report.warnings, "delivery not compared: '%s' and %zu more: %s\n", first, n - 1,
                      compare_delivery_text((enum compare_delivery)d));
    }
}

/* REGRESSION where Holm over the rows that are judged lets it be said; the verdict on all of them. */
static int judge(struct gate *g, const double *p, enum stats_verdict *out, struct err *err)
{
    struct gate_report *r = &g->report;
    size_t n = 0, judged = 0;
    double *adjusted = calloc(2 * r->nrows + 1, sizeof *adjusted), *compact = adjusted + r->nrows;
    if (!adjusted)
        return err_set(err, -ENOMEM, "out of memory for %zu rows", r->nrows);
    for (size_t i = 0; i < r->nrows; i++)
        if (isfinite(p[i]))
            compact[n++] = p[i];
    int rc = stats_holm(compact, n, adjusted, err);
    *out = n ? STATS_PASS : STATS_INCONCLUSIVE;
    for (size_t i = 0; !rc && i < r->nrows; i++) {
        if (!isfinite(p[i]))
            continue;
        if (adjusted[judged++] <= g->settings->alpha)
            r->row[i].verdict = STATS_REGRESSION;
        if (r->row[i].verdict == STATS_REGRESSION)
            *out = STATS_REGRESSION;
        else if (r->row[i].verdict == STATS_INCONCLUSIVE && *out == STATS_PASS)
            *out = STATS_INCONCLUSIVE;
    }
    free(adjusted);
    return rc;
}

static int compare_all(struct gate *g, const struct compare_side *a, const struct compare_side *b,
                       struct err *err)
{
    struct compare c = {0};
    double *p = NULL, spread = log1p(g->settings->across);
    int rc = 0;
    for (size_t f = 0; !rc && f < g->nfigures; f++) {
        rc = compare_create(a, b, &g->figure[f], spread, &c, err);
        size_t most = g->report.nrows + c.n;
        struct gate_row *rows = rc ? NULL : realloc(g->report.row, (most + 1) * sizeof *rows);
        g->report.row = rows ? rows : g->report.row;
        double *more = rc ? NULL : realloc(p, (most + 1) * sizeof *more);
        p = more ? more : p;
        if (!rc && (!rows || !more))
            rc = err_set(err, -ENOMEM, "out of memory for %zu rows", most);
        for (size_t i = 0; !rc && i < c.n; i++)
            if (gate_wants(g->settings, c.row[i].arm)) {
                memset(&g->report.row[g->report.nrows], 0, sizeof *rows);
                rc = add_row(g, &c.row[i], &g->figure[f], &p[g->report.nrows], err);
            }
        if (!rc && !f)
            note_delivery(g, &c);
        compare_fini(&c);
    }
    enum stats_verdict v = STATS_INCONCLUSIVE;
    if (!rc && !g->report.nrows)
        rc = err_set(err, -EINVAL, "--filter: no row has '%s' in its name", g->settings->filter);
    rc = rc ? rc : judge(g, p, &v, err);
    if (!rc)
        gate_report_conclude(&g->report, v, gate_inconclusive_exit(g->settings));
    free(p);
    return rc;
}

/* The candidate is measured now, after it is known that a comparison can say something. */
static int against_now(struct gate *g, const struct baseline *a, struct err *err)
{
    const struct compare_side now = {.session = &g->m.result, .n = 1};
    const struct compare_side side = baseline_side(a);
    struct err why = {0};
    int rc = add_arms(g, err);
    if (rc)
        return rc;
    g->m.result.seed = a->session[0].seed; /* the same samples */
    rc = check_machines(g, a, &now, &why);
    rc = rc ? rc : check_sessions(g, a->n, 1, &why);
    rc = rc ? rc : measure_session(g, &why);
    g->report.path = g->m.path;
    if (rc) {
        gate_report_fail(&g->report, rc, &why);
        return 0;
    }
    return compare_all(g, &side, &now, err);
}

static int against_stored(struct gate *g, const struct baseline *a, struct err *err)
{
    struct baseline b;
    struct err why = {0};
    int rc = baseline_open(&b, g->settings->folder, g->settings->candidate,
                           g->settings->quiet ? NULL : g->io->err, err);
    if (rc)
        return rc;
    const struct compare_side from = baseline_side(a), to = baseline_side(&b);
    int unfit = check_machines(g, a, &to, &why);
    unfit = unfit ? unfit : check_sessions(g, a->n, b.n, &why);
    if (unfit)
        gate_report_fail(&g->report, unfit, &why);
    else
        rc = compare_all(g, &from, &to, err);
    baseline_close(&b);
    return rc;
}

int gate_stored(struct gate *g, struct err *err)
{
    struct baseline a;
    int rc = gate_report_init(&g->report, 0, err);
    g->report.look = g->report.looks = 1;
    rc = rc ? rc
            : baseline_open(&a, g->settings->folder, g->settings->baseline,
                            g->settings->quiet ? NULL : g->io->err, err);
    if (rc)
        return rc;
    rc = g->settings->candidate ? against_stored(g, &a, err) : against_now(g, &a, err);
    baseline_close(&a);
    return rc;
}
