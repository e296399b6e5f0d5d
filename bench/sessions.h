/* Result files that a subcommand looks at, read and summarised. */
#ifndef BENCH_SESSIONS_H
#define BENCH_SESSIONS_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "results/summary.h"

struct sessions {
    struct result *results;            /* [n] */
    struct summary **summaries;        /* [n] */
    const struct summary *const *list; /* [n] the same, for those who only look */
    size_t n;
};

/* Reads and summarises files; what was wrong with a file and left out is said on `warnings`.
 * Owner: the caller, sessions_close. Errors: as result_read and summary_create; nothing is left open then. */
int sessions_open(struct sessions *s, char *const *paths, size_t n, double level, FILE *warnings,
                  struct err *err);
void sessions_close(struct sessions *s);

#endif
