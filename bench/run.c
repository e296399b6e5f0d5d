/* `loaderbench run`: measure what a suite says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "common_options.h"
#include "measure.h"
#include "resume.h"
#include "suite.h"

struct run_settings {
    struct measure_settings session;
    int main;
    const char *filter;
    int64_t seed;
    double budget_ns, margin, level;
    bool race;
};

#define AT(member) BENCH_AT(struct run_settings, member)

static const struct bench_option options[] = {
    {OPTION_FILTER, AT(filter), .kept = true, .group = "What to measure"},
    {OPTION_SUITE_MAIN, AT(main), .kept = true, .group = "What to measure"},
    {OPTION_SEED, AT(seed), .kept = true, .group = "What to measure"},
    {OPTION_COUNTERS, AT(session.counters), .kept = true, .group = "What to measure"},
    {.name = "launcher",
     .kind = BENCH_OPTION_TEXT,
     AT(session.launcher),
     .kept = true,
     .arg = "WORDS",
     .help = "put before the command of each trial ('mpirun -n 4'); trials then rest by waiting, not by "
             "being stopped",
     .group = "What to measure"},
    {OPTION_BUDGET, AT(budget_ns), .initial = "60s", .otherwise = "what the suite says, else 60s",
     .help = "longest time to measure", .group = "How long, how sure"},
    {OPTION_FAST, AT(session.fast)},
    {OPTION_RIGOROUS, AT(session.rigorous)},
    {.name = "race",
     .kind = BENCH_OPTION_FLAG,
     AT(race),
     .kept = true,
     .help = "as in tune: settings that are surely worse drop out, and a recommendation is made",
     .group = "How long, how sure"},
    {OPTION_SESSION_MARGIN, AT(margin)},
    {OPTION_LEVEL, AT(level), .kept = true, .group = "How long, how sure"},
    {OPTION_RUNS, AT(session.runs), .kept = true, .initial = "0",
     .help = "exactly so many invocations, whatever the budget; 0 = as the budget allows",
     .group = "How long, how sure"},
    {OPTION_MIN_RUNS, AT(session.min_runs)},
    {OPTION_MAX_RUNS, AT(session.max_runs)},
    {OPTION_WARMUP, AT(session.warmup), .group = "How long, how sure"},
    {OPTION_BLOCKS, AT(session.blocks)},
    {OPTION_SESSION_TURN, AT(session.turn_ns)},
    {OPTION_UNFIT_OK, AT(session.unfit_ok)},
    {OPTION_MEMORY, AT(session.memory_bytes)},
    {OPTION_TIMEOUT, AT(session.timeout_ns), .kept = true, .group = "How long, how sure"},
    {OPTION_SESSION_OUTPUT, AT(session.output)},
    {OPTION_SESSION_EXPORT_JSON, AT(session.exports.json)},
    {OPTION_SESSION_EXPORT_CSV, AT(session.exports.csv)},
    {OPTION_SESSION_EXPORT_MARKDOWN, AT(session.exports.markdown)},
    {OPTION_RESUME, AT(session.resume)},
    {OPTION_SHOW_COUNTERS, AT(session.show_counters)},
    {OPTION_RECORD_HOST, AT(session.record_host)},
    {OPTION_NO_PLOTS, AT(session.no_plots)},
    {OPTION_PROGRESS, AT(session.progress)},
    {OPTION_QUIET, AT(session.quiet), .help = "no progress, no warnings", .group = "Output"},
    {OPTION_VERBOSE, AT(session.verbose)},
    {OPTION_DRY_RUN, AT(session.dry_run)},
};

/* Budget and margin: the command line, else the suite, else the default. */
static int set_limits(struct measure *m, const struct run_settings *t, const struct suite *s,
                      const struct bench_io *io, struct err *err)
{
    double budget_ns = t->budget_ns;
    m->result.margin = t->margin;
    int rc = 0;
    const struct bench_options table = BENCH_OPTIONS(options);
    bool given = bench_option_given(table, io->parsed, "budget");
    if (suite_budget(s) && !given)
        rc = unit_parse_ns("budget", suite_budget(s), BUDGET_LEAST_NS, BUDGET_MOST_NS, &budget_ns, err);
    if (!rc && suite_margin(s) && !bench_option_given(table, io->parsed, "margin"))
        rc = unit_parse_ratio("margin", suite_margin(s), MARGIN_LEAST, SESSION_MARGIN_MOST, &m->result.margin,
                              err);
    if (rc)
        return err_prefix(err, "%s", io->parsed->operands[0]);
    return measure_set_budget(m, budget_ns, given, err);
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
    struct measure m = {.set = t->session, .settings = t, .eliminate = t->race};
    int code = BENCH_EXIT_USAGE;
    if (t->session.resume)
        return resume_run(&m, io, err);
    if (!io->parsed->noperands) {
        err_set(err, -EINVAL, "SUITE is missing");
        return code;
    }
    int rc = suite_read(io->parsed->operands[0], &suite, err);
    rc = rc ? rc : measure_open(&m, io, err);
    m.result.seed = (uint64_t)t->seed;
    m.result.alpha = 1 - t->level;
    rc = rc ? rc : set_limits(&m, t, suite, io, err);
    if (suite)
        suite_set_main(suite, (enum suite_main)t->main);
    rc = rc ? rc : suite_add_arms(suite, m.budget.cpus, &m.result, err);
    rc = rc ? rc : apply_filter(&m.result, t->filter, err);
    rc = rc ? rc : measure_check(&m, io->err, err);
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
    .operands = "[SUITE]",
    .operands_min = 0,
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct run_settings),
    .run = run,
};
