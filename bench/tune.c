/* `loaderbench tune`: how many workers, how many threads in each? */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "common_options.h"
#include "datasets/cache.h"
#include "harness/consumer.h"
#include "harness/plan.h"
#include "measure.h"
#include "resume.h"

struct tune_settings {
    struct measure_settings session;
    int cache, on_error;
    const char *data, *transform, *consumer;
    int64_t batch_size, seed, prefetch;
    struct bench_ints workers, threads;
    struct bench_words affinity, backend, main;
    double budget_ns, max_stall, margin, level;
    bool shuffle;
};

static const char *const main_words[] = {"share", "reserve", NULL};

#define AT(member) BENCH_AT(struct tune_settings, member)

static const struct bench_option options[] = {
    {.name = "data",
     .kind = BENCH_OPTION_TEXT,
     AT(data),
     .kept = true,
     .initial = "synthetic:1048576",
     .arg = "SPEC",
     .help = "what to load; 'loaderbench list datasets' shows the formats",
     .group = "Workload"},
    {OPTION_TRANSFORM, AT(transform), .kept = true, .initial = "gemm=768",
     .help = "what to do with each sample: kernels by name, joined by commas; 'loaderbench list kernels' "
             "shows them",
     .group = "Workload"},
    {OPTION_BATCH_SIZE, AT(batch_size), .kept = true, .max = BATCH_SIZE_MOST, .help = "samples in a batch",
     .group = "Workload"},
    {.name = "shuffle",
     .kind = BENCH_OPTION_FLAG,
     AT(shuffle),
     .kept = true,
     .help = "visit samples in random order",
     .group = "Workload"},
    {.name = "consumer",
     .kind = BENCH_OPTION_TEXT,
     AT(consumer),
     .kept = true,
     .initial = "none",
     .arg = "STEP",
     .help = "what happens between two batches: none; gpu=5ms (a step that leaves the CPU free) or cpu=5ms "
             "(one that keeps a thread busy) emulate training; plugin:FILE.so[:ARGS] is your own code",
     .group = "Workload"},
    {.name = "cache",
     .kind = BENCH_OPTION_CHOICE,
     AT(cache),
     .kept = true,
     .choices = data_cache_names,
     .initial = "as-is",
     .help = "the page cache of the data's files before each trial",
     .group = "Workload"},
    {.name = "on-error",
     .kind = BENCH_OPTION_CHOICE,
     AT(on_error),
     .kept = true,
     .choices = axis_on_error_words,
     .initial = "fail",
     .help = "a broken sample: fail, or skip it (counted in the record)",
     .group = "Workload"},
    {OPTION_SEED, AT(seed), .kept = true, .group = "Workload"},
    {.name = "workers",
     .letter = 'j',
     .kind = BENCH_OPTION_INTS,
     AT(workers),
     .kept = true,
     .min = 0,
     .max = WORKERS_MOST,
     .otherwise = "0, 1, 2, ... up to twice the CPU budget",
     .help = "worker counts to try; 0 is the main process",
     .group = "Settings to try"},
    {.name = "threads",
     .letter = 't',
     .kind = BENCH_OPTION_INTS,
     AT(threads),
     .kept = true,
     .min = 1,
     .max = THREADS_MOST,
     .words = axis_thread_words,
     .initial = "1,all",
     .help = "BLAS threads in each worker, or in the main process; 'all' is the CPU budget",
     .group = "Settings to try"},
    {OPTION_AFFINITY, AT(affinity), .kept = true, .initial = "scatter",
     .help = "where workers are bound: policies that 'loaderbench list affinity' shows, or CPUs (0,2,4-7 or "
             "S0:0-3)",
     .group = "Settings to try"},
    {.name = "main",
     .kind = BENCH_OPTION_WORDS,
     AT(main),
     .kept = true,
     .choices = main_words,
     .initial = "share",
     .arg = "LIST",
     .help = "the main process: shares its CPUs with the workers, or has the first one for itself",
     .group = "Settings to try"},
    {.name = "backend",
     .kind = BENCH_OPTION_WORDS,
     AT(backend),
     .kept = true,
     .initial = "process",
     .arg = "LIST",
     .help = "what a worker is: process, thread",
     .group = "Settings to try"},
    {.name = "prefetch-factor",
     .kind = BENCH_OPTION_INT,
     AT(prefetch),
     .kept = true,
     .min = 1,
     .max = PREFETCH_MOST,
     .initial = "2",
     .help = "batches each worker makes ahead",
     .group = "Settings to try"},
    {OPTION_COUNTERS, AT(session.counters), .kept = true, .group = "Settings to try"},
    {OPTION_BUDGET, AT(budget_ns), .initial = "60s",
     .help = "longest time to measure; it ends sooner when the answer is clear",
     .group = "How long, how sure"},
    {OPTION_FAST, AT(session.fast)},
    {OPTION_RIGOROUS, AT(session.rigorous)},
    {.name = "max-stall",
     .kind = BENCH_OPTION_RATIO,
     AT(max_stall),
     .kept = true,
     .min = 0,
     .max = 1,
     .initial = "0",
     .help = "recommend the smallest setting that keeps the consumer waiting for at most this share of the "
             "time (wants "
             "--consumer); 0 = the one whose cost is lowest",
     .group = "How long, how sure"},
    {OPTION_SESSION_MARGIN, AT(margin)},
    {OPTION_LEVEL_OWN_HELP, AT(level), .kept = true,
     .help = "confidence of the intervals and of the recommendation", .group = "How long, how sure"},
    {OPTION_RUNS, AT(session.runs), .kept = true, .initial = "0",
     .help =
         "exactly so many invocations, all settings in each, whatever the budget; 0 = as the budget allows",
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

enum { DEFAULT_LOAD_MAX = 4 }; /* threads a CPU, in a sweep that nobody asked for in detail */

static int add_arms(struct measure *m, const struct tune_settings *t, FILE *messages, struct err *err)
{
    const struct workload workload = {.data = (char *)t->data,
                                      .transform = (char *)t->transform,
                                      .sampler = (char *)(t->shuffle ? "random" : "sequential"),
                                      .batch_size = t->batch_size,
                                      .consumer = (char *)t->consumer,
                                      .on_error =
                                          (char *)(t->on_error ? axis_on_error_words[t->on_error] : NULL),
                                      .cache = (char *)(t->cache ? data_cache_names[t->cache] : NULL)};
    bool reserve[2] = {0};
    for (size_t i = 0; i < t->main.n && i < 2; i++)
        reserve[i] = !strcmp(t->main.item[i], main_words[1]);
    int counts[64], *workers = NULL, *threads = NULL, prefetch = (int)t->prefetch;
    size_t left_out = 0, nworkers, nthreads;
    int rc = axis_counts(t->workers.item, t->workers.n, 0, &workers, &nworkers, err);
    rc = rc ? rc : axis_counts(t->threads.item, t->threads.n, m->budget.cpus, &threads, &nthreads, err);
    if (!rc) {
        struct plan_axes axes = {.workers = nworkers ? workers : counts,
                                 .nworkers =
                                     nworkers ? nworkers : plan_default_workers(m->budget.cpus, counts, 64),
                                 .threads = threads,
                                 .nthreads = nthreads,
                                 .affinity = (const char *const *)t->affinity.item,
                                 .naffinity = t->affinity.n,
                                 .backend = (const char *const *)t->backend.item,
                                 .nbackend = t->backend.n,
                                 .prefetch = &prefetch,
                                 .nprefetch = 1,
                                 .reserve_main = reserve,
                                 .nmain = t->main.n};
        long most = t->workers.n ? 0 : (long)DEFAULT_LOAD_MAX * m->budget.cpus;
        rc = plan_sweep(&m->result, &axes, &workload, most, &left_out, err);
    }
    if (!rc && left_out && !t->session.quiet)
        fprintf(messages,
                "loaderbench: %zu settings with more than %d threads a CPU are left out (--workers asks for "
                "them)\n",
                left_out, DEFAULT_LOAD_MAX);
    free(workers);
    free(threads);
    return rc;
}

static int check_consumer(const struct tune_settings *t, struct err *err)
{
    struct consumer c;
    int rc = consumer_parse(t->consumer, &c, err);
    if (!rc && t->max_stall > 0 && !consumer_has_step(&c))
        rc = err_set(err, -EINVAL, "--max-stall %g%% wants a step between batches: --consumer gpu=5ms, say",
                     100 * t->max_stall);
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct tune_settings *t = settings;
    struct measure m = {.set = t->session, .settings = t, .eliminate = true};
    if (t->session.resume)
        return resume_run(&m, io, err);
    int code = BENCH_EXIT_USAGE;
    int rc = measure_open(&m, io, err);
    m.result.seed = (uint64_t)t->seed;
    m.result.alpha = 1 - t->level;
    m.result.margin = t->margin;
    m.result.max_stall = t->max_stall;
    rc = rc ? rc
            : measure_set_budget(&m, t->budget_ns,
                                 bench_option_given(BENCH_OPTIONS(options), io->parsed, "budget"), err);
    rc = rc ? rc : check_consumer(t, err);
    rc = rc ? rc : add_arms(&m, t, io->err, err);
    rc = rc ? rc : measure_check(&m, io->err, err);
    if (!rc)
        code = measure_run(&m, io, err);
    measure_close(&m);
    return code;
}

const struct bench_command command_tune = {
    .name = "tune",
    .summary = "How many workers, how many threads in each?",
    .details = "Measures every setting of the sweep, all of them taking turns of milliseconds on CPUs that "
               "are drawn anew for "
               "each invocation, until the answer is clear or the budget is spent. Prints a table with "
               "intervals, the cost of an "
               "item with one thread in a worker against all threads in the main process, and the smallest "
               "setting that is as "
               "good as the best; saves everything as JSON lines and draws pictures.\n\n"
               "An interval covers the median over invocations (fresh processes each time) of this machine "
               "in this hour. "
               "Settings marked 'open' are neither surely as good as the best nor surely worse.",
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct tune_settings),
    .run = run,
};
