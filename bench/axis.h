/* What tune and suites share on the way from values to the axes of a plan. */
#ifndef BENCH_AXIS_H
#define BENCH_AXIS_H

#include "bench/option.h"

extern const struct bench_word axis_thread_words[]; /* "all" = 0; ends with {NULL} */
extern const char *const axis_on_error_words[];     /* "fail", "skip"; ends with NULL */

/* The n values as ints, 0 replaced by `all` ("1,all" on one CPU is one thread count, not two) and repeats left out.
 * Owner:  *out is the caller's to free.
 * Errors: -ENOMEM. */
int axis_counts(const int64_t *from, size_t n, int all, int **out, size_t *nout, struct err *err);

#endif
