/* Subcommands: each is one file that ends in one struct command, and one word in the list of
 * bench/CMakeLists.txt. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <signal.h>
#include <stdio.h>

#include "bench/option.h"

/* What the program exits with. */
enum bench_exit {
    BENCH_EXIT_DONE = 0,
    BENCH_EXIT_REGRESSION = 1,
    BENCH_EXIT_USAGE = 2, /* the command line or a configuration file is wrong */
    BENCH_EXIT_INCONCLUSIVE = 3,
    BENCH_EXIT_UNFIT = 4,  /* the machine, or results that cannot be compared */
    BENCH_EXIT_FAILED = 5, /* a measurement failed, a row is missing, output could not be written */
    BENCH_EXIT_TIMEOUT = 124,
    BENCH_EXIT_INTERRUPTED = 130,
};

/* What a subcommand runs with. Borrowed: valid during run. */
struct bench_io {
    FILE *out, *err; /* the result; progress and warnings */
    const struct bench_command *command;
    const struct bench_parsed *parsed; /* operands, and which options were given */
    int argc;                          /* the whole command line, for the record */
    char *const *argv;                 /* [argc] */
    const volatile sig_atomic_t *stop; /* not 0: someone asked to stop */
};

struct bench_command {
    const char *name;     /* required */
    const char *summary;  /* required: one line, no full stop */
    const char *details;  /* optional: paragraphs for help and manual, parted by empty lines */
    const char *operands; /* optional: "FILE..." as the usage line shows it; NULL = it takes none */
    size_t operands_min, operands_max; /* with operands */
    struct bench_options options;      /* optional: none */
    size_t settings_size;              /* of the struct the options point into; 0 with no options */
    bool hidden;                       /* for programs, not for people */

    /* Required. settings: filled by the options; freed by the caller. Returns an enum bench_exit; when err is
     * set, its text is said in one line on the way out. */
    int (*run)(const void *settings, const struct bench_io *io, struct err *err);
};

/* All subcommands, in the order of the help. */
extern const struct bench_command *const bench_commands[];
extern const size_t bench_ncommands;

/* NULL when there is none of that name. */
const struct bench_command *bench_command_find(const char *name);

/* Finds the subcommand of argv[1], reads its options, runs it, sees that all it said was written. err_out
 * gets one line for a failure. Returns the exit code. Threads: one at a time. */
int bench_dispatch(int argc, char **argv, FILE *out, FILE *err_out);

/* Help of the program (command = NULL) or of a subcommand. */
void bench_help(const struct bench_command *command, struct text *out);

/* The manual page loaderbench.1 (roff, man macros) and the completion for bash, from the same tables. */
void bench_manual(struct text *out);
void bench_completion(struct text *out);

/* SIGINT, SIGTERM and SIGHUP set the stop flag; a second one of the same kind ends the program at once. A
 * system call that waits returns -EINTR. SIGPIPE is ignored: writing to a closed pipe is an error to handle.
 */
void bench_stop_on_signals(void);
const volatile sig_atomic_t *bench_stop_flag(void);

extern const char bench_version[]; /* "0.1.0" */

#endif
