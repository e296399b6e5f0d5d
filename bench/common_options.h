/* Rows of option tables that two or more commands share, each written once. A macro is the inside of a row: name, kind,
 * letter, limits, and whatever else all its commands agree on. A command says where the value goes (AT) and what is its
 * own; what both say is a compile error:
 *
 *     {OPTION_LEVEL, AT(level), .group = "How sure"},
 *     {OPTION_METRIC, AT(metric), .help = "what is compared", .group = "Rows"},
 *
 * _OWN_HELP: the same row for a command that words its help otherwise. */
#ifndef BENCH_COMMON_OPTIONS_H
#define BENCH_COMMON_OPTIONS_H

#include "bench/option.h"

/* ---- limits, for rows and for who reads the same values elsewhere (suites, operands) ---- */

enum { WORKERS_MOST = 4096, THREADS_MOST = 4096, PREFETCH_MOST = 1024, BATCH_SIZE_MOST = 65536 };
enum { RUNS_MOST = 1000000 }; /* invocations, comparisons */

#define DAY_NS 86400e9
#define BUDGET_LEAST_NS 1e9
#define BUDGET_MOST_NS (30 * DAY_NS)

#define MARGIN_LEAST 0.001
#define MARGIN_MOST 10        /* of a slowdown */
#define SESSION_MARGIN_MOST 1 /* of what is as good as the best: at most twice its cost */

/* Whole numbers that every reader of JSON holds exactly: 2^53 - 1. */
#define SEED_MOST 9007199254740991.0

/* ---- what is measured ---- */

#define OPTION_TRANSFORM .name = "transform", .kind = BENCH_OPTION_TEXT, .arg = "CHAIN"

/* The most is the command's. */
#define OPTION_BATCH_SIZE                                                                                    \
    .name = "batch-size", .letter = 'b', .kind = BENCH_OPTION_INT, .min = 1, .initial = "1"

#define OPTION_WORKERS                                                                                       \
    .name = "workers", .letter = 'j', .kind = BENCH_OPTION_INT, .min = 0, .max = WORKERS_MOST, .initial = "0"

#define OPTION_AFFINITY .name = "affinity", .kind = BENCH_OPTION_WORDS, .arg = "LIST", .number_lists = true

#define OPTION_COUNTERS                                                                                      \
    .name = "counters", .kind = BENCH_OPTION_TEXT, .arg = "EVENTS",                                          \
    .help = "further events to count, by their PAPI names: PAPI_TOT_CYC,perf::INSTRUCTIONS"

#define OPTION_SEED_OWN_HELP                                                                                 \
    .name = "seed", .kind = BENCH_OPTION_INT, .min = 0, .max = SEED_MOST, .initial = "0"

#define OPTION_SEED OPTION_SEED_OWN_HELP, .help = "of the data, the order of turns and the draw of CPUs"

/* Over what a suite says of the main process; wants suite.h. */
#define OPTION_SUITE_MAIN                                                                                    \
    .name = "main", .kind = BENCH_OPTION_CHOICE, .choices = suite_main_words, .initial = "suite",            \
    .help = "the main process: as the suite says, shares its CPUs with the workers, or has the first one "   \
            "for itself"

/* ---- which rows ---- */

#define OPTION_METRIC .name = "metric", .kind = BENCH_OPTION_WORDS, .initial = "cost_ns", .arg = "LIST"

#define OPTION_FILTER_OWN_HELP .name = "filter", .letter = 'f', .kind = BENCH_OPTION_TEXT, .arg = "TEXT"

#define OPTION_FILTER OPTION_FILTER_OWN_HELP, .help = "only settings with this in their name"

/* ---- how long ---- */

#define OPTION_BUDGET                                                                                        \
    .name = "budget", .kind = BENCH_OPTION_DURATION, .min = BUDGET_LEAST_NS, .max = BUDGET_MOST_NS

#define OPTION_RUNS .name = "runs", .letter = 'r', .kind = BENCH_OPTION_INT, .max = RUNS_MOST

/* Of an invocation. */
#define OPTION_WARMUP                                                                                        \
    .name = "warmup", .letter = 'w', .kind = BENCH_OPTION_INT, .kept = true, .min = 1, .max = 1000,          \
    .initial = "1", .help = "blocks of turns that every invocation begins with, and that count nowhere"

#define OPTION_TURN .name = "turn", .kind = BENCH_OPTION_DURATION, .min = 1e6, .max = 60e9

/* Of a gate, and of who tries it out. */
#define OPTION_GATE_TURN OPTION_TURN, .initial = "10ms"

/* Of a trial. */
#define OPTION_TIMEOUT                                                                                       \
    .name = "timeout", .kind = BENCH_OPTION_DURATION, .min = 1e8, .max = DAY_NS, .initial = "60s",           \
    .help = "longest wait for an answer of a trial"

/* Of a picture. */
#define OPTION_GNUPLOT_TIMEOUT                                                                               \
    .name = "timeout", .kind = BENCH_OPTION_DURATION, .min = 1e9, .max = 3600e9, .initial = "60s",           \
    .help = "longest a run of gnuplot may take"

/* ---- how sure ---- */

#define OPTION_LEVEL_OWN_HELP                                                                                \
    .name = "level", .kind = BENCH_OPTION_RATIO, .min = 0.5, .max = 0.9999, .initial = "95%"

#define OPTION_LEVEL OPTION_LEVEL_OWN_HELP, .help = "confidence of the intervals"

/* The most is the command's. */
#define OPTION_MARGIN .name = "margin", .kind = BENCH_OPTION_RATIO, .min = MARGIN_LEAST, .initial = "5%"

#define OPTION_ALPHA .name = "alpha", .kind = BENCH_OPTION_RATIO, .min = 0.00001, .max = 0.2, .initial = "1%"

/* ---- stored sessions ---- */

/* Wants baseline.h. */
#define OPTION_BASELINES                                                                                     \
    .name = "baselines", .kind = BENCH_OPTION_TEXT, .arg = "FOLDER", .file = BENCH_FILE_READ,                \
    .initial = baseline_folder, .help = "where baselines are kept"

#define OPTION_ACROSS_SESSIONS                                                                               \
    .name = "across-sessions", .kind = BENCH_OPTION_RATIO, .min = 0, .max = 1, .initial = "0"

#define OPTION_ANY_MACHINE_OWN_HELP .name = "any-machine", .kind = BENCH_OPTION_FLAG

#define OPTION_ANY_MACHINE                                                                                   \
    OPTION_ANY_MACHINE_OWN_HELP, .help = "compare although the machines differ in what decides costs"

/* ---- what comes out, and where ---- */

/* A result file. */
#define OPTION_OUTPUT                                                                                        \
    .name = "output", .letter = 'o', .kind = BENCH_OPTION_TEXT, .arg = "NAME.jsonl", .file = BENCH_FILE_NEW, \
    .otherwise = "under loaderbench-results/, with date and time"

#define OPTION_EXPORT .kind = BENCH_OPTION_TEXT, .arg = "FILE|-", .file = BENCH_FILE_OR_OUTPUT

#define OPTION_EXPORT_JSON .name = "export-json", OPTION_EXPORT

#define OPTION_EXPORT_CSV .name = "export-csv", OPTION_EXPORT, .help = "a record a row (RFC 4180)"

#define OPTION_EXPORT_MARKDOWN .name = "export-markdown", OPTION_EXPORT

/* command: "gate", the picture's name too. */
#define OPTION_PLOT(command)                                                                                 \
    .name = "plot", .kind = BENCH_OPTION_TEXT, .arg = "FOLDER", .file = BENCH_FOLDER,                        \
    .help = "draw the rows with their intervals: " command ".svg and .png there, with script and data"

/* What `loaderbench doctor --json` found. */
#define OPTION_DOCTOR .name = "doctor", .kind = BENCH_OPTION_TEXT, .arg = "FILE", .file = BENCH_FILE_READ

#define OPTION_QUIET .name = "quiet", .letter = 'q', .kind = BENCH_OPTION_FLAG

#define OPTION_VERBOSE                                                                                       \
    .name = "verbose", .letter = 'v', .kind = BENCH_OPTION_FLAG,                                             \
    .help = "tell on standard error what is decided and why: the pilot's choice, what does not count, each " \
            "look",                                                                                          \
    .group = "Output"

/* ---- a session of tune or run (measure.h) ---- */

#define OPTION_FAST                                                                                          \
    .name = "fast", .kind = BENCH_OPTION_FLAG, .kept = true,                                                 \
    .help = "a third of the budget: a first impression", .group = "How long, how sure"

#define OPTION_RIGOROUS                                                                                      \
    .name = "rigorous", .kind = BENCH_OPTION_FLAG, .kept = true,                                             \
    .help = "five times the budget: narrower intervals", .group = "How long, how sure"

#define OPTION_SESSION_MARGIN                                                                                \
    OPTION_MARGIN, .max = SESSION_MARGIN_MOST, .kept = true,                                                 \
                   .help = "a setting this close to the lowest cost is as good as the best",                 \
                   .group = "How long, how sure"

#define OPTION_MIN_RUNS                                                                                      \
    .name = "min-runs", .letter = 'm', .kind = BENCH_OPTION_INT, .kept = true, .max = RUNS_MOST,             \
    .initial = "0",                                                                                          \
    .help = "at least so many invocations before anything is decided, whatever the budget; 0 = as many as "  \
            "can decide",                                                                                    \
    .group = "How long, how sure"

#define OPTION_MAX_RUNS                                                                                      \
    .name = "max-runs", .letter = 'M', .kind = BENCH_OPTION_INT, .kept = true, .max = RUNS_MOST,             \
    .initial = "0",                                                                                          \
    .help = "never more invocations than this, with as many looks (three at most) as find room in them; "    \
            "0 = as the budget allows",                                                                      \
    .group = "How long, how sure"

#define OPTION_BLOCKS                                                                                        \
    .name = "blocks", .kind = BENCH_OPTION_INT, .kept = true, .min = 0, .max = 10000, .initial = "0",        \
    .help = "blocks of turns in an invocation beside the warm-up; 0 = chosen by a pilot",                    \
    .group = "How long, how sure"

#define OPTION_SESSION_TURN                                                                                  \
    OPTION_TURN, .otherwise = "25ms, or longer where the pilot finds that it pays", .kept = true,            \
                 .help = "time one setting is measured for before the next has its turn",                    \
                 .group = "How long, how sure"

#define OPTION_UNFIT_OK                                                                                      \
    .name = "unfit-ok", .kind = BENCH_OPTION_FLAG,                                                           \
    .help = "exit 0, not 4, when the session's own checks speak against its figures",                        \
    .group = "How long, how sure"

#define OPTION_MEMORY                                                                                        \
    .name = "memory", .kind = BENCH_OPTION_BYTES, .kept = true, .min = 1,                                    \
    .max = 1125899906842624.0, /* 1 PiB */                                                                   \
        .otherwise = "80 % of what is available",                                                            \
    .help = "what the slots of settings alive together may take; more settings than fit come in groups "     \
            "that share one",                                                                                \
    .group = "How long, how sure"

#define OPTION_SESSION_OUTPUT                                                                                \
    OPTION_OUTPUT, .help = "result file; the pictures go into the folder NAME beside it", .group = "Output"

#define OPTION_SESSION_EXPORT_JSON                                                                           \
    OPTION_EXPORT_JSON,                                                                                      \
        .help = "every figure with its interval and what it rests on, the recommendation, the checks; '-': " \
                "instead of the table",                                                                      \
        .group = "Output"

#define OPTION_SESSION_EXPORT_CSV                                                                            \
    .name = "export-csv", OPTION_EXPORT, .help = "a record a setting (RFC 4180)", .group = "Output"

#define OPTION_SESSION_EXPORT_MARKDOWN                                                                       \
    OPTION_EXPORT_MARKDOWN, .help = "the table, for a pull request", .group = "Output"

#define OPTION_RESUME                                                                                        \
    .name = "resume", .kind = BENCH_OPTION_TEXT, .arg = "FILE.jsonl", .file = BENCH_FILE_CONTINUED,          \
    .help = "go on with a session that was stopped, as it was begun: nothing needs to be said again; "       \
            "--budget may, and is the whole session's",                                                      \
    .group = "Output"

#define OPTION_SHOW_COUNTERS                                                                                 \
    .name = "show-counters", .kind = BENCH_OPTION_FLAG,                                                      \
    .help = "after the table what was counted, for the consumer and each worker, and what follows from it",  \
    .group = "Output"

#define OPTION_RECORD_HOST                                                                                   \
    .name = "record-host", .kind = BENCH_OPTION_FLAG, .help = "put the name of this host into the result",   \
    .group = "Output"

#define OPTION_NO_PLOTS                                                                                      \
    .name = "no-plots", .kind = BENCH_OPTION_FLAG, .help = "draw no pictures", .group = "Output"

/* Wants progress.h. */
#define OPTION_PROGRESS                                                                                      \
    .name = "progress", .kind = BENCH_OPTION_CHOICE, .choices = progress_words, .initial = "auto",           \
    .help = "on standard error: auto (a line on a terminal), json (an object a line, for tools), none",      \
    .group = "Output"

#define OPTION_DRY_RUN                                                                                       \
    .name = "dry-run", .letter = 'n', .kind = BENCH_OPTION_FLAG,                                             \
    .help = "show the settings that would be measured, and stop", .group = "Output"

#endif
