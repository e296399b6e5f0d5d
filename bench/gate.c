/* `loaderbench gate`: is this build slower than that one? Two builds in one session, and what every gate shares. */
#include "gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unit.h"
#include "baseline.h"
#include "calibration.h"
#include "common_options.h"
#include "export.h"
#include "harness/plan.h"
#include "results/delivery.h"
#include "rows_plot.h"
#include "table.h"

const char *const gate_rule_words[] = {"non-inferior", "detect", NULL};
static const char *const inconclusive_words[] = {"neutral", "fail", "pass", NULL};
enum { INCONCLUSIVE_NEUTRAL, INCONCLUSIVE_FAIL, INCONCLUSIVE_PASS };
enum { LOOKS = 3 };

#define AT(member) BENCH_AT(struct gate_settings, member)

static const struct bench_option options[] = {
    {.name = "baseline-exe",
     .kind = BENCH_OPTION_TEXT,
     AT(baseline_exe),
     .arg = "PROGRAM",
     .file = BENCH_FILE_READ,
     .help = "the build to compare with: a loaderbench, run as 'PROGRAM trial'",
     .group = "Two builds in one session"},
    {.name = "candidate-exe",
     .kind = BENCH_OPTION_TEXT,
     AT(candidate_exe),
     .arg = "PROGRAM",
     .file = BENCH_FILE_READ,
     .help = "the build in question (default: this program)",
     .group = "Two builds in one session"},
    {.name = "baseline",
     .kind = BENCH_OPTION_TEXT,
     AT(baseline),
     .arg = "NAME|FILE",
     .file = BENCH_FILE_READ,
     .help = "stored sessions to compare with: a baseline, a result file, or a folder of them",
     .group = "Stored results"},
    {.name = "candidate",
     .kind = BENCH_OPTION_TEXT,
     AT(candidate),
     .arg = "NAME|FILE",
     .file = BENCH_FILE_READ,
     .help = "stored sessions in question (default: the suite is measured now, with this program)",
     .group = "Stored results"},
    {.name = "save-baseline",
     .kind = BENCH_OPTION_TEXT,
     AT(save),
     .arg = "NAME",
     .help = "measure the suite with this program and add the session to the baseline of that name; several "
             "sessions at different times tell the spread between them",
     .group = "Stored results"},
    {OPTION_BASELINES, AT(folder), .group = "Stored results"},
    {OPTION_ACROSS_SESSIONS, AT(across),
     .help = "with one session a side the spread between sessions cannot be known: 0 refuses (exit 4), "
             "another value "
             "is taken as its standard deviation and widens the limits",
     .group = "Stored results"},
    {OPTION_ANY_MACHINE, AT(any_machine), .group = "Stored results"},
    {OPTION_RUNS, AT(runs), .min = 1, .initial = "12",
     .help = "invocations of a session that is measured for or against a baseline",
     .group = "Stored results"},
    {OPTION_METRIC, AT(metric),
     .help = "what is compared, each a row: cost_ns, cpu_ns, item_ns, overhead_ns, item_p50_ns, item_p95_ns, "
             "item_p99_ns, first_batch_ns, start_ns, peak_bytes, counter:NAME; more is worse "
             "(counter:NAME/more-is-better: less is)",
     .group = "Rule"},
    {OPTION_SUITE_MAIN, AT(main), .group = "Rule"},
    {OPTION_FILTER_OWN_HELP, AT(filter), .help = "only rows with this in their name", .group = "Rule"},
    {.name = "rule",
     .kind = BENCH_OPTION_CHOICE,
     AT(rule),
     .choices = gate_rule_words,
     .initial = "non-inferior",
     .help =
         "PASS means surely not slower by more than the margin, or: no regression was found although one of "
         "--smallest-effect would have been",
     .group = "Rule"},
    {.name = "smallest-effect",
     .kind = BENCH_OPTION_RATIO,
     AT(effect),
     .min = MARGIN_LEAST,
     .max = MARGIN_MOST,
     .initial = "10%",
     .help = "with --rule detect: the slowdown that must have been visible for a PASS",
     .group = "Rule"},
    {OPTION_MARGIN, AT(margin), .max = MARGIN_MOST, .otherwise = "what the suite says, else 5%",
     .help = "a slowdown up to this passes", .group = "Rule"},
    {OPTION_ALPHA, AT(alpha), .help = "risk of a false alarm, over all rows and looks", .group = "Rule"},
    {.name = "inconclusive",
     .kind = BENCH_OPTION_CHOICE,
     AT(inconclusive),
     .choices = inconclusive_words,
     .initial = "neutral",
     .help = "what could not be told exits as: neutral (3), fail (1) or pass (0)",
     .group = "Rule"},
    {OPTION_BUDGET, AT(budget_ns), .initial = "120s", .otherwise = "three looks, no further one after 120s",
     .help = "time to decide: what is not clear at the first look (12 invocations) is measured for as long "
             "as this "
             "allows; without it for 24 and then 48",
     .group = "How long"},
    {OPTION_WARMUP, AT(warmup), .group = "How long"},
    {OPTION_GATE_TURN, AT(turn_ns), .help = "time one build is measured for before the other has its turn",
     .group = "How long"},
    {OPTION_TIMEOUT, AT(timeout_ns), .group = "How long"},
    {OPTION_SEED, AT(seed), .group = "How long"},
    {OPTION_OUTPUT, AT(output), .help = "result file", .group = "Output"},
    {OPTION_EXPORT_JSON, AT(json), .help = "the verdict as one JSON object; '-': instead of the text",
     .group = "Output"},
    {OPTION_EXPORT_CSV, AT(csv), .group = "Output"},
    {OPTION_EXPORT_MARKDOWN, AT(markdown), .help = "a summary for a pull request", .group = "Output"},
    {.name = "append-markdown",
     .kind = BENCH_OPTION_TEXT,
     AT(summary),
     .arg = "FILE",
     .file = BENCH_FILE_WRITTEN,
     .help = "the same behind what the file holds ('$GITHUB_STEP_SUMMARY')",
     .group = "Output"},
    {.name = "export-junit",
     OPTION_EXPORT,
     AT(junit),
     .help = "JUnit XML, a test case a row",
     .group = "Output"},
    {OPTION_PLOT("gate"), AT(plot), .group = "Output"},
    {.name = "annotations",
     .kind = BENCH_OPTION_FLAG,
     AT(annotations),
     .help = "GitHub's workflow commands for rows that did not pass",
     .group = "Output"},
    {OPTION_QUIET, AT(quiet), .help = "no progress, no warnings", .group = "Output"},
    {OPTION_VERBOSE, AT(verbose)},
    {.name = "selftest",
     .kind = BENCH_OPTION_FLAG,
     AT(selftest),
     .help =
         "can this gate fire here? Gates with known outcomes are run: a slowdown, a crash, a missing row, "
         "wrong samples, hidden samples, hidden time, swapped labels, two equal builds; each must exit as it "
         "should",
     .group = "Output"},
};

int gate_margin(const struct gate *g, size_t index, size_t narms, double *out, struct err *err)
{
    const char *own = g->suite ? suite_arm_margin(g->suite, index, narms) : NULL;
    *out = g->settings->margin;
    if (!own || g->settings->margin_given)
        return 0;
    return unit_parse_ratio("margin", own, MARGIN_LEAST, MARGIN_MOST, out, err);
}

bool gate_wants(const struct gate_settings *s, const char *name)
{
    return !s->filter || strstr(name, s->filter);
}

enum bench_exit gate_inconclusive_exit(const struct gate_settings *s)
{
    return s->inconclusive == INCONCLUSIVE_FAIL   ? BENCH_EXIT_REGRESSION
           : s->inconclusive == INCONCLUSIVE_PASS ? BENCH_EXIT_DONE
                                                  : BENCH_EXIT_INCONCLUSIVE;
}

/* ---- two builds ---- */

/* 'path' trial, as the shell that starts subjects reads it. */
static char *subject_of(const char *exe)
{
    struct text t = {0};
    text_add_shell(&t, exe);
    text_add(&t, " trial");
    return text_take(&t);
}

/* exe NULL: this program. */
static int add_build(struct result *r, const struct arm *a, const char *which, const char *exe,
                     struct err *err)
{
    char *subject = exe ? subject_of(exe) : strdup("core"), *name = NULL;
    int rc = asprintf(&name, "%s (%s)", a->name, which) < 0 || !subject
                 ? err_set(err, -ENOMEM, "out of memory")
                 : 0;
    rc = rc ? rc : plan_add(r, name, subject, &a->workload, &a->setting, err);
    free(subject);
    free(name);
    return rc;
}

/* The rows of a pair of arms: one a figure. */
static int add_rows(struct gate *g, struct duel *d, const char *name, double margin, struct err *err)
{
    for (size_t f = 0; f < g->nfigures; f++) {
        struct gate_row *row = &g->report.row[d->nrows];
        int candidate = (int)g->m.result.narms - 1;
        d->rows[d->nrows++] = (struct duel_row){.baseline = candidate - 1,
                                                .candidate = candidate,
                                                .figure = &g->figure[f],
                                                .ln_margin = log1p(margin)};
        row->metric = g->figure[f].name;
        row->margin = margin;
        row->counts = "invocations";
        row->name = strdup(name);
        if (!row->name)
            return err_set(err, -ENOMEM, "out of memory for a row");
    }
    return 0;
}

/* Each arm of the suite becomes a pair: the same arm by both builds. */
static int add_pair(struct gate *g, struct duel *d, const struct arm *a, double margin, struct err *err)
{
    struct result *r = &g->m.result;
    if (strcmp(a->subject, "core"))
        return err_set(err, -EINVAL, "'%s' has a subject of its own: a gate compares two builds of the core",
                       a->name);
    int rc = add_build(r, a, "baseline", g->settings->baseline_exe, err);
    rc = rc ? rc : add_build(r, a, "candidate", g->settings->candidate_exe, err);
    return rc ? rc : add_rows(g, d, a->name, margin, err);
}

static int add_pairs(struct gate *g, struct duel *d, struct err *err)
{
    struct result plan = {0};
    int rc = suite_add_arms(g->suite, g->m.budget.cpus, &plan, err);
    rc = rc ? rc : gate_report_init(&g->report, plan.narms * g->nfigures, err);
    if (!rc && !(d->rows = calloc(g->report.nrows + 1, sizeof *d->rows)))
        rc = err_set(err, -ENOMEM, "out of memory for %zu rows", g->report.nrows);
    for (size_t i = 0; !rc && i < plan.narms; i++) {
        double margin;
        rc = gate_margin(g, i, plan.narms, &margin, err);
        if (!rc && gate_wants(g->settings, plan.arms[i].name))
            rc = add_pair(g, d, &plan.arms[i], margin, err);
    }
    g->report.nrows = d->nrows;
    if (!rc && !d->nrows)
        rc = err_set(err, -EINVAL, "--filter: none of the %zu rows has '%s' in its name", plan.narms,
                     g->settings->filter);
    result_fini(&plan);
    return rc;
}

struct session_config gate_session(struct gate *g, struct result_writer *writer, struct progress *progress)
{
    progress_init(progress, g->io->err, PROGRESS_AUTO, g->settings->quiet, NULL);
    if (g->settings->verbose)
        progress_explain(progress, &g->m.result, false);
    return (struct session_config){.result = &g->m.result,
                                   .writer = writer,
                                   .topology = &g->m.topology,
                                   .core = "/proc/self/exe",
                                   .counters = g->counters.len ? text_get(&g->counters) : NULL,
                                   .turn_ns = g->settings->turn_ns,
                                   .timeout_ns = (uint64_t)g->settings->timeout_ns,
                                   .builds = true,
                                   .stop = g->io->stop,
                                   .progress = progress_step,
                                   .warn = progress_warn,
                                   .arg = progress};
}

static void tell_look(void *arg, const struct duel *d)
{
    struct text lines = {0};
    narrate_duel(d, &lines);
    progress_tell_take(arg, &lines);
}

static int measure_pairs(struct gate *g, struct duel *d, struct result_writer *writer, struct err *err)
{
    struct progress progress;
    const struct session_config cfg = gate_session(g, writer, &progress);
    d->looked = tell_look;
    d->arg = &progress;
    int rc = session_open(&cfg, &d->session, err);
    if (!rc)
        rc = session_close(d->session, duel_run(d, err), err);
    progress_end(&progress);
    return rc;
}

static void report_rows(struct gate *g, const struct duel *d)
{
    for (size_t i = 0; i < d->nrows; i++) {
        const struct duel_row *from = &d->rows[i];
        struct gate_row *row = &g->report.row[i];
        row->verdict = from->gate.verdict;
        row->n = from->gate.n;
        row->ratio = row->n ? from->ratio.value : NAN;
        row->low = from->ratio.ci.known ? from->ratio.ci.low : NAN;
        row->high = from->ratio.ci.known ? from->ratio.ci.high : NAN;
        row->smallest_seen = row->n ? exp(from->gate.smallest_seen_ln) : INFINITY;
        /* a row whose arm was taken out of the session, or lacks the figure, was not compared at all */
        const char *failure = g->m.result.arms[from->candidate].failure;
        failure = failure ? failure : g->m.result.arms[from->baseline].failure;
        failure = failure ? failure : from->missing;
        row->missing = failure != NULL;
        if (failure || from->withheld)
            snprintf(row->note, sizeof row->note, "%s", failure ? failure : from->unbelieved);
    }
    g->report.look = d->look;
}

/* A pair of arms whose deliveries were not compared is no failure, but it is said. */
static void note_delivery(struct gate *g, const struct duel *d)
{
    const struct result *r = &g->m.result;
    for (size_t i = 0; i < d->nrows; i++) {
        const struct duel_row *row = &d->rows[i];
        const struct trial *a = result_first_trial(r, row->baseline),
                           *b = result_first_trial(r, row->candidate);
        bool again = i && d->rows[i - 1].candidate == row->candidate;
        if (again || !a || !b || (result_delivery_told(a) && result_delivery_told(b)))
            continue;
        text_sayf(&g->report.warnings, "delivery not compared: '%s' does not tell what it delivered%s\n",
                  r->arms[row->baseline].name, result_delivery_told(b) ? "" : ", nor does the candidate");
    }
}

/* What went wrong while measuring is part of the report; 0 then. */
static int run_pairs(struct gate *g, struct duel *d, struct err *err)
{
    struct result_writer *writer;
    int rc = measure_create_file(&g->m, &writer, err);
    if (rc)
        return rc;
    struct err why = {0};
    rc = measure_pairs(g, d, writer, &why);
    result_writer_close(writer);
    g->report.path = g->m.path;
    report_rows(g, d);
    bool unfit;
    if (rc)
        gate_report_fail(&g->report, rc, &why);
    else
        gate_report_conclude(&g->report, d->verdict, gate_inconclusive_exit(g->settings));
    rc = rc ? 0 : table_add_checks(&g->report.warnings, &g->m.result, &unfit, err);
    note_delivery(g, d);
    return rc;
}

static int gate_builds(struct gate *g, struct err *err)
{
    const struct gate_settings *s = g->settings;
    struct duel d = {.result = &g->m.result,
                     .rule = (enum duel_rule)s->rule,
                     .ln_effect = log1p(s->effect),
                     .alpha = s->alpha,
                     .budget_ns = s->budget_ns,
                     .spend = s->budget_given,
                     .looks = LOOKS};
    int rc = add_pairs(g, &d, err);
    rc = rc ? rc : measure_check(&g->m, g->io->err, err);
    g->report.looks = LOOKS;
    d.first = rc ? 0 : duel_first(s->alpha, LOOKS, d.nrows);
    rc = rc ? rc : run_pairs(g, &d, err);
    duel_fini(&d);
    free(d.rows);
    return rc;
}

/* ---- what comes out ---- */

static int export_all(const struct gate *g, struct err *err)
{
    const struct gate_settings *s = g->settings;
    FILE *out = g->io->out;
    struct text json = {0}, csv = {0}, markdown = {0}, junit = {0};
    gate_report_csv(&g->report, &csv);
    gate_report_markdown(&g->report, &markdown);
    gate_report_junit(&g->report, &junit);
    int rc = gate_report_json(&g->report, &json, err);
    rc = rc || !s->json ? rc : export_write(s->json, &json, false, out, err);
    rc = rc || !s->csv ? rc : export_write(s->csv, &csv, false, out, err);
    rc = rc || !s->markdown ? rc : export_write(s->markdown, &markdown, false, out, err);
    rc = rc || !s->summary ? rc : export_write(s->summary, &markdown, true, out, err);
    rc = rc || !s->junit ? rc : export_write(s->junit, &junit, false, out, err);
    if (!rc && s->plot && g->report.nrows)
        rc = rows_plot(text_get(&json), "the gate's report", &(struct plot_options){.dir = s->plot},
                       &(const char *){NULL}, err);
    text_fini(&json);
    text_fini(&csv);
    text_fini(&markdown);
    text_fini(&junit);
    return rc;
}

/* An export to "-" takes the place of the text and the last line. */
static int print_report(const struct gate *g, struct err *err)
{
    const struct gate_settings *s = g->settings;
    const char *const paths[] = {s->json, s->csv, s->markdown, s->junit};
    if (export_takes_output(paths, sizeof paths / sizeof *paths))
        return 0;
    struct text t = {0};
    gate_report_text(&g->report, &t);
    if (s->annotations)
        gate_report_annotations(&g->report, &t);
    int rc = gate_report_last_line(&g->report, &t, err);
    int printed = export_print_take(&t, g->io->out, err);
    return rc ? rc : printed;
}

static int conclude(struct gate *g, uint64_t began_ns, struct err *err)
{
    struct gate_report *r = &g->report;
    r->seconds = (double)(clock_now_ns() - began_ns) / 1e9;
    r->rule = gate_rule_words[g->settings->rule];
    r->alpha = g->settings->alpha;
    calibration_quote(&r->machine, g->m.result.environment);
    int rc = export_all(g, err);
    if (rc) /* the last line says how the program ends */
        gate_report_fail(r, -EIO, err);
    int printed = print_report(g, rc ? NULL : err);
    return rc || printed ? BENCH_EXIT_FAILED : (int)r->exit;
}

/* ---- */

static int check_exe(const char *what, const char *exe, struct err *err)
{
    struct stat st;
    if (!exe)
        return 0;
    if (access(exe, X_OK) || stat(exe, &st))
        return err_set_errno(err, -errno, "%s: cannot run '%s'", what, exe);
    return S_ISREG(st.st_mode) ? 0 : err_set(err, -EINVAL, "%s: '%s' is no file to run", what, exe);
}

/* Which way: exactly one of them. */
static int check_way(const struct gate_settings *s, const struct bench_io *io, struct err *err)
{
    int ways = (s->baseline_exe != NULL) + (s->baseline != NULL) + (s->save != NULL);
    if (ways != 1)
        return err_set(err, -EINVAL, "%s --baseline-exe, --baseline and --save-baseline is needed",
                       ways ? "only one of" : "one of");
    if (s->candidate && !s->baseline)
        return err_set(err, -EINVAL, "--candidate goes with --baseline");
    if (!io->parsed->noperands && !s->candidate)
        return err_set(err, -EINVAL, "SUITE is missing: what is to be measured?");
    int rc = check_exe("--baseline-exe", s->baseline_exe, err);
    return rc ? rc : check_exe("--candidate-exe", s->candidate_exe, err);
}

/* The metrics, and which of them are counters. */
static int parse_figures(struct gate *g, struct err *err)
{
    const struct bench_words *metric = &g->settings->metric;
    int rc = result_figures_parse(metric->item, metric->n, &g->figure, err);
    g->nfigures = rc ? 0 : metric->n;
    for (size_t i = 0; i < g->nfigures; i++)
        if (g->figure[i].counter)
            text_sayf(&g->counters, "%s%s", g->counters.len ? "," : "",
                      g->figure[i].name + g->figure[i].counter);
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    struct gate_settings s = *(const struct gate_settings *)settings;
    struct gate g = {
        .settings = &s,
        .io = io,
        .m.set = {.output = s.output, .quiet = s.quiet, .warmup = s.warmup, .verbose = s.verbose}};
    const struct bench_options table = BENCH_OPTIONS(options);
    uint64_t began = clock_now_ns();
    s.budget_given = bench_option_given(table, io->parsed, "budget");
    s.margin_given = bench_option_given(table, io->parsed, "margin");
    if (s.selftest)
        return gate_selftest(&s, io, err);
    int code = BENCH_EXIT_USAGE;
    int rc = check_way(&s, io, err);
    rc = rc ? rc : parse_figures(&g, err);
    if (!rc && io->parsed->noperands)
        rc = suite_read(io->parsed->operands[0], &g.suite, err);
    if (g.suite)
        suite_set_main(g.suite, (enum suite_main)s.main);
    rc = rc ? rc : measure_open(&g.m, io, err);
    g.m.result.seed = (uint64_t)s.seed;
    g.m.result.alpha = s.alpha;
    g.m.result.margin = s.margin;
    g.m.result.looks_planned = s.baseline_exe ? LOOKS : 1;
    if (!rc)
        rc = s.save ? gate_save(&g, err) : s.baseline ? gate_stored(&g, err) : gate_builds(&g, err);
    if (!rc)
        code = conclude(&g, began, err);
    gate_report_fini(&g.report);
    measure_close(&g.m);
    suite_free(g.suite);
    free(g.figure);
    text_fini(&g.counters);
    return code;
}

const struct bench_command command_gate = {
    .name = "gate",
    .summary = "Is this build slower than that one?",
    .details =
        "Runs both builds in one session, as fresh processes that take turns on the same CPUs, for every arm "
        "of the "
        "suite; or compares stored results, with the spread between sessions in mind. PASS: surely not "
        "slower by more "
        "than the margin. REGRESSION: surely slower than that. INCONCLUSIVE: neither could be told within "
        "three looks "
        "and the budget.\n\n"
        "The last line of the output is 'loaderbench-gate: ' and a JSON object.\n\n"
        "Exit status: 0 pass, 1 regression, 2 wrong usage, 3 inconclusive, 4 unfit machine or not "
        "comparable, 5 a "
        "trial failed, delivered other samples or a row is missing, 124 no answer in time, 130 interrupted.",
    .operands = "[SUITE]",
    .operands_min = 0,
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct gate_settings),
    .run = run,
};
