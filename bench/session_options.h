/* Rows that the option tables of tune, run and gate share: they make a session. Settings structs have the members that AT
 * names: margin, blocks, turn_ns, timeout_ns, unfit_ok, memory_bytes, output, show_counters, record_host, no_plots,
 * progress, quiet, dry_run. */
#ifndef BENCH_SESSION_OPTIONS_H
#define BENCH_SESSION_OPTIONS_H

#include "bench/option.h"
#include "progress.h"

/* How close to the lowest cost is as good as the best. */
#define SESSION_OPTION_MARGIN                                                                                \
    {                                                                                                        \
        .name = "margin", .kind = BENCH_OPTION_RATIO, AT(margin), .min = 0.001, .max = 1, .initial = "5%",   \
        .help = "a setting this close to the lowest cost is as good as the best",                            \
        .group = "How long, how sure"                                                                        \
    }

/* Over what a suite says of the main process, for who measures suites: struct member main. */
#define SESSION_OPTION_MAIN(of_group)                                                                        \
    {                                                                                                        \
        .name = "main", .kind = BENCH_OPTION_CHOICE, AT(main), .choices = suite_main_words,                  \
        .initial = "suite",                                                                                  \
        .help = "the main process: as the suite says, shares its CPUs with the workers, or has the first "   \
                "one for itself",                                                                            \
        .group = (of_group)                                                                                  \
    }

/* How an invocation is made up. */
#define SESSION_OPTIONS_TURNS                                                                                \
    {.name = "blocks",                                                                                       \
     .kind = BENCH_OPTION_INT,                                                                               \
     AT(blocks),                                                                                             \
     .min = 0,                                                                                               \
     .max = 10000,                                                                                           \
     .initial = "0",                                                                                         \
     .help = "blocks of turns in an invocation beside the warm-up; 0 = chosen by a pilot",                   \
     .group = "How long, how sure"},                                                                         \
        {.name = "turn",                                                                                     \
         .kind = BENCH_OPTION_DURATION,                                                                      \
         AT(turn_ns),                                                                                        \
         .min = 1e6,                                                                                         \
         .max = 60e9,                                                                                        \
         .otherwise = "25ms, or longer where the pilot finds that it pays",                                  \
         .help = "time one setting is measured for before the next has its turn",                            \
         .group = "How long, how sure"},                                                                     \
        {.name = "unfit-ok",                                                                                 \
         .kind = BENCH_OPTION_FLAG,                                                                          \
         AT(unfit_ok),                                                                                       \
         .help = "exit 0, not 4, when the session's own checks speak against its figures",                   \
         .group = "How long, how sure"},                                                                     \
        {.name = "memory",                                                                                   \
         .kind = BENCH_OPTION_BYTES,                                                                         \
         AT(memory_bytes),                                                                                   \
         .min = 1,                                                                                           \
         .max = 1e18,                                                                                        \
         .otherwise = "80 % of what is available",                                                           \
         .help =                                                                                             \
             "what the slots of settings alive together may take; more settings than fit come in groups "    \
             "that share one",                                                                               \
         .group = "How long, how sure"},                                                                     \
    {                                                                                                        \
        .name = "timeout", .kind = BENCH_OPTION_DURATION, AT(timeout_ns), .min = 1e8, .max = 86400e9,        \
        .initial = "60s", .help = "longest wait for an answer of a trial", .group = "How long, how sure"     \
    }

/* What comes out, and where. */
#define SESSION_OPTIONS_OUTPUT                                                                               \
    {.name = "output",                                                                                       \
     .letter = 'o',                                                                                          \
     .kind = BENCH_OPTION_TEXT,                                                                              \
     AT(output),                                                                                             \
     .arg = "NAME.jsonl",                                                                                    \
     .otherwise = "under loaderbench-results/, with date and time",                                          \
     .help = "result file; the pictures go into the folder NAME beside it",                                  \
     .group = "Output"},                                                                                     \
        {.name = "show-counters",                                                                            \
         .kind = BENCH_OPTION_FLAG,                                                                          \
         AT(show_counters),                                                                                  \
         .help =                                                                                             \
             "after the table what was counted, for the consumer and each worker, and what follows from it", \
         .group = "Output"},                                                                                 \
        {.name = "record-host",                                                                              \
         .kind = BENCH_OPTION_FLAG,                                                                          \
         AT(record_host),                                                                                    \
         .help = "put the name of this host into the result",                                                \
         .group = "Output"},                                                                                 \
        {.name = "no-plots",                                                                                 \
         .kind = BENCH_OPTION_FLAG,                                                                          \
         AT(no_plots),                                                                                       \
         .help = "draw no pictures",                                                                         \
         .group = "Output"},                                                                                 \
        {.name = "progress",                                                                                 \
         .kind = BENCH_OPTION_CHOICE,                                                                        \
         AT(progress),                                                                                       \
         .choices = progress_words,                                                                          \
         .initial = "auto",                                                                                  \
         .help = "on standard error: auto (a line on a terminal), json (an object a line, for tools), none", \
         .group = "Output"},                                                                                 \
        {.name = "quiet",                                                                                    \
         .letter = 'q',                                                                                      \
         .kind = BENCH_OPTION_FLAG,                                                                          \
         AT(quiet),                                                                                          \
         .help = "no progress, no warnings",                                                                 \
         .group = "Output"},                                                                                 \
    {                                                                                                        \
        .name = "dry-run", .letter = 'n', .kind = BENCH_OPTION_FLAG, AT(dry_run),                            \
        .help = "show the settings that would be measured, and stop", .group = "Output"                      \
    }

#endif
