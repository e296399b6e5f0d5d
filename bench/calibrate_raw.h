/* The raw file of calibrate: a line for each comparison or session as it ends, read back to go on from. A line is an object
 * whose "of" says what was repeated, and whose "verdict" is a text. */
#ifndef BENCH_CALIBRATE_RAW_H
#define BENCH_CALIBRATE_RAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Is the file one that lines may be added to? path NULL, or no such file: yes.
 * Errors: -EINVAL with the first line of another kind; those of reading. */
int calibrate_raw_check(const char *path, struct err *err);

/* Adds a line; path NULL: nothing. Owner: takes `line`, NULL included (-ENOMEM). Errors: those of writing. */
int calibrate_raw_add(const char *path, json_t *line, struct err *err);

/* Hands lines of the same `of` to `take`, in their order, until `most` of them counted (*counts) or it fails; a cut line is
 * none. Errors: those of take. */
int calibrate_raw_read(const char *path, const json_t *of, size_t most,
                       int (*take)(void *arg, const json_t *line, bool *counts, struct err *err), void *arg,
                       struct err *err);

#endif
