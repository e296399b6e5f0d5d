/* The columns of the table of settings, and the lines of a setting's details. */
#include <math.h>
#include <string.h>

#include "base/unit.h"
#include "page.h"
#include "report_parts.h"

static void add_ns_interval(struct text *t, const struct estimate *e)
{
    char buf[2 * UNIT_TEXT];
    if (!isfinite(e->value))
        text_add(t, "-");
    else if (e->ci.known)
        text_add(t, unit_format_ns_interval(buf, e->ci.low, e->ci.high, summary_digits(e->value, &e->ci)));
    else
        text_addf(t, "n = %d: no interval", e->n);
}

static void add_ns(struct text *t, const struct estimate *e)
{
    page_add_ns(t, e->value, summary_digits(e->value, &e->ci));
}

static int decimals_for(const struct estimate *e)
{
    return summary_ratio_decimals(e->value, e->ci.low, e->ci.high);
}

static void cell_setting(struct text *t, const struct summary *s, size_t i)
{
    const char *name = s->result->arms[i].name;
    text_add(t, name && *name ? name : "(no name)");
}

static void cell_cost(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].cost_ns);
}

static double sort_cost(const struct summary *s, size_t i)
{
    return s->arms[i].cost_ns.value;
}

static void cell_cost_interval(struct text *t, const struct summary *s, size_t i)
{
    add_ns_interval(t, &s->arms[i].cost_ns);
}

static double sort_cost_low(const struct summary *s, size_t i)
{
    return s->arms[i].cost_ns.ci.known ? s->arms[i].cost_ns.ci.low : NAN;
}

static void cell_rate(struct text *t, const struct summary *s, size_t i)
{
    char buf[UNIT_TEXT];
    text_add(t, unit_format_rate(buf, s->arms[i].rate_per_s.value,
                                 summary_digits(s->arms[i].cost_ns.value, &s->arms[i].cost_ns.ci)));
}

static double sort_rate(const struct summary *s, size_t i)
{
    return s->arms[i].rate_per_s.value;
}

static void cell_item(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].item_ns);
}

static double sort_item(const struct summary *s, size_t i)
{
    return s->arms[i].item_ns.value;
}

static void cell_p95(struct text *t, const struct summary *s, size_t i)
{
    page_add_ns(t, s->arms[i].item_p95_ns, 3);
}

static double sort_p95(const struct summary *s, size_t i)
{
    return s->arms[i].item_p95_ns;
}

static void cell_cpu(struct text *t, const struct summary *s, size_t i)
{
    add_ns(t, &s->arms[i].cpu_ns);
}

static double sort_cpu(const struct summary *s, size_t i)
{
    return s->arms[i].cpu_ns.value;
}

static void cell_cpus(struct text *t, const struct summary *s, size_t i)
{
    text_addf(t, "%d of %d", s->result->arms[i].cpus_asked, s->result->cpu_budget);
}

static double sort_cpus(const struct summary *s, size_t i)
{
    return s->result->arms[i].cpus_asked;
}

/* Rows of different workloads are not compared with one another. */
static bool is_compared(const struct summary *s, size_t i)
{
    return isfinite(s->arms[i].to_best.value) && (s->result->narms < 2 || result_is_race(s->result));
}

static void cell_to_best(struct text *t, const struct summary *s, size_t i)
{
    if (is_compared(s, i))
        text_addf(t, "%.*f", decimals_for(&s->arms[i].to_best), s->arms[i].to_best.value);
    else
        text_add(t, "-");
}

static double sort_to_best(const struct summary *s, size_t i)
{
    return is_compared(s, i) ? s->arms[i].to_best.value : NAN;
}

static void cell_to_best_interval(struct text *t, const struct summary *s, size_t i)
{
    const struct estimate *e = &s->arms[i].to_best;
    if (!is_compared(s, i))
        text_add(t, "-");
    else if (e->ci.known)
        text_addf(t, "%.*f .. %.*f", decimals_for(e), e->ci.low, decimals_for(e), e->ci.high);
    else
        text_addf(t, "n = %d: no interval", e->n);
}

static double sort_to_best_high(const struct summary *s, size_t i)
{
    return is_compared(s, i) && s->arms[i].to_best.ci.known ? s->arms[i].to_best.ci.high : NAN;
}

static void cell_n(struct text *t, const struct summary *s, size_t i)
{
    const struct estimate *e = &s->arms[i].cost_ns;
    if (e->n_effective != e->n)
        text_addf(t, "%d (as %d)", e->n, e->n_effective);
    else
        text_addf(t, "%d", e->n);
}

static double sort_n(const struct summary *s, size_t i)
{
    return s->arms[i].cost_ns.n;
}

static void cell_standing(struct text *t, const struct summary *s, size_t i)
{
    if (s->arms[i].standing != ARM_NOT_MEASURED && !is_compared(s, i))
        text_add(t, "-");
    else if (s->choice.state != CHOICE_NONE && s->choice.arm == (int)i)
        text_add(t, s->choice.state == CHOICE_UNDECIDED ? "best guess" : "recommended");
    else
        text_add(t, summary_standing_word(s->arms[i].standing));
}

const struct report_column report_columns[] = {
    {"Setting", "workers and threads, or the name given", true, cell_setting, NULL},
    {"Standing",
     "good: surely within the margin; worse: surely beyond it; slower: surely slower than a smaller setting",
     true, cell_standing, NULL},
    {"Cost of a sample", "consumer's wall time for a sample", false, cell_cost, sort_cost},
    {"Interval", "of the cost", false, cell_cost_interval, sort_cost_low},
    {"Rate", "samples a second", false, cell_rate, sort_rate},
    {"Item", "time inside the dataset and the transforms", false, cell_item, sort_item},
    {"Item p95", "95 in 100 items take at most as long", false, cell_p95, sort_p95},
    {"CPU time", "of all processes, for a sample", false, cell_cpu, sort_cpu},
    {"CPUs", "asked for, of those there are", false, cell_cpus, sort_cpus},
    {"Over the best", "cost over the best setting's", false, cell_to_best, sort_to_best},
    {"Interval", "of the cost over the best setting's", false, cell_to_best_interval, sort_to_best_high},
    {"n", "invocations; in brackets: as many independent ones", false, cell_n, sort_n},
};
const size_t report_ncolumns = sizeof report_columns / sizeof *report_columns;

/* ---- details ---- */

static bool add_estimate(struct text *t, const struct estimate *e)
{
    char buf[2 * UNIT_TEXT];
    if (!isfinite(e->value))
        return false;
    add_ns(t, e);
    if (e->ci.known)
        text_addf(t, " (%g %%: %s)", 100 * e->ci.level,
                  unit_format_ns_interval(buf, e->ci.low, e->ci.high, summary_digits(e->value, &e->ci)));
    else
        text_addf(t, e->n_effective < e->n ? " (n = %d, as %d: no interval)" : " (n = %d: no interval)", e->n,
                  e->n_effective);
    return true;
}

static bool detail_workload(struct text *t, const struct summary *s, size_t i)
{
    const struct workload *w = &s->result->arms[i].workload;
    text_addf(t, "%s on %s, %s sampler, batches of %lld",
              w->transform && *w->transform ? w->transform : "no transform", w->data ? w->data : "-",
              w->sampler ? w->sampler : "-", (long long)w->batch_size);
    if (w->consumer)
        text_addf(t, ", a consumer step of %s", w->consumer);
    if (w->on_error)
        text_addf(t, ", on an error: %s", w->on_error);
    if (w->cache)
        text_addf(t, ", %s page cache", w->cache);
    return true;
}

static bool detail_setting(struct text *t, const struct summary *s, size_t i)
{
    const struct setting *g = &s->result->arms[i].setting;
    text_addf(t, "%d worker%s, %d thread%s each, prefetch factor %d, affinity %s, backend %s", g->workers,
              g->workers == 1 ? "" : "s", g->threads, g->threads == 1 ? "" : "s", g->prefetch_factor,
              g->affinity ? g->affinity : "-", g->backend ? g->backend : "-");
    if (g->reserve_main)
        text_add(t, ", a CPU kept for the main process");
    return true;
}

static bool detail_subject(struct text *t, const struct summary *s, size_t i)
{
    const char *subject = s->result->arms[i].subject;
    if (!subject || !strcmp(subject, "core"))
        return false;
    text_add(t, subject);
    return true;
}

static bool detail_cost(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].cost_ns);
}

/* The check beside the median, against the setting that seems best. */
static bool detail_trimmed(struct text *t, const struct summary *s, size_t i)
{
    int best = s->choice.best;
    const struct estimate *m = &s->arms[i].to_best;
    if (best < 0 || best == (int)i || !is_compared(s, i) || !m->ci.known)
        return false;
    struct estimate e = summary_ratio_trimmed(s->result, (int)i, best, METRIC_COST_NS, m->ci.level);
    if (!e.ci.known)
        return false;
    int d = decimals_for(&e);
    text_addf(t, "%.*f times that of %s (%g %%: %.*f .. %.*f, n = %d)%s", d, e.value,
              s->result->arms[best].name, 100 * e.ci.level, d, e.ci.low, d, e.ci.high, e.n,
              e.ci.low > m->ci.high || e.ci.high < m->ci.low
                  ? "; the median tells another story: look at the pictures"
                  : "");
    return true;
}

static bool detail_item(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].item_ns);
}

static void add_quantile(struct text *t, const char *name, double value, const struct interval *ci)
{
    char buf[2 * UNIT_TEXT];
    int digits = summary_digits(value, ci);
    text_add(t, name);
    page_add_ns(t, value, digits);
    if (ci->known)
        text_addf(t, " (of one invocation %s)", unit_format_ns_interval(buf, ci->low, ci->high, digits));
    else
        text_add(t, " (no interval)");
}

static bool detail_quantiles(struct text *t, const struct summary *s, size_t i)
{
    const struct arm_summary *a = &s->arms[i];
    if (!isfinite(a->item_p50_ns))
        return false;
    add_quantile(t, "p50 ", a->item_p50_ns, &a->item_p50_ci);
    add_quantile(t, ", p95 ", a->item_p95_ns, &a->item_p95_ci);
    add_quantile(t, ", p99 ", a->item_p99_ns, &a->item_p99_ci);
    text_add(t, ", longest ");
    page_add_ns(t, a->item_max_ns, 3);
    return true;
}

static bool detail_cpu(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].cpu_ns);
}

static bool detail_overhead(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].overhead_ns);
}

static bool detail_start(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].start_ns);
}

static bool detail_first_batch(struct text *t, const struct summary *s, size_t i)
{
    return add_estimate(t, &s->arms[i].first_batch_ns);
}

static bool detail_waits(struct text *t, const struct summary *s, size_t i)
{
    bool any = false;
    for (int c = 0; c < RESULT_WAIT_CAUSES; c++) {
        const struct estimate *e = &s->arms[i].wait_ns[c];
        if (!isfinite(e->value) || e->value <= 0)
            continue;
        text_addf(t, "%s%s ", any ? ", " : "", result_wait_names[c]);
        any = add_estimate(t, e);
    }
    return any;
}

static bool detail_effort(struct text *t, const struct summary *s, size_t i)
{
    return summary_effort_text(s->result, (int)i, t);
}

static bool detail_dropped(struct text *t, const struct summary *s, size_t i)
{
    int look = s->arms[i].dropped_at_look;
    if (look > 0)
        text_addf(t, "left the race at look %d, being surely %s", look,
                  s->arms[i].standing == ARM_SLOWER ? "slower than a smaller setting" : "worse");
    return look > 0;
}

static bool detail_note(struct text *t, const struct summary *s, size_t i)
{
    if (!s->arms[i].note)
        return false;
    text_add(t, s->arms[i].note);
    return true;
}

/* What was found where a placement did not hold, the first of them. */
static bool detail_placement(struct text *t, const struct summary *s, size_t arm)
{
    const struct result *r = s->result;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t k = 0; k < r->invocations[i].ntrials; k++) {
            const struct trial *trial = &r->invocations[i].trials[k];
            if (trial->arm != (int)arm || !trial->placement_text)
                continue;
            text_addf(t, "invocation %d: %s", r->invocations[i].index, trial->placement_text);
            return true;
        }
    return false;
}

const struct report_detail report_details[] = {
    {"Workload", detail_workload},
    {"Setting", detail_setting},
    {"Subject", detail_subject},
    {"Cost of a sample", detail_cost},
    {"By the trimmed mean", detail_trimmed},
    {"Item", detail_item},
    {"Items", detail_quantiles},
    {"CPU time of a sample", detail_cpu},
    {"Loader's own time", detail_overhead},
    {"Waiting of the consumer", detail_waits},
    {"Start-up", detail_start},
    {"First batch", detail_first_batch},
    {"Best use of the next minute", detail_effort},
    {"Race", detail_dropped},
    {"Placement", detail_placement},
    {"Note", detail_note},
};
const size_t report_ndetails = sizeof report_details / sizeof *report_details;
