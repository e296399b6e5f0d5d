/* `loaderbench run`: measure what a suite says. */
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "measure.h"
#include "session_options.h"
#include "suite.h"

struct run_settings {
    int progress, main;
    const char *output, *filter, *launcher, *counters;
    int64_t seed, runs, blocks, memory_bytes;
    double budget_ns, margin, level, timeout_ns, turn_ns;
    bool race, no_plots, quiet, dry_run, show_counters, record_host, unfit_ok;
};

#define AT(member) BENCH_AT(struct run_settings, member)

static const struct bench_option options[] = {
    {.name = "filter",
     .letter = 'f',
     .kind = BENCH_OPTION_TEXT,
     AT(filter),
     .arg = "TEXT",
     .help = "only settings with this in their name",
     .group = "What to measure"},
    SESSION_OPTION_MAIN("What to measure"),
    {.name = "seed",
     .kind = BENCH_OPTION_INT,
     AT(seed),
     .min = 0,
     .max = 9007199254740991.0,
     .initial = "0",
     .help = "of the data, the order of turns and the draw of CPUs",
     .group = "What to measure"},
    {.name = "counters",
     .kind = BENCH_OPTION_TEXT,
     AT(counters),
     .arg = "EVENTS",
     .help = "further events to count, by their PAPI names: PAPI_TOT_CYC,perf::INSTRUCTIONS",
     .group = "What to measure"},
    {.name = "launcher",
     .kind = BENCH_OPTION_TEXT,
     AT(launcher),
     .arg = "WORDS",
     .help = "put before the command of each trial ('mpirun -n 4'); trials then rest by waiting, not by "
             "being stopped",
     .group = "What to measure"},
    {.name = "budget",
     .kind = BENCH_OPTION_DURATION,
     AT(budget_ns),
     .min = 1e9,
     .max = 30 * 86400e9,
     .initial = "60s",
     .otherwise = "what the suite says, else 60s",
     .help = "longest time to measure",
     .group = "How long, how sure"},
    {.name = "race",
     .kind = BENCH_OPTION_FLAG,
     AT(race),
     .help = "as in tune: settings that are surely worse drop out, and a recommendation is made",
     .group = "How long, how sure"},
    SESSION_OPTION_MARGIN,
    {.name = "level",
     .kind = BENCH_OPTION_RATIO,
     AT(level),
     .min = 0.5,
     .max = 0.9999,
     .initial = "95%",
     .help = "confidence of the intervals",
     .group = "How long, how sure"},
    {.name = "runs",
     .letter = 'r',
     .kind = BENCH_OPTION_INT,
     AT(runs),
     .min = 0,
     .max = 1000000,
     .initial = "0",
     .help = "exactly so many invocations, whatever the budget; 0 = as the budget allows",
     .group = "How long, how sure"},
    SESSION_OPTIONS_TURNS,
    SESSION_OPTIONS_OUTPUT,
};

/* Budget and margin: the command line, else the suite, else the default. */
static int set_limits(struct measure *m, const struct run_settings *t, const struct suite *s,
                      const struct bench_io *io, struct err *err)
{
    m->result.budget_ns = t->budget_ns;
    m->result.margin = t->margin;
    int rc = 0;
    const struct bench_options table = BENCH_OPTIONS(options);
    if (suite_budget(s) && !bench_option_given(table, io->parsed, "budget"))
        rc = unit_parse_ns("budget", suite_budget(s), 1e9, 30 * 86400e9, &m->result.budget_ns, err);
    if (!rc && suite_margin(s) && !bench_option_given(table, io->parsed, "margin"))
        rc = unit_parse_ratio("margin", suite_margin(s), 0.001, 1, &m->result.margin, err);
    return rc;
}

/* Keeps the arms whose name holds the text. A filter that matches nothing is an error: it would pass for ever. */
static int apply_filter(struct result *r, const char *text, struct err *err)
{
    size_t kept = 0, before = r->narms;
    for (size_t i = 0; text && i < before; i++)
        if (strstr(r->arms[i].name, text)) {
            struct arm a = r->arms[kept];
            r->arms[kept++] = r->arms[i];
            r->arms[i] = a;
        }
    if (!text)
        return 0;
    if (!kept)
        return err_set(err, -1, "--filter: none of the %zu settings has '%s' in its name", before, text);
    struct result rest = {.arms = calloc(before, sizeof *rest.arms)};
    if (!rest.arms)
        return err_set(err, -1, "out of memory");
    for (size_t i = kept; i < before; i++)
        rest.arms[rest.narms++] = r->arms[i];
    r->narms = kept;
    result_fini(&rest);
    return 0;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct run_settings *t = settings;
    struct suite *suite = NULL;
    struct measure m = {.output = t->output,
                        .launcher = t->launcher,
                        .counters = t->counters,
                        .eliminate = t->race,
                        .plots = !t->no_plots,
                        .quiet = t->quiet,
                        .show_counters = t->show_counters,
                        .record_host = t->record_host,
                        .progress = (enum progress_mode)t->progress,
                        .dry_run = t->dry_run,
                        .unfit_ok = t->unfit_ok,
                        .memory_bytes = t->memory_bytes,
                        .invocations = (int)t->runs,
                        .blocks = (int)t->blocks,
                        .turn_ns = t->turn_ns,
                        .timeout_ns = t->timeout_ns};
    int code = BENCH_EXIT_USAGE;
    int rc = suite_read(io->parsed->operands[0], &suite, err);
    rc = rc ? rc : measure_open(&m, io, err);
    m.result.seed = (uint64_t)t->seed;
    m.result.alpha = 1 - t->level;
    rc = rc ? rc : set_limits(&m, t, suite, io, err);
    if (suite)
        suite_set_main(suite, (enum suite_main)t->main);
    rc = rc ? rc : suite_add_arms(suite, m.budget.cpus, &m.result, err);
    rc = rc ? rc : apply_filter(&m.result, t->filter, err);
    rc = rc ? rc : measure_check(&m, err);
    if (!rc)
        code = measure_run(&m, io, err);
    measure_close(&m);
    suite_free(suite);
    return code;
}

const struct bench_command command_run = {
    .name = "run",
    .summary = "Measure the settings of a suite",
    .details = "SUITE is a YAML file: a workload, sweeps over lists, and single arms with their own names, "
               "which may be other "
               "loaders that speak the trial protocol ('subject: COMMAND'). Every setting stays in to the "
               "end, so that all "
               "intervals are as narrow as the budget allows.",
    .operands = "SUITE",
    .operands_min = 1,
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct run_settings),
    .run = run,
};
