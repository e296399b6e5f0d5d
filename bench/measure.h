/* What tune and run share: from a list of arms to a result file, a table and pictures. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <jansson.h>

#include "bench/command.h"
#include "harness/budget.h"
#include "harness/check.h"
#include "harness/topology.h"
#include "outcome.h"
#include "progress.h"
#include "results/io.h"
#include "results/record.h"

/* How: what the options of both say. All-zero means the defaults. Strings are borrowed. */
struct measure_settings {
    const char *output; /* NAME.jsonl; NULL = a name made of date and time */
    struct outcome_paths exports;
    const char *resume; /* the file of a session that goes on; NULL = a new one */
    const char *launcher;
    const char *counters;             /* events by name; NULL = the usual ones */
    int64_t runs, min_runs, max_runs; /* invocations: exactly, at least, at most; 0 = not said */
    int64_t blocks;                   /* in each; 0 = chosen on the way */
    int64_t warmup;                   /* blocks before those that count */
    int64_t memory_bytes;             /* that slots may take; 0 = 80 % of what is available */
    double turn_ns, timeout_ns;
    int progress;        /* enum progress_mode */
    bool fast, rigorous; /* less, or more, than the usual budget */
    bool no_plots, quiet, verbose, dry_run, show_counters, record_host;
    bool unfit_ok; /* that the checks speak against the figures is no failure */
};

/* A session to be. All-zero but for how, then measure_open. Owner: measure_close. */
struct measure {
    struct result result; /* arms are to be added by the caller */
    struct harness_topology topology;
    struct harness_budget budget;
    struct measure_settings set;
    char *path, *pictures; /* what was made of set.output */
    const void *settings; /* those of the command, all of them; of a session that can go on later. Borrowed */
    json_t *data;         /* what was found of each stream of samples, for the header */
    struct result_writer *writer; /* of a session that goes on; else it is made */
    bool eliminate;               /* a race: arms that are surely worse drop out */
    bool unfit;                   /* the checks speak against the figures */
};

/* Reads topology and CPU budget; what is measured where, as the header of a result has it, goes into *environment (the
 * caller's to free). Errors: -EINVAL settings that do not go together. */
int measure_look_around(struct measure *m, char **environment, struct err *err);

/* That, and fills the header of the result. */
int measure_open(struct measure *m, const struct bench_io *io, struct err *err);

/* The session's budget: the usual one, or, where that was not given on the command line, a third or five times of it
 * (fast, rigorous). Errors: -EINVAL more than one of these was asked for. */
int measure_set_budget(struct measure *m, double usual_ns, bool given, struct err *err);

/* Checks the workload of every arm, and how many of them fit into memory together: what can be wrong is said before
 * anything is measured; on `messages` what should be known before. Sets result.together_max.
 * Errors: -EINVAL, -ENOMEM, and of the files. */
int measure_check(struct measure *m, FILE *messages, struct err *err);

/* As it was typed, for the record. The caller frees; NULL when memory ran out. */
char *measure_command_line(const struct bench_io *io);

/* Path and folder of pictures of a result file. */
int measure_name(struct measure *m, const char *path, struct err *err);

/* Chooses the path, makes the file and writes its header; the topology it refers to is kept beside it. Errors: those of
 * the path. */
int measure_create_file(struct measure *m, struct result_writer **out, struct err *err);

/* Measures, prints, draws. Returns an enum bench_exit. */
int measure_run(struct measure *m, const struct bench_io *io, struct err *err);

void measure_close(struct measure *m);

#endif
