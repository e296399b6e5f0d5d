/* `loaderbench gate`: is this build slower than that one? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/unit.h"
#include "calibration.h"
#include "duel.h"
#include "harness/plan.h"
#include "measure.h"
#include "progress.h"
#include "suite.h"

struct gate_settings {
    const char *baseline, *candidate, *output;
    int64_t seed;
    double margin, alpha, budget_ns, timeout_ns, turn_ns;
    int metric, inconclusive;
    bool quiet;
};

static const char *const metric_words[] = {"cost_ns", "item_ns", "cpu_ns", "overhead_ns", NULL};
static const char *const inconclusive_words[] = {"neutral", "fail", "pass", NULL};
enum { INCONCLUSIVE_NEUTRAL, INCONCLUSIVE_FAIL, INCONCLUSIVE_PASS };
enum { LOOKS = 3 };

#define AT(member) BENCH_AT(struct gate_settings, member)

static const struct bench_option options[] = {
    {.name = "baseline-exe",
     .kind = BENCH_OPTION_TEXT,
     AT(baseline),
     .arg = "PROGRAM",
     .help = "the build to compare with: a loaderbench, run as 'PROGRAM trial'",
     .group = "Builds"},
    {.name = "candidate-exe",
     .kind = BENCH_OPTION_TEXT,
     AT(candidate),
     .arg = "PROGRAM",
     .help = "the build in question (default: this program)",
     .group = "Builds"},
    {.name = "metric",
     .kind = BENCH_OPTION_CHOICE,
     AT(metric),
     .choices = metric_words,
     .initial = "cost_ns",
     .help = "what is compared; more is worse",
     .group = "Rule"},
    {.name = "margin",
     .kind = BENCH_OPTION_RATIO,
     AT(margin),
     .min = 0.001,
     .max = 10,
     .initial = "5%",
     .help = "a slowdown up to this passes (default: what the suite says, else 5%)",
     .group = "Rule"},
    {.name = "alpha",
     .kind = BENCH_OPTION_RATIO,
     AT(alpha),
     .min = 0.00001,
     .max = 0.2,
     .initial = "1%",
     .help = "risk of a false alarm, over all rows and looks",
     .group = "Rule"},
    {.name = "inconclusive",
     .kind = BENCH_OPTION_CHOICE,
     AT(inconclusive),
     .choices = inconclusive_words,
     .initial = "neutral",
     .help = "what could not be told exits as: neutral (3), fail (1) or pass (0)",
     .group = "Rule"},
    {.name = "budget",
     .kind = BENCH_OPTION_DURATION,
     AT(budget_ns),
     .min = 1e9,
     .max = 30 * 86400e9,
     .initial = "120s",
     .help = "no further look is begun that would not fit (the first one is always made)",
     .group = "How long"},
    {.name = "turn",
     .kind = BENCH_OPTION_DURATION,
     AT(turn_ns),
     .min = 1e6,
     .max = 60e9,
     .initial = "10ms",
     .help = "time one build is measured for before the other has its turn",
     .group = "How long"},
    {.name = "timeout",
     .kind = BENCH_OPTION_DURATION,
     AT(timeout_ns),
     .min = 1e8,
     .max = 86400e9,
     .initial = "60s",
     .help = "longest wait for an answer of a trial",
     .group = "How long"},
    {.name = "seed",
     .kind = BENCH_OPTION_INT,
     AT(seed),
     .min = 0,
     .max = 9007199254740991.0,
     .initial = "0",
     .help = "of the data, the order of turns and the draw of CPUs",
     .group = "How long"},
    {.name = "output",
     .letter = 'o',
     .kind = BENCH_OPTION_TEXT,
     AT(output),
     .arg = "NAME.jsonl",
     .help = "result file (default: loaderbench-results/ with date and time)",
     .group = "Output"},
    {.name = "quiet",
     .letter = 'q',
     .kind = BENCH_OPTION_FLAG,
     AT(quiet),
     .help = "no progress, no warnings",
     .group = "Output"},
};

/* 'path' trial, quoted for the shell that starts subjects. */
static char *subject_of(const char *exe)
{
    struct text t = {0};
    text_add(&t, "'");
    for (const char *p = exe; *p; p++) {
        if (*p == '\'')
            text_add(&t, "'\\''");
        else
            text_add_bytes(&t, p, 1);
    }
    text_add(&t, "' trial");
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

/* Each arm of the suite becomes a row: the same arm by both builds. */
static int add_rows(struct measure *m, const struct suite *suite, const struct gate_settings *g,
                    struct err *err)
{
    struct result plan = {0};
    int rc = suite_add_arms(suite, m->budget.cpus, &plan, err);
    for (size_t i = 0; !rc && i < plan.narms; i++) {
        if (strcmp(plan.arms[i].subject, "core"))
            rc =
                err_set(err, -EINVAL, "'%s' has a subject of its own: a gate compares two builds of the core",
                        plan.arms[i].name);
        rc = rc ? rc : add_build(&m->result, &plan.arms[i], "baseline", g->baseline, err);
        rc = rc ? rc : add_build(&m->result, &plan.arms[i], "candidate", g->candidate, err);
    }
    result_fini(&plan);
    return rc;
}

static const char *verdict_word(enum stats_verdict v)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "INCONCLUSIVE", [STATS_PASS] = "PASS", [STATS_REGRESSION] = "REGRESSION"};
    return words[v];
}

static void add_row_text(struct text *t, const struct duel *d, const struct duel_row *row)
{
    const char *name = d->result->arms[row->baseline].name;
    int n = (int)strlen(name) - (int)strlen(" (baseline)");
    text_addf(t, "%-12s  %.*s: x %.3f", verdict_word(row->gate.verdict), n, name, row->ratio.value);
    if (row->ratio.ci.known)
        text_addf(t, " (95 %% CI %.3f .. %.3f, n = %d)", row->ratio.ci.low, row->ratio.ci.high, row->ratio.n);
    else
        text_addf(t, " (n = %d: no interval)", row->ratio.n);
    if (isfinite(row->gate.smallest_seen_ln))
        text_addf(t, "; would have seen x %.3f", exp(row->gate.smallest_seen_ln));
    text_add(t, "\n");
}

static void print_verdict(const struct duel *d, const struct measure *m, FILE *out)
{
    struct text t = {0};
    text_addf(&t, "%s: margin %.3g %%, risk of a false alarm %.3g %%, look %d of %d\n\n",
              verdict_word(d->verdict), 100 * (exp(d->ln_margin) - 1), 100 * d->alpha, d->look, d->looks);
    for (size_t i = 0; i < d->nrows; i++)
        add_row_text(&t, d, &d->rows[i]);
    calibration_quote(&t, m->result.environment);
    text_addf(&t, "Result: %s\n", m->path);
    fputs(text_get(&t), out);
    text_fini(&t);
}

static int exit_of(const struct gate_settings *g, enum stats_verdict v)
{
    if (v == STATS_PASS)
        return BENCH_EXIT_DONE;
    if (v == STATS_REGRESSION || g->inconclusive == INCONCLUSIVE_FAIL)
        return BENCH_EXIT_REGRESSION;
    return g->inconclusive == INCONCLUSIVE_PASS ? BENCH_EXIT_DONE : BENCH_EXIT_INCONCLUSIVE;
}

static int failure_exit(int rc)
{
    return rc == -EINTR ? BENCH_EXIT_INTERRUPTED : rc == -EXDEV ? BENCH_EXIT_UNFIT : BENCH_EXIT_FAILED;
}

static int measure_rows(struct measure *m, struct duel *d, const struct gate_settings *g,
                        const struct bench_io *io, struct result_writer *writer, struct err *err)
{
    struct progress progress;
    progress_init(&progress, io->err, PROGRESS_AUTO, g->quiet, NULL);
    const struct session_config cfg = {.result = &m->result,
                                       .writer = writer,
                                       .topology = &m->topology,
                                       .core = "/proc/self/exe",
                                       .turn_ns = g->turn_ns,
                                       .timeout_ns = (uint64_t)g->timeout_ns,
                                       .looks = LOOKS,
                                       .stop = io->stop,
                                       .progress = progress_step,
                                       .warn = progress_warn,
                                       .arg = &progress};
    int rc = session_open(&cfg, &d->session, err);
    if (!rc)
        rc = session_close(d->session, duel_run(d, err), err);
    progress_end(&progress);
    return rc;
}

static int run_gate(struct measure *m, const struct gate_settings *g, const struct bench_io *io,
                    struct err *err)
{
    size_t nrows = m->result.narms / 2;
    struct duel d = {.result = &m->result,
                     .rows = calloc(nrows, sizeof *d.rows),
                     .nrows = nrows,
                     .metric = (enum result_metric)g->metric,
                     .ln_margin = log1p(m->result.margin),
                     .alpha = g->alpha,
                     .budget_ns = g->budget_ns,
                     .looks = LOOKS,
                     .first = duel_first(g->alpha, LOOKS, nrows)};
    struct result_writer *writer;
    if (!d.rows) {
        err_set(err, -ENOMEM, "out of memory for %zu rows", nrows);
        return BENCH_EXIT_FAILED;
    }
    for (size_t i = 0; i < nrows; i++)
        d.rows[i] = (struct duel_row){.baseline = (int)(2 * i), .candidate = (int)(2 * i + 1)};
    int code = BENCH_EXIT_USAGE;
    if (!measure_create_file(m, &writer, err)) {
        int rc = measure_rows(m, &d, g, io, writer, err);
        result_writer_close(writer);
        code = rc ? failure_exit(rc) : exit_of(g, d.verdict);
        if (!rc)
            print_verdict(&d, m, io->out);
    }
    duel_fini(&d);
    free(d.rows);
    return code;
}

static int check_exe(const char *what, const char *exe, struct err *err)
{
    if (!exe)
        return err_set(err, -EINVAL, "%s is needed: the program to compare with", what);
    return access(exe, X_OK) ? err_set_errno(err, -errno, "%s: cannot run '%s'", what, exe) : 0;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct gate_settings *g = settings;
    struct measure m = {.output = g->output, .quiet = g->quiet};
    struct suite *suite = NULL;
    const struct bench_options table = BENCH_OPTIONS(options);
    int code = BENCH_EXIT_USAGE;
    int rc = check_exe("--baseline-exe", g->baseline, err);
    rc = rc || !g->candidate ? rc : check_exe("--candidate-exe", g->candidate, err);
    rc = rc ? rc : suite_read(io->parsed->operands[0], &suite, err);
    rc = rc ? rc : measure_open(&m, io, err);
    m.result.seed = (uint64_t)g->seed;
    m.result.alpha = g->alpha;
    m.result.margin = g->margin;
    if (!rc && suite_margin(suite) && !bench_option_given(table, io->parsed, "margin"))
        rc = unit_parse_ratio("margin", suite_margin(suite), 0.001, 10, &m.result.margin, err);
    rc = rc ? rc : add_rows(&m, suite, g, err);
    rc = rc ? rc : measure_check(&m, err);
    if (!rc)
        code = run_gate(&m, g, io, err);
    measure_close(&m);
    suite_free(suite);
    return code;
}

const struct bench_command command_gate = {
    .name = "gate",
    .summary = "Is this build slower than that one?",
    .details =
        "Runs both builds in one session, as fresh processes that take turns on the same CPUs, for every arm "
        "of the "
        "suite. PASS: surely not slower by more than the margin. REGRESSION: surely slower than that. "
        "INCONCLUSIVE: "
        "neither could be told within three looks and the budget.\n\n"
        "Exit status: 0 pass, 1 regression, 3 inconclusive, 5 a trial failed or delivered other samples.",
    .operands = "SUITE",
    .operands_min = 1,
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct gate_settings),
    .run = run,
};
