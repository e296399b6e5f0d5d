/* The figures of a setting, the Markdown, and writing all forms. */
#include "outcome.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "bench/command.h"
#include "export.h"
#include "plots/report.h"
#include "table.h"

#define ESTIMATE(member) .offset = offsetof(struct arm_summary, member)
#define QUANTILE(member)                                                                                     \
    .offset = offsetof(struct arm_summary, member##_ns), .interval = offsetof(struct arm_summary, member##_ci)

static const char no_step[] = "no consumer step was emulated";
static const char not_told[] = "the subject does not tell";
static const char not_compared[] =
    "there is no other setting of the workload, or there are several workloads";

const struct outcome_figure outcome_figures[] = {
    {"cost", "_ns", ESTIMATE(cost_ns), .missing = not_told},
    {"rate", "_per_s", ESTIMATE(rate_per_s), .missing = not_told},
    {"to_best", "", ESTIMATE(to_best), .missing = not_compared},
    {"item", "_ns", ESTIMATE(item_ns), .missing = not_told},
    {"item_p50", "_ns", QUANTILE(item_p50), .missing = not_told},
    {"item_p95", "_ns", QUANTILE(item_p95), .missing = not_told},
    {"item_p99", "_ns", QUANTILE(item_p99), .missing = not_told},
    {"item_max", "_ns", ESTIMATE(item_max_ns), .alone = true, .missing = not_told},
    {"cpu", "_ns", ESTIMATE(cpu_ns), .missing = not_told},
    {"overhead", "_ns", ESTIMATE(overhead_ns), .missing = not_told},
    {"stall", "_ratio", ESTIMATE(stall_ratio), .missing = no_step},
    {"wait_startup", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_STARTUP]), .missing = not_told},
    {"wait_compute", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_COMPUTE]), .missing = not_told},
    {"wait_head_of_line", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_HEAD_OF_LINE]), .missing = not_told},
    {"wait_handoff", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_HANDOFF]), .missing = not_told},
    {"wait_pin", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_PIN]), .missing = not_told},
    {"wait_throttled", "_ns", ESTIMATE(wait_ns[RESULT_WAIT_THROTTLED]), .missing = not_told},
    {"start", "_ns", ESTIMATE(start_ns), .missing = not_told},
    {"first_batch", "_ns", ESTIMATE(first_batch_ns), .missing = not_told},
};
const size_t outcome_nfigures = sizeof outcome_figures / sizeof *outcome_figures;

static const struct arm_summary *arm_of(const struct outcome *o, size_t arm)
{
    return &o->summary->arms[arm];
}

bool outcome_recommends(const struct outcome *o, size_t arm)
{
    return o->race && o->summary->choice.state != CHOICE_NONE && o->summary->choice.arm == (int)arm;
}

const char *outcome_state(const struct outcome *o, size_t arm)
{
    const struct result *r = o->summary->result;
    enum arm_standing standing = arm_of(o, arm)->standing;
    if (standing == ARM_NOT_MEASURED)
        return "failed";
    if (!result_is_race(r))
        return "measured";
    bool lowest = standing != ARM_WORSE && o->summary->choice.best == (int)arm;
    return lowest ? "best" : summary_standing_word(standing);
}

struct estimate outcome_value(const struct outcome *o, size_t arm, const struct outcome_figure *f)
{
    const char *at = (const char *)arm_of(o, arm) + f->offset;
    const struct interval none = {.low = NAN, .high = NAN};
    if (!f->alone && !f->interval)
        return *(const struct estimate *)at;
    struct estimate e = {.value = *(const double *)at, .ci = none};
    if (f->interval)
        e.ci = *(const struct interval *)((const char *)arm_of(o, arm) + f->interval);
    return e;
}

const char *outcome_missing(const struct outcome *o, size_t arm, const struct outcome_figure *f)
{
    const struct arm_summary *a = arm_of(o, arm);
    bool compares = f->offset == offsetof(struct arm_summary, to_best);
    if (a->standing == ARM_NOT_MEASURED)
        return a->note ? a->note : "not measured";
    if (compares && !result_is_race(o->summary->result))
        return not_compared;
    return isfinite(outcome_value(o, arm, f).value) ? NULL : f->missing;
}

bool outcome_shares(const struct outcome *o, size_t arm, struct outcome_shares *out)
{
    static const char *const levels[] = {[STATS_LEVEL_INVOCATION] = "invocations",
                                         [STATS_LEVEL_BLOCK] = "blocks",
                                         [STATS_LEVEL_TURN] = "turns"};
    struct effort e;
    *out = (struct outcome_shares){NAN, NAN, NAN, NULL};
    if (summary_effort(o->summary->result, (int)arm, &e, NULL) || !e.components.invocations)
        return false;
    double all = e.components.invocation + e.components.block + e.components.turn;
    if (!(all > 0))
        return false;
    *out = (struct outcome_shares){e.components.invocation / all, e.components.block / all,
                                   e.components.turn / all, levels[e.next]};
    return true;
}

/* ---- Markdown ---- */

static void add_sentence(struct text *out, const char *words)
{
    export_markdown(out, words);
    text_add(out, "\n\n");
}

int outcome_markdown(const struct outcome *o, struct text *out, struct err *err)
{
    struct summary shown = *o->summary;
    const struct result *r = shown.result;
    struct text words[4] = {{0}}, last = {0};
    bool unfit;
    if (!o->race) /* nobody asked for a recommendation: the table names none */
        shown.choice.state = CHOICE_NONE;
    table_add_choice(&words[0], &shown);
    table_add_ratio(&words[1], &shown);
    table_add_caveats(&words[2], &shown);
    int rc = table_add_checks(&words[3], r, &unfit, err);
    const struct report_words said = {text_get(&words[0]), text_get(&words[1]), text_get(&words[2])};
    text_add(out, "## Settings measured\n\n");
    if (o->failure)
        add_sentence(out, o->failure);
    if (o->race)
        report_markdown_answer(&shown, &said, out);
    report_markdown_settings(&shown, out);
    if (!o->race && words[2].len)
        add_sentence(out, said.caveats);
    if (words[3].len)
        add_sentence(out, text_get(&words[3]));
    text_sayf(&last, "%d invocations, intervals at %g %%, seed %llu; result: %s", shown.invocations_valid,
              100 * (1 - r->alpha), (unsigned long long)r->seed, o->path);
    add_sentence(out, text_get(&last));
    for (size_t i = 0; i < 4; i++) {
        out->failed |= words[i].failed;
        text_fini(&words[i]);
    }
    out->failed |= last.failed;
    text_fini(&last);
    return rc ? rc : out->failed ? err_set(err, -ENOMEM, "out of memory for the result as Markdown") : 0;
}

/* ---- writing ---- */

bool outcome_any(const struct outcome_paths *p)
{
    return p->json || p->csv || p->markdown;
}

bool outcome_takes_output(const struct outcome_paths *p)
{
    const char *const all[] = {p->json, p->csv, p->markdown};
    return export_takes_output(all, sizeof all / sizeof *all);
}

/* make: one of the forms above. */
static int write_form(int (*make)(const struct outcome *o, struct text *out, struct err *err),
                      const struct outcome *o, const char *path, FILE *out, struct err *err)
{
    struct text t = {0};
    int rc = path ? make(o, &t, err) : 0;
    if (path && !rc)
        rc = export_write(path, &t, false, out, err);
    text_fini(&t);
    return rc;
}

int outcome_export(const struct outcome *o, const struct outcome_paths *paths, FILE *out, struct err *err)
{
    struct outcome last = *o;
    int rc = write_form(outcome_csv, o, paths->csv, out, err);
    int more = write_form(outcome_markdown, o, paths->markdown, out, rc ? NULL : err);
    rc = rc ? rc : more;
    if (rc && (last.exit == BENCH_EXIT_DONE || last.exit == BENCH_EXIT_UNFIT))
        last.exit = BENCH_EXIT_FAILED;
    more = write_form(outcome_json, &last, paths->json, out, rc ? NULL : err);
    return rc ? rc : more;
}
