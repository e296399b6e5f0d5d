/* Progress on standard error: one line that redraws on a terminal, nothing elsewhere; warnings always. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/unit.h"
#include "harness/session.h"
#include "narrate.h"

enum progress_mode {
    PROGRESS_AUTO, /* a line that redraws on a terminal, nothing elsewhere */
    PROGRESS_JSON, /* a JSON object a line, for tools, wherever standard error goes */
    PROGRESS_NONE,
};

extern const char *const progress_words[]; /* of the modes, in their order; ends with NULL */

struct progress {
    FILE *err;
    enum progress_mode mode;
    bool quiet;                  /* no warnings either */
    const struct result *result; /* what was measured so far, for the best setting; NULL = it is not shown */
    uint64_t last_ns;            /* when it was last drawn */
    uint64_t summed_ns;          /* when the best was last looked for */
    bool drawn;
    bool verbose; /* what is decided is told, too */
    struct narrate narrate;
    int best; /* arm with the lowest cost so far; -1 = not known */
    struct estimate cost;
};

/* quiet: as PROGRESS_NONE, and without warnings. */
void progress_init(struct progress *p, FILE *err, enum progress_mode mode, bool quiet,
                   const struct result *result);

/* From here on what is decided is told, of a session of that result. race: as in struct narrate. */
void progress_explain(struct progress *p, const struct result *result, bool race);

/* Tells each line of a text, and empties it. */
void progress_tell_take(struct progress *p, struct text *lines);

/* The callbacks of a session_config; arg is the struct progress. */
void progress_step(void *arg, const struct session_progress *step);
void progress_warn(void *arg, const char *text);

/* Wipes the line, and tells what is left to tell: the session is over. */
void progress_end(struct progress *p);

#endif
