/* What a session decided and why, told while it runs (--verbose): read off its result, which telling does not change. */
#ifndef BENCH_NARRATE_H
#define BENCH_NARRATE_H

#include <stdbool.h>

#include "base/text.h"
#include "duel.h"
#include "harness/session.h"

/* Where the telling stands. All-zero but for result and race; narrate_fini. */
struct narrate {
    const struct result *result; /* borrowed; of the session */
    bool race;                   /* settings drop out at looks: of tune and run, not of a gate's pairs */
    size_t told;                 /* invocations */
    bool *failed;                /* [narms] of which it was told that they are out */
    bool pilot;                  /* was told */
    int planned;                 /* invocations at the next look, as told last */
};

/* Appends what became known since the last call, a line each: when the next look comes, invocations and blocks that are
 * void, settings that are out, what the pilot chose, what a look finds. step: where the session is; NULL = at its end.
 * Memory that ran out is in out->failed. */
void narrate_add(struct narrate *n, const struct session_progress *step, struct text *out);
void narrate_fini(struct narrate *n);

/* What a gate's look found, a line a row. */
void narrate_duel(const struct duel *d, struct text *out);

#endif
