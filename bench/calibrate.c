/* `loaderbench calibrate`: how often does the gate err on this machine, and how small a slowdown does it find? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/unit.h"
#include "calibration.h"
#include "duel.h"
#include "harness/plan.h"
#include "measure.h"
#include "progress.h"
#include "results/stats/order_statistic.h"

struct calibrate_settings {
    const char *transform;
    int64_t workers, seed, null_runs, power_runs;
    double budget_ns, margin, alpha, turn_ns;
    bool quiet;
};

enum { LOOKS = 3 };

#define AT(member) BENCH_AT(struct calibrate_settings, member)

static const struct bench_option options[] = {
    {.name = "budget",
     .kind = BENCH_OPTION_DURATION,
     AT(budget_ns),
     .min = 1e9,
     .max = 30 * 86400e9,
     .initial = "10m",
     .help = "longest time; half of it goes to null comparisons",
     .group = "How long"},
    {.name = "null-runs",
     .kind = BENCH_OPTION_INT,
     AT(null_runs),
     .min = 1,
     .max = 1000000,
     .initial = "300",
     .help = "null comparisons at the most",
     .group = "How long"},
    {.name = "power-runs",
     .kind = BENCH_OPTION_INT,
     AT(power_runs),
     .min = 0,
     .max = 1000000,
     .initial = "100",
     .help = "comparisons of each injected slowdown at the most",
     .group = "How long"},
    {.name = "margin",
     .kind = BENCH_OPTION_RATIO,
     AT(margin),
     .min = 0.001,
     .max = 10,
     .initial = "5%",
     .help = "of the gate",
     .group = "Rule"},
    {.name = "alpha",
     .kind = BENCH_OPTION_RATIO,
     AT(alpha),
     .min = 0.00001,
     .max = 0.2,
     .initial = "1%",
     .help = "of the gate",
     .group = "Rule"},
    {.name = "transform",
     .kind = BENCH_OPTION_TEXT,
     AT(transform),
     .initial = "gemm=256",
     .arg = "CHAIN",
     .help = "what a sample costs before anything is injected",
     .group = "Workload"},
    {.name = "workers",
     .letter = 'j',
     .kind = BENCH_OPTION_INT,
     AT(workers),
     .min = 0,
     .max = 4096,
     .initial = "0",
     .help = "of both arms",
     .group = "Workload"},
    {.name = "turn",
     .kind = BENCH_OPTION_DURATION,
     AT(turn_ns),
     .min = 1e6,
     .max = 60e9,
     .initial = "10ms",
     .help = "as in gate",
     .group = "Workload"},
    {.name = "seed",
     .kind = BENCH_OPTION_INT,
     AT(seed),
     .min = 0,
     .max = 9007199254740991.0,
     .initial = "0",
     .help = "of the first comparison; each further one has the next",
     .group = "Workload"},
    {.name = "quiet",
     .letter = 'q',
     .kind = BENCH_OPTION_FLAG,
     AT(quiet),
     .help = "no progress",
     .group = "Output"},
};

/* Slowdowns that are injected, the null case first. */
static const double slowdowns[] = {0, 0.01, 0.02, 0.05, 0.10};
enum { SLOWDOWNS = sizeof slowdowns / sizeof *slowdowns };

struct calibrate {
    const struct calibrate_settings *settings;
    const struct bench_io *io;
    struct measure m; /* topology, budget and fingerprint; its result is made anew for each comparison */
    struct progress progress;
    struct calibration found;
    double item_ns; /* of the unchanged transform, median of the null comparisons: what a share is taken of */
    uint64_t began_ns;
    int64_t comparisons;
};

/* One arm: the transform and a spin of `extra` ns. Both arms carry a spin, so that its own cost cancels. */
static int add_arm(struct calibrate *c, struct result *r, const char *name, double extra_ns, struct err *err)
{
    char *transform = NULL;
    if (asprintf(&transform, "%s,spin=%.0fns", c->settings->transform, 1000 + extra_ns) < 0)
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

static double item_ns(const struct result *r)
{
    struct summary *s;
    if (summary_create(r, 0.95, &s, NULL))
        return NAN;
    double value = s->arms[0].item_ns.value;
    summary_destroy(s);
    return value;
}

/* One comparison, counted into row; *seconds is how long it took. */
static int compare_once(struct calibrate *c, struct calibration_row *row, double *seconds, double *item,
                        struct err *err)
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
                     .looks = LOOKS,
                     .first = duel_first(t->alpha, LOOKS, 1)};
    uint64_t from = clock_now_ns();
    rc = rc ? rc : add_arm(c, &r, "baseline", 0, err);
    rc = rc ? rc : add_arm(c, &r, "candidate", row->slowdown * c->item_ns, err);
    rc = rc ? rc : run_duel(c, &d, err);
    if (!rc) {
        row->n++;
        row->regressions += d.verdict == STATS_REGRESSION;
        row->passes += d.verdict == STATS_PASS;
        row->intervals_wrong += one.ratio.ci.known && (one.ratio.ci.low > 1 || one.ratio.ci.high < 1);
        *seconds = (double)(clock_now_ns() - from) / 1e9;
        *item = item_ns(&r);
    }
    duel_fini(&d);
    result_fini(&r);
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

/* Repeats one slowdown until enough or until its share of the budget is spent. */
static int repeat(struct calibrate *c, double slowdown, int64_t wanted, double until_ns, struct err *err)
{
    struct calibration_row *row = &c->found.row[c->found.nrows];
    *row = (struct calibration_row){.slowdown = slowdown, .seconds = NAN};
    double *seconds = calloc(2 * (size_t)wanted + 2, sizeof *seconds), *items = seconds + wanted + 1;
    int rc = seconds ? 0 : err_set(err, -ENOMEM, "out of memory for %lld comparisons", (long long)wanted);
    while (!rc && (int64_t)row->n < wanted && (double)(clock_now_ns() - c->began_ns) < until_ns) {
        rc = compare_once(c, row, &seconds[row->n], &items[row->n], err);
        show(c, row, wanted);
    }
    if (row->n) {
        row->seconds = stats_median(seconds, row->n);
        if (slowdown <= 0)
            c->item_ns = stats_median(items, row->n);
        c->found.nrows++;
    }
    free(seconds);
    return rc;
}

static int repeat_all(struct calibrate *c, struct err *err)
{
    const struct calibrate_settings *t = c->settings;
    double budget = t->budget_ns;
    int rc = repeat(c, 0, t->null_runs, t->power_runs ? budget / 2 : budget, err);
    for (int i = 1; !rc && i < SLOWDOWNS && t->power_runs; i++)
        rc = repeat(c, slowdowns[i], t->power_runs, budget * (0.5 + 0.5 * i / (SLOWDOWNS - 1)), err);
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
    text_addf(&t, "Gate with margin %.3g %% and alpha %.3g %% on %s\n\n", 100 * s->margin, 100 * s->alpha,
              c->found.workload);
    calibration_table(&t, &c->found);
    int rc = calibration_write(&c->found, err);
    if (!rc)
        text_addf(&t, "\nKept in %s; verdicts of 'gate' on this machine quote it.\n", calibration_path);
    fputs(text_get(&t), c->io->out);
    text_fini(&t);
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct calibrate_settings *s = settings;
    struct calibrate c = {.settings = s, .io = io, .began_ns = clock_now_ns()};
    progress_init(&c.progress, io->err, PROGRESS_AUTO, s->quiet, NULL);
    int rc = measure_open(&c.m, io, err);
    const struct workload w = {.data = (char *)"synthetic:1048576",
                               .transform = (char *)s->transform,
                               .sampler = (char *)"sequential",
                               .batch_size = 1};
    struct harness_workload_facts facts;
    int usage = rc ? rc : harness_workload_check(&w, 0, &facts, err);
    rc = usage ? usage : repeat_all(&c, err);
    progress_end(&c.progress);
    if (!usage && c.found.nrows) {
        int later = conclude(&c, err);
        rc = rc ? rc : later;
    }
    measure_close(&c.m);
    return usage          ? BENCH_EXIT_USAGE
           : rc == -EINTR ? BENCH_EXIT_INTERRUPTED
           : rc           ? BENCH_EXIT_FAILED
                          : BENCH_EXIT_DONE;
}

const struct bench_command command_calibrate = {
    .name = "calibrate",
    .summary = "How often does the gate err on this machine?",
    .details = "Repeats whole gates, through the same code: of two equal arms (how often is a regression "
               "called, how often does a "
               "95 % interval miss 1?), and of an arm with a known slowdown injected as fixed CPU time in "
               "its transform (how often "
               "is it found, in how much time?). The result is kept, and later verdicts quote it.",
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct calibrate_settings),
    .run = run,
};
