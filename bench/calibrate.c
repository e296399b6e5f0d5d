/* `loaderbench calibrate`: how often does the gate err on this machine, and how small a slowdown does it find? */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/unit.h"
#include "calibrate_arm.h"
#include "calibrate_raw.h"
#include "calibration.h"
#include "common_options.h"
#include "duel.h"
#include "export.h"
#include "known_race.h"
#include "measure.h"
#include "progress.h"
#include "results/json.h"
#include "results/stats/order_statistic.h"
#include "sensitivity.h"

struct calibrate_settings {
    const char *raw;
    struct calibrate_work work;
    struct bench_words slowdowns;
    int64_t seed, null_runs, power_runs, tune_runs;
    double budget_ns, margin, alpha, turn_ns, gate_budget_ns, tune_budget_ns;
    bool quiet, no_keep;
};

enum { LOOKS = 3 };

/* Of the budget, where both are repeated. */
static const double TUNE_SHARE = 0.25;

#define AT(member) BENCH_AT(struct calibrate_settings, member)

static const struct bench_option options[] = {
    {OPTION_BUDGET, AT(budget_ns), .initial = "10m",
     .help = "no comparison begins that would end later, as far as those before it tell; a quarter of it "
             "goes to sessions of tune, half of the rest to null comparisons, where there are any",
     .group = "How long"},
    {.name = "null-runs",
     .kind = BENCH_OPTION_INT,
     AT(null_runs),
     .min = 1,
     .max = RUNS_MOST,
     .initial = "300",
     .help = "null comparisons at the most",
     .group = "How long"},
    {.name = "power-runs",
     .kind = BENCH_OPTION_INT,
     AT(power_runs),
     .min = 0,
     .max = RUNS_MOST,
     .initial = "100",
     .help = "comparisons of each injected slowdown at the most",
     .group = "How long"},
    {.name = "tune-runs",
     .kind = BENCH_OPTION_INT,
     AT(tune_runs),
     .min = 0,
     .max = RUNS_MOST,
     .initial = "100",
     .help = "sessions of tune at the most: three equal settings and one that is slower by twice the margin",
     .group = "How long"},
    {.name = "gate-budget",
     .kind = BENCH_OPTION_DURATION,
     AT(gate_budget_ns),
     .min = 0,
     .max = DAY_NS,
     .initial = "0",
     .help = "budget of one comparison, as --budget of gate; 0 = as a gate without that option",
     .group = "How long"},
    {.name = "tune-budget",
     .kind = BENCH_OPTION_DURATION,
     AT(tune_budget_ns),
     .min = 1e9,
     .max = DAY_NS,
     .initial = "60s",
     .help = "budget of one session, as --budget of tune",
     .group = "How long"},
    {.name = "slowdowns",
     .kind = BENCH_OPTION_WORDS,
     AT(slowdowns),
     .initial = "0,1%,2%,5%,10%",
     .arg = "LIST",
     .help = "what is injected, one after another; 0 is the null comparison",
     .group = "Rule"},
    {OPTION_MARGIN, AT(margin), .max = MARGIN_MOST, .help = "of the gate, and of tune", .group = "Rule"},
    {OPTION_ALPHA, AT(alpha), .help = "of the gate", .group = "Rule"},
    {OPTION_TRANSFORM, AT(work.transform), .initial = "gemm=64",
     .help = "a hundredth of what a sample costs: it is run 100 times, and with 5 % injected 105 times",
     .group = "Workload"},
    {OPTION_WORKERS, AT(work.workers), .help = "of all arms", .group = "Workload"},
    {OPTION_GATE_TURN, AT(turn_ns), .help = "as in gate", .group = "Workload"},
    {OPTION_SEED_OWN_HELP, AT(seed), .help = "of the first comparison; each further one has the next",
     .group = "Workload"},
    {.name = "raw",
     .kind = BENCH_OPTION_TEXT,
     AT(raw),
     .arg = "FILE.jsonl",
     .file = BENCH_FILE_CONTINUED,
     .help = "a line for each comparison is added to this file; those it holds already, of the same rule and "
             "workload, "
             "count and are not made again",
     .group = "Output"},
    {.name = "no-keep",
     .kind = BENCH_OPTION_FLAG,
     AT(no_keep),
     .help = "'gate' and 'tune' shall not quote this one",
     .group = "Output"},
    {OPTION_QUIET, AT(quiet), .help = "no progress", .group = "Output"},
};

struct calibrate {
    const struct calibrate_settings *settings;
    const struct bench_io *io;
    struct measure m; /* topology, budget and fingerprint; its result is made anew for each comparison */
    struct progress progress;
    struct calibration found;
    struct sensitivity null; /* the comparisons of equal arms */
    uint64_t began_ns;
    int64_t comparisons;
    double slowdown[CALIBRATION_ROWS_MAX];
    size_t nslowdowns;
};

/* One comparison, as a line of the raw file has it. */
struct comparison {
    enum stats_verdict verdict;
    bool interval_wrong;
    double ratio, seconds;
    int look;
    double *ln_ratios; /* [n], in running order; owned */
    size_t n;
};

static int run_duel(struct calibrate *c, struct duel *d, struct err *err)
{
    const struct session_config cfg = {.result = d->result,
                                       .topology = &c->m.topology,
                                       .core = "/proc/self/exe",
                                       .turn_ns = c->settings->turn_ns,
                                       .stop = c->io->stop,
                                       .warn = progress_warn,
                                       .arg = &c->progress};
    int rc = session_open(&cfg, &d->session, err);
    return rc ? rc : session_close(d->session, duel_run(d, err), err);
}

/* In running order, which the gate's own copy has lost. */
static int take_ratios(const struct result *r, const struct result_figure *cost, struct comparison *out,
                       struct err *err)
{
    out->ln_ratios = calloc(r->ninvocations + 1, sizeof *out->ln_ratios);
    if (!out->ln_ratios)
        return err_set(err, -ENOMEM, "out of memory for %zu invocations", r->ninvocations);
    return result_figure_ln_ratios(r, 1, 0, cost, out->ln_ratios, &out->n, err);
}

/* One comparison through the same code as a gate of one row. */
static int compare_once(struct calibrate *c, double slowdown, struct comparison *out, struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    struct result r = {.seed = (uint64_t)(t->seed + c->comparisons++),
                       .alpha = t->alpha,
                       .margin = t->margin,
                       .looks_planned = LOOKS,
                       .cpu_budget = c->m.budget.cpus};
    struct result_figure cost;
    int rc = result_figure_parse("cost_ns", &cost, err);
    struct duel_row one = {.baseline = 0, .candidate = 1, .figure = &cost, .ln_margin = log1p(t->margin)};
    struct duel d = {.result = &r,
                     .rows = &one,
                     .nrows = 1,
                     .alpha = t->alpha,
                     .budget_ns = t->gate_budget_ns,
                     .spend = t->gate_budget_ns > 0,
                     .looks = LOOKS,
                     .first = duel_first(t->alpha, LOOKS, 1)};
    uint64_t from = clock_now_ns();
    rc = rc ? rc : calibrate_add_arm(&r, "baseline", &t->work, 0, err);
    rc = rc ? rc : calibrate_add_arm(&r, "candidate", &t->work, slowdown, err);
    rc = rc ? rc : run_duel(c, &d, err);
    if (!rc)
        *out = (struct comparison){.verdict = d.verdict,
                                   .interval_wrong =
                                       one.ratio.ci.known && (one.ratio.ci.low > 1 || one.ratio.ci.high < 1),
                                   .ratio = one.ratio.value,
                                   .seconds = (double)(clock_now_ns() - from) / 1e9,
                                   .look = d.look};
    if (!rc)
        rc = take_ratios(&r, &cost, out, err);
    duel_fini(&d);
    result_fini(&r);
    return rc;
}

/* Counts a comparison, and frees it. */
static int count(struct calibrate *c, struct calibration_row *row, struct comparison *k, double *seconds,
                 struct err *err)
{
    seconds[row->n++] = k->seconds;
    row->regressions += k->verdict == STATS_REGRESSION;
    row->passes += k->verdict == STATS_PASS;
    row->intervals_wrong += k->interval_wrong;
    int rc = row->slowdown > 0 ? 0 : sensitivity_add(&c->null, k->ln_ratios, k->n, k->seconds, err);
    free(k->ln_ratios);
    return rc;
}

/* ---- the raw file ---- */

static json_t *key_json(const struct calibrate_settings *s, double slowdown)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:s, s:I}", "slowdown", slowdown, "margin", s->margin,
                     "alpha", s->alpha, "turn_ns", s->turn_ns, "gate_budget_ns", s->gate_budget_ns,
                     "transform", s->work.transform, "workers", (json_int_t)s->work.workers);
}

static int write_raw(const struct calibrate *c, double slowdown, const struct comparison *k, struct err *err)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "INCONCLUSIVE", [STATS_PASS] = "PASS", [STATS_REGRESSION] = "REGRESSION"};
    json_t *ratios = json_array();
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(ratios, result_json_real(k->ln_ratios[i]));
    return calibrate_raw_add(
        c->settings->raw,
        json_pack("{s:o, s:I, s:s, s:b, s:o, s:o, s:i, s:o}", "of", key_json(c->settings, slowdown), "seed",
                  (json_int_t)(c->settings->seed + c->comparisons - 1), "verdict", words[k->verdict],
                  "interval_wrong", k->interval_wrong, "ratio", result_json_real(k->ratio), "seconds",
                  result_json_real(k->seconds), "look", k->look, "ln_ratios", ratios),
        err);
}

/* *wanted: the line is a comparison. An older line has no ratios. Errors: -ENOMEM. */
static int read_comparison(const json_t *o, struct comparison *out, bool *wanted, struct err *err)
{
    const char *verdict = json_string_value(json_object_get(o, "verdict"));
    const json_t *ratios = json_object_get(o, "ln_ratios"), *ratio;
    size_t i;
    *wanted = verdict != NULL;
    if (!verdict)
        return 0;
    *out = (struct comparison){.verdict = !strcmp(verdict, "PASS")         ? STATS_PASS
                                          : !strcmp(verdict, "REGRESSION") ? STATS_REGRESSION
                                                                           : STATS_INCONCLUSIVE,
                               .interval_wrong = json_is_true(json_object_get(o, "interval_wrong")),
                               .seconds = result_json_get_real(o, "seconds"),
                               .ln_ratios = calloc(json_array_size(ratios) + 1, sizeof *out->ln_ratios)};
    if (!out->ln_ratios)
        return err_set(err, -ENOMEM, "out of memory for %zu invocations", json_array_size(ratios));
    json_array_foreach (ratios, i, ratio)
        if (isfinite(json_number_value(ratio)))
            out->ln_ratios[out->n++] = json_number_value(ratio);
    return 0;
}

struct reading {
    struct calibrate *c;
    struct calibration_row *row;
    double *seconds;
};

static int take_comparison(void *arg, const json_t *line, bool *counts, struct err *err)
{
    struct reading *r = arg;
    struct comparison k;
    int rc = read_comparison(line, &k, counts, err);
    if (rc || !*counts)
        return rc;
    r->c->comparisons++;
    return count(r->c, r->row, &k, r->seconds, err);
}

/* Those of the same rule, workload and slowdown that the file holds, at most `wanted`. */
static int read_raw(struct calibrate *c, struct calibration_row *row, int64_t wanted, double *seconds,
                    struct err *err)
{
    json_t *key = key_json(c->settings, row->slowdown);
    if (!key)
        return err_set(err, -ENOMEM, "out of memory");
    struct reading r = {c, row, seconds};
    int rc = calibrate_raw_read(c->settings->raw, key, (size_t)wanted, take_comparison, &r, err);
    json_decref(key);
    return rc;
}

__attribute__((format(printf, 2, 3))) static void show(struct calibrate *c, const char *fmt, ...)
{
    struct progress *p = &c->progress;
    char elapsed[UNIT_TEXT];
    if (p->mode != PROGRESS_AUTO)
        return;
    fprintf(p->err, "\r\033[K%s  ", unit_format_ns(elapsed, (double)(clock_now_ns() - c->began_ns), 2));
    va_list ap;
    va_start(ap, fmt);
    vfprintf(p->err, fmt, ap);
    va_end(ap);
    fflush(p->err);
    p->drawn = true;
}

/* Is there time for one more? One that has begun is never cut short: that would be another gate. */
static bool fits(const struct calibrate *c, const double *seconds, size_t n, double until_ns)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, seconds[i]);
    return (double)(clock_now_ns() - c->began_ns) + 1e9 * longest < until_ns;
}

/* Repeats one slowdown until enough or until its share of the budget is spent. */
static int repeat(struct calibrate *c, double slowdown, int64_t wanted, double until_ns, struct err *err)
{
    struct calibration_row *row = &c->found.row[c->found.nrows];
    *row = (struct calibration_row){.slowdown = slowdown, .seconds = NAN};
    double *seconds = calloc((size_t)wanted + 1, sizeof *seconds);
    int rc = seconds ? 0 : err_set(err, -ENOMEM, "out of memory for %lld comparisons", (long long)wanted);
    if (!rc)
        rc = read_raw(c, row, wanted, seconds, err);
    while (!rc && (int64_t)row->n < wanted && fits(c, seconds, row->n, until_ns)) {
        struct comparison k = {.n = 0};
        rc = compare_once(c, slowdown, &k, err);
        rc = rc ? rc : write_raw(c, slowdown, &k, err);
        if (rc) {
            free(k.ln_ratios);
            break;
        }
        rc = count(c, row, &k, seconds, err);
        show(c, "%.3g %% slower: %zu of %lld comparisons, %zu regressions, %zu passes", 100 * slowdown,
             row->n, (long long)wanted, row->regressions, row->passes);
    }
    if (row->n) {
        row->seconds = stats_median(seconds, row->n);
        c->found.nrows++;
    }
    free(seconds);
    return rc;
}

/* ---- tune ---- */

struct sessions {
    struct calibration_races *counts;
    double *seconds;
};

static void count_session(struct sessions *s, const struct known_race_end *end)
{
    s->seconds[s->counts->n] = end->seconds;
    known_race_count(s->counts, end);
}

static int take_session(void *arg, const json_t *line, bool *counts, struct err *err)
{
    (void)err;
    struct known_race_end end;
    known_race_read(line, &end);
    *counts = true;
    count_session(arg, &end);
    return 0;
}

static int repeat_sessions(struct calibrate *c, const struct known_race *race, struct sessions *s,
                           struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    json_t *key = known_race_key(race);
    int rc = key ? 0 : err_set(err, -ENOMEM, "out of memory");
    rc = rc ? rc : calibrate_raw_read(t->raw, key, (size_t)t->tune_runs, take_session, s, err);
    json_decref(key);
    while (!rc && (int64_t)s->counts->n < t->tune_runs && fits(c, s->seconds, s->counts->n, t->budget_ns)) {
        struct known_race_end end;
        uint64_t seed = (uint64_t)t->seed + s->counts->n;
        rc = known_race_run(race, seed, &end, err);
        rc = rc ? rc : calibrate_raw_add(t->raw, known_race_line(race, seed, &end), err);
        if (rc)
            break;
        count_session(s, &end);
        show(c, "tune: %zu of %lld sessions, %zu wrong", s->counts->n, (long long)t->tune_runs,
             s->counts->wrong);
    }
    return rc;
}

static int repeat_tune(struct calibrate *c, struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    const struct known_race race = {.work = &t->work,
                                    .topology = &c->m.topology,
                                    .cpu_budget = c->m.budget.cpus,
                                    .margin = t->margin,
                                    .turn_ns = t->turn_ns,
                                    .budget_ns = t->tune_budget_ns,
                                    .stop = c->io->stop,
                                    .progress = &c->progress};
    struct sessions s = {.counts = &c->found.races,
                         .seconds = calloc((size_t)t->tune_runs + 1, sizeof *s.seconds)};
    if (!s.seconds)
        return err_set(err, -ENOMEM, "out of memory for %lld sessions", (long long)t->tune_runs);
    *s.counts = (struct calibration_races){
        .slowdown = known_race_slowdown(t->margin), .margin = t->margin, .seconds = NAN};
    int rc = repeat_sessions(c, &race, &s, err);
    if (s.counts->n)
        s.counts->seconds = stats_median(s.seconds, s.counts->n);
    free(s.seconds);
    return rc;
}

/* ---- all of it ---- */

/* Half of the gates' share of the budget goes to the null comparisons, where there are any. */
static int repeat_gates(struct calibrate *c, struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    double gates_ns = t->budget_ns * (t->tune_runs > 0 ? 1 - TUNE_SHARE : 1);
    double weight = 0, sum = 0;
    for (size_t i = 0; i < c->nslowdowns; i++)
        sum += c->slowdown[i] > 0 ? t->power_runs > 0 : (double)(c->nslowdowns > 1 ? c->nslowdowns - 1 : 1);
    int rc = 0;
    for (size_t i = 0; !rc && i < c->nslowdowns; i++) {
        int64_t wanted = c->slowdown[i] > 0 ? t->power_runs : t->null_runs;
        weight +=
            c->slowdown[i] > 0 ? t->power_runs > 0 : (double)(c->nslowdowns > 1 ? c->nslowdowns - 1 : 1);
        if (wanted)
            rc = repeat(c, c->slowdown[i], wanted, gates_ns * weight / sum, err);
    }
    return rc;
}

static int parse_slowdowns(struct calibrate *c, struct err *err)
{
    const struct bench_words *list = &c->settings->slowdowns;
    if (list->n > CALIBRATION_ROWS_MAX)
        return err_set(err, -E2BIG, "--slowdowns: %zu entries, at most %d", list->n, CALIBRATION_ROWS_MAX);
    int rc = 0;
    for (size_t i = 0; !rc && i < list->n; i++)
        rc = unit_parse_ratio("--slowdowns", list->item[i], 0, 10, &c->slowdown[c->nslowdowns++], err);
    return rc;
}

static int conclude(struct calibrate *c, struct err *err)
{
    struct text t = {0};
    const struct calibrate_settings *s = c->settings;
    snprintf(c->found.workload, sizeof c->found.workload, "%.60s, %lld workers", s->work.transform,
             (long long)s->work.workers);
    c->found.alpha = s->alpha;
    c->found.margin = s->margin;
    calibration_fingerprint(c->m.result.environment, c->found.fingerprint);
    text_sayf(&t, "Gate with margin %.3g %% and alpha %.3g %% on %s\n\n", 100 * s->margin, 100 * s->alpha,
              c->found.workload);
    calibration_table(&t, &c->found);
    int rc = sensitivity_table(&c->null, s->margin, s->alpha, LOOKS, &t, err);
    calibration_races_table(&t, &c->found.races);
    if (!rc && !s->no_keep)
        rc = calibration_write(&c->found, err);
    if (!rc && !s->no_keep)
        text_sayf(&t, "\nKept in %s; 'gate' and 'tune' quote it on this machine.\n", calibration_path);
    int printed = export_print_take(&t, c->io->out, err);
    return rc ? rc : printed;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct calibrate_settings *s = settings;
    struct calibrate c = {.settings = s, .io = io, .began_ns = clock_now_ns()};
    progress_init(&c.progress, io->err, PROGRESS_AUTO, s->quiet, NULL);
    int rc = calibrate_raw_check(s->raw, err);
    rc = rc ? rc : measure_open(&c.m, io, err);
    const struct workload w = calibrate_workload(s->work.transform);
    struct harness_workload_facts facts;
    rc = rc ? rc : parse_slowdowns(&c, err);
    int usage = rc ? rc : harness_workload_check(&w, 0, &facts, err);
    rc = usage ? usage : repeat_gates(&c, err);
    if (!rc && s->tune_runs > 0)
        rc = repeat_tune(&c, err);
    progress_end(&c.progress);
    if (!usage && (c.found.nrows || c.found.races.n)) {
        int later = conclude(&c, err);
        rc = rc ? rc : later;
    }
    sensitivity_fini(&c.null);
    measure_close(&c.m);
    return usage          ? BENCH_EXIT_USAGE
           : rc == -EINTR ? BENCH_EXIT_INTERRUPTED
           : rc           ? BENCH_EXIT_FAILED
                          : BENCH_EXIT_DONE;
}

const struct bench_command command_calibrate = {
    .name = "calibrate",
    .summary = "How often do gate and tune err on this machine?",
    .details =
        "Repeats whole gates, through the same code: of two equal arms (how often is a regression "
        "called, how often does a 95 % interval miss 1?), and of an arm with a known slowdown injected into "
        "its transform, as more of the same work (how often is it found, in how much time?). Then sessions "
        "of "
        "tune whose outcome is known: three equal settings and a slower one. "
        "The result is kept, and later verdicts quote it.",
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct calibrate_settings),
    .run = run,
};
