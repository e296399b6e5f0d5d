/* `loaderbench calibrate`: how often does the gate err on this machine, and how small a slowdown does it find? */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/unit.h"
#include "calibration.h"
#include "common_options.h"
#include "duel.h"
#include "export.h"
#include "harness/plan.h"
#include "measure.h"
#include "progress.h"
#include "results/json.h"
#include "results/stats/order_statistic.h"
#include "sensitivity.h"

struct calibrate_settings {
    const char *transform, *raw;
    struct bench_words slowdowns;
    int64_t workers, seed, null_runs, power_runs;
    double budget_ns, margin, alpha, turn_ns, gate_budget_ns;
    bool quiet, no_keep;
};

enum { LOOKS = 3, REPEATS = 100 };

#define AT(member) BENCH_AT(struct calibrate_settings, member)

static const struct bench_option options[] = {
    {OPTION_BUDGET, AT(budget_ns), .initial = "10m",
     .help = "no comparison begins that would end later, as far as those before it tell; half of it goes to "
             "null comparisons, where there are any",
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
    {.name = "gate-budget",
     .kind = BENCH_OPTION_DURATION,
     AT(gate_budget_ns),
     .min = 0,
     .max = DAY_NS,
     .initial = "0",
     .help = "budget of one comparison, as --budget of gate; 0 = as a gate without that option",
     .group = "How long"},
    {.name = "slowdowns",
     .kind = BENCH_OPTION_WORDS,
     AT(slowdowns),
     .initial = "0,1%,2%,5%,10%",
     .arg = "LIST",
     .help = "what is injected, one after another; 0 is the null comparison",
     .group = "Rule"},
    {OPTION_MARGIN, AT(margin), .max = MARGIN_MOST, .help = "of the gate", .group = "Rule"},
    {OPTION_ALPHA, AT(alpha), .help = "of the gate", .group = "Rule"},
    {OPTION_TRANSFORM, AT(transform), .initial = "gemm=64",
     .help = "a hundredth of what a sample costs: it is run 100 times, and with 5 % injected 105 times",
     .group = "Workload"},
    {OPTION_WORKERS, AT(workers), .help = "of both arms", .group = "Workload"},
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
     .help = "verdicts of 'gate' shall not quote this one",
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

/* One arm: the transform some times over, and a share of those times more, so that what is injected is of one kind with
 * what is there. */
static int add_arm(struct calibrate *c, struct result *r, const char *name, double slowdown, struct err *err)
{
    char *transform = NULL;
    if (asprintf(&transform, "%s,repeat=%.9g", c->settings->transform, REPEATS * (1 + slowdown)) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    const struct workload w = {.data = (char *)"synthetic:1048576",
                               .transform = transform,
                               .sampler = (char *)"sequential",
                               .batch_size = 1};
    const struct setting s = {.workers = (int)c->settings->workers,
                              .threads = 1,
                              .prefetch_factor = 2,
                              .affinity = (char *)"scatter",
                              .backend = (char *)"process"};
    int rc = plan_add(r, name, "core", &w, &s, err);
    free(transform);
    return rc;
}

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
    rc = rc ? rc : add_arm(c, &r, "baseline", 0, err);
    rc = rc ? rc : add_arm(c, &r, "candidate", slowdown, err);
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
                     "transform", s->transform, "workers", (json_int_t)s->workers);
}

/* Is a line one of this file's: a comparison, or as much of one as a kill left? */
static bool is_raw_line(const char *line, size_t n)
{
    static const char begin[] = "{\"of\":{";
    json_t *o = json_loadb(line, n, 0, NULL);
    bool is = o ? json_is_object(json_object_get(o, "of")) && json_is_string(json_object_get(o, "verdict"))
                : !strncmp(line, begin, n < sizeof begin - 1 ? n : sizeof begin - 1);
    json_decref(o);
    return is;
}

/* Nothing is added to a file that holds anything else. */
static int check_raw(const char *path, struct err *err)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    if (!path || (!f && errno == ENOENT))
        return 0;
    if (!f)
        return err_set_errno(err, -errno, "--raw: cannot read '%s'", path);
    char *line = NULL;
    size_t cap = 0, number = 0;
    int rc = 0;
    for (ssize_t n; !rc && (n = getline(&line, &cap, f)) > 0;) {
        number++;
        if (!is_raw_line(line, (size_t)(n - (line[n - 1] == '\n'))))
            rc = err_set(
                err, -EINVAL,
                "--raw: line %zu of '%s' is no comparison that calibrate made; nothing is added to it",
                number, path);
    }
    free(line);
    fclose(f);
    return rc;
}

/* Behind a line that was cut, the next one begins on its own. */
static FILE *open_raw(const char *path)
{
    FILE *f = fopen(path, "a+e");
    int last = f && !fseek(f, -1, SEEK_END) ? fgetc(f) : EOF;
    if (f && !fseek(f, 0, SEEK_END) && last != EOF && last != '\n')
        fputc('\n', f);
    return f;
}

static int write_raw(const struct calibrate *c, double slowdown, const struct comparison *k, struct err *err)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "INCONCLUSIVE", [STATS_PASS] = "PASS", [STATS_REGRESSION] = "REGRESSION"};
    const char *path = c->settings->raw;
    if (!path)
        return 0;
    json_t *ratios = json_array();
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(ratios, result_json_real(k->ln_ratios[i]));
    json_t *o =
        json_pack("{s:o, s:I, s:s, s:b, s:o, s:o, s:i, s:o}", "of", key_json(c->settings, slowdown), "seed",
                  (json_int_t)(c->settings->seed + c->comparisons - 1), "verdict", words[k->verdict],
                  "interval_wrong", k->interval_wrong, "ratio", result_json_real(k->ratio), "seconds",
                  result_json_real(k->seconds), "look", k->look, "ln_ratios", ratios);
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    FILE *f = line ? open_raw(path) : NULL;
    errno = 0;
    bool written = f && fprintf(f, "%s\n", line) > 0;
    written = f && !fclose(f) && written;
    json_decref(o);
    free(line);
    return written ? 0 : err_set_errno(err, errno ? -errno : -EIO, "cannot write '%s'", path);
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

/* Those of the same rule, workload and slowdown that the file holds, at most `wanted`; a cut line counts as none. */
static int read_raw(struct calibrate *c, struct calibration_row *row, int64_t wanted, double *seconds,
                    struct err *err)
{
    FILE *f = c->settings->raw ? fopen(c->settings->raw, "re") : NULL;
    json_t *key = key_json(c->settings, row->slowdown);
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    while (!rc && f && key && (int64_t)row->n < wanted && getline(&line, &cap, f) > 0) {
        json_t *o = json_loads(line, 0, NULL);
        struct comparison k;
        bool is_one = json_equal(json_object_get(o, "of"), key);
        if (is_one)
            rc = read_comparison(o, &k, &is_one, err);
        if (!rc && is_one) {
            rc = count(c, row, &k, seconds, err);
            c->comparisons++;
        }
        json_decref(o);
    }
    free(line);
    json_decref(key);
    if (f)
        fclose(f);
    return rc;
}

static void show(struct calibrate *c, const struct calibration_row *row, int64_t wanted)
{
    struct progress *p = &c->progress;
    char elapsed[UNIT_TEXT];
    if (p->mode != PROGRESS_AUTO)
        return;
    fprintf(p->err, "\r\033[K%s  %.3g %% slower: %zu of %lld comparisons, %zu regressions, %zu passes",
            unit_format_ns(elapsed, (double)(clock_now_ns() - c->began_ns), 2), 100 * row->slowdown, row->n,
            (long long)wanted, row->regressions, row->passes);
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
        show(c, row, wanted);
    }
    if (row->n) {
        row->seconds = stats_median(seconds, row->n);
        c->found.nrows++;
    }
    free(seconds);
    return rc;
}

/* Half of the budget goes to the null comparisons, where there are any. */
static int repeat_all(struct calibrate *c, struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    double weight = 0, sum = 0;
    for (size_t i = 0; i < c->nslowdowns; i++)
        sum += c->slowdown[i] > 0 ? t->power_runs > 0 : (double)(c->nslowdowns > 1 ? c->nslowdowns - 1 : 1);
    int rc = 0;
    for (size_t i = 0; !rc && i < c->nslowdowns; i++) {
        int64_t wanted = c->slowdown[i] > 0 ? t->power_runs : t->null_runs;
        weight +=
            c->slowdown[i] > 0 ? t->power_runs > 0 : (double)(c->nslowdowns > 1 ? c->nslowdowns - 1 : 1);
        if (wanted)
            rc = repeat(c, c->slowdown[i], wanted, t->budget_ns * weight / sum, err);
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
    snprintf(c->found.workload, sizeof c->found.workload, "%.60s, %lld workers", s->transform,
             (long long)s->workers);
    c->found.alpha = s->alpha;
    c->found.margin = s->margin;
    calibration_fingerprint(c->m.result.environment, c->found.fingerprint);
    text_sayf(&t, "Gate with margin %.3g %% and alpha %.3g %% on %s\n\n", 100 * s->margin, 100 * s->alpha,
              c->found.workload);
    calibration_table(&t, &c->found);
    int rc = sensitivity_table(&c->null, s->margin, s->alpha, LOOKS, &t, err);
    if (!rc && !s->no_keep)
        rc = calibration_write(&c->found, err);
    if (!rc && !s->no_keep)
        text_sayf(&t, "\nKept in %s; verdicts of 'gate' on this machine quote it.\n", calibration_path);
    int printed = export_print_take(&t, c->io->out, err);
    return rc ? rc : printed;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct calibrate_settings *s = settings;
    struct calibrate c = {.settings = s, .io = io, .began_ns = clock_now_ns()};
    progress_init(&c.progress, io->err, PROGRESS_AUTO, s->quiet, NULL);
    int rc = check_raw(s->raw, err);
    rc = rc ? rc : measure_open(&c.m, io, err);
    const struct workload w = {.data = (char *)"synthetic:1048576",
                               .transform = (char *)s->transform,
                               .sampler = (char *)"sequential",
                               .batch_size = 1};
    struct harness_workload_facts facts;
    rc = rc ? rc : parse_slowdowns(&c, err);
    int usage = rc ? rc : harness_workload_check(&w, 0, &facts, err);
    rc = usage ? usage : repeat_all(&c, err);
    progress_end(&c.progress);
    if (!usage && c.found.nrows) {
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
    .summary = "How often does the gate err on this machine?",
    .details =
        "Repeats whole gates, through the same code: of two equal arms (how often is a regression "
        "called, how often does a 95 % interval miss 1?), and of an arm with a known slowdown injected into "
        "its transform, as more of the same work (how often is it found, in how much time?). "
        "The result is kept, and later verdicts quote it.",
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct calibrate_settings),
    .run = run,
};
