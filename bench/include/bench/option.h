/* Options of a subcommand as one typed table: parsing, --help, the echo in the record, the manual and the
 * completion all come from it. */
#ifndef BENCH_OPTION_H
#define BENCH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Each kind with the C type of the member that holds it. Texts are borrowed: from argv, from the table's
 * initial value, or from whoever called bench_option_set. */
enum bench_option_kind {
    BENCH_OPTION_FLAG,     /* bool; takes no argument */
    BENCH_OPTION_COUNT,    /* int64_t; takes no argument, each use adds one (-vv) */
    BENCH_OPTION_INT,      /* int64_t */
    BENCH_OPTION_REAL,     /* double */
    BENCH_OPTION_DURATION, /* double, ns: "500ms", "60s"; a bare number is seconds */
    BENCH_OPTION_RATIO,    /* double, a fraction: "5%" or "0.05" */
    BENCH_OPTION_BYTES,    /* int64_t: "4096", "64KiB", "2GB" */
    BENCH_OPTION_TEXT,     /* const char *; NULL when there is neither a use nor an initial value */
    BENCH_OPTION_CHOICE,   /* int: index into choices */
    BENCH_OPTION_INTS,     /* struct bench_ints: "0,1,2,4", "0-4", "0-16:4" (from-to:step), "1,all" */
    BENCH_OPTION_WORDS,    /* struct bench_words: "none,compact,scatter" */
    BENCH_OPTION_TUPLES,   /* struct bench_words: each use adds `values` arguments (-P VAR MIN MAX) */
    BENCH_OPTION_KINDS,
};

/* What the file is to the command that a TEXT names; files.h looks at them before the command runs. */
enum bench_file {
    BENCH_FILE_NONE,
    BENCH_FILE_READ,      /* a file or folder */
    BENCH_FILE_NEW,       /* made by the command before it measures, never where there is one */
    BENCH_FILE_WRITTEN,   /* made anew, or added to */
    BENCH_FILE_OR_OUTPUT, /* made anew; "-" is standard output */
    BENCH_FILE_CONTINUED, /* read and added to; the command looks at what it holds */
    BENCH_FOLDER,         /* files are made in it */
};

/* Lists own their arrays (bench_options_fini); a value that is there already is not added again. */
struct bench_ints {
    int64_t *item;
    size_t n;
};

struct bench_words {
    char **item;
    size_t n;
};

/* A word that stands for a whole number: {"all", -1}. */
struct bench_word {
    const char *name;
    int64_t value;
};

struct bench_option {
    const char *name;            /* required: "batch-size", in lower case */
    char letter;                 /* optional, 0 = none; 'h' is taken by --help */
    enum bench_option_kind kind; /* required */
    size_t offset, size;         /* required: BENCH_AT(struct tune_settings, batch_size) */
    double min, max;             /* numbers, included, in base units (ns, bytes), whole ones up to 2^53; both
                                    0 = anything from 0 on */
    const struct bench_word *words; /* INT, INTS: optional, ends with {NULL} */
    const char *const *choices;     /* CHOICE: required; WORDS: optional, NULL = any word; ends with NULL */
    bool number_lists;              /* WORDS: "0,2,4-7" and "S0:0,1" are one word each, not several */
    const char *initial;            /* optional: the default as a person would type it; NULL = zero, empty */
    const char *otherwise;          /* optional: the default in words, where no value says it */
    const char *arg;                /* optional, NULL = the kind's own ("N", "TIME", ...) */
    int values;                     /* TUPLES: arguments a use takes, 0 = 1 */
    enum bench_file file;           /* TEXT: it names a file */
    const char *renews; /* with file: the name of the option whose file it may take the place of */
    bool kept;          /* decides what is measured, and how: it stands in a result's header */
    bool hidden;        /* neither in help nor in the manual */
    const char *help;   /* required: what it sets; limits and default are added by themselves */
    const char *group;  /* optional heading; options of a group stand together */
};

#define BENCH_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

enum { BENCH_OPTIONS_MAX = 64, BENCH_LIST_MAX = 4096 };

struct bench_options {
    const struct bench_option *item;
    size_t n; /* at most BENCH_OPTIONS_MAX */
};

#define BENCH_OPTIONS(table) ((struct bench_options){(table), sizeof(table) / sizeof *(table)})

struct bench_parsed {
    char **operands; /* what is no option; borrowed from argv */
    size_t noperands;
    uint64_t given; /* bit i: option i of the table was on the command line */
    bool help;      /* --help: nothing else was looked at */
};

/* Fills settings (zeroed by the caller) with the initial values. The table's initial values are ours: a bad
 * one is a bug, found by the table test. Errors: -ENOMEM. */
int bench_options_init(struct bench_options options, void *settings, struct err *err);

/* Reads argv[1] on (argv[0] is skipped, the rest may be reordered): long and short options, --name=value,
 * bundled letters, unique beginnings of long names, "--" ends them. settings come from bench_options_init.
 * Errors: -EINVAL, -ERANGE with one line for a person: the option, the value and the limit, and for an
 * unknown option the nearest known one.
 * Threads: one at a time (getopt). */
int bench_options_parse(struct bench_options options, int argc, char **argv, void *settings,
                        struct bench_parsed *out, struct err *err);

/* One option by its long name, as if it were typed; flags take "yes" or "no". Errors: as above. */
int bench_option_set(struct bench_options options, const char *name, const char *value, void *settings,
                     struct err *err);

/* Frees what the lists own; settings may be all-zero. */
void bench_options_fini(struct bench_options options, void *settings);

/* Was the option of that long name on the command line? */
bool bench_option_given(struct bench_options options, const struct bench_parsed *parsed, const char *name);

/* All values as one JSON object, for the record: keys are the names with '_' for '-', and with their unit
 * ("budget_ns"). Owner: the caller frees. NULL when memory ran out. */
char *bench_options_echo(struct bench_options options, const void *settings);

/* The same of those that are kept. With `given` (bench_parsed), only of those that were on the command line. */
char *bench_options_kept(struct bench_options options, const struct bench_parsed *given,
                         const void *settings);

/* The options' part of the help: grouped, at most 80 columns wide. */
void bench_options_help(struct bench_options options, struct text *out);

/* "-b, --batch-size" and the argument's name ("" for flags), and what stands behind the help text
 * ("1 to 65536; default 1", "" for nothing): what help and manual are made of. */
void bench_option_flags(const struct bench_option *o, struct text *out);
const char *bench_option_argument(const struct bench_option *o);
void bench_option_limits(const struct bench_option *o, struct text *out);

/* Adds `text` wrapped to `width` columns; lines after the first begin with `indent` spaces. The first line
 * goes on from where the last line of out ends. Newlines in text stay. */
void bench_wrap(struct text *out, const char *text, size_t indent, size_t width);

#endif
