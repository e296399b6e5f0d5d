/* The time of day, UTC, as records and the names of result files have it. */
#ifndef BENCH_WHEN_H
#define BENCH_WHEN_H

#include "base/err.h"

/* ISO 8601: "2026-01-31T12:00:00Z". The caller frees it; NULL when memory ran out. */
char *when_now(void);

/* A path for a new result in a folder that is there: FOLDER/2026-01-31T12-00-00.jsonl, with -2, -3, ... behind the time
 * when one of that second is there. The caller frees *out. Errors: -ENOMEM. */
int when_new_path(const char *folder, char **out, struct err *err);

#endif
