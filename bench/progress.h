/* Progress on standard error: one line that redraws on a terminal, nothing elsewhere; warnings always. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/session.h"

struct progress {
    FILE *err;
    bool redraws; /* a terminal, and not quiet */
    bool quiet;
    uint64_t last_ns; /* when it was last drawn */
    bool drawn;
};

void progress_init(struct progress *p, FILE *err, bool quiet);

/* The callbacks of a session_config; arg is the struct progress. */
void progress_step(void *arg, const struct session_progress *step);
void progress_warn(void *arg, const char *text);

/* Wipes the line. */
void progress_end(struct progress *p);

#endif
