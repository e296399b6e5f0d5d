/* Did two trials deliver the same samples? A setting that is fast because it drops or repeats some is an error. */
#ifndef RESULTS_DELIVERY_H
#define RESULTS_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>

#include "results/record.h"

/* Compares what subjects told of their deliveries at 1, 2, 4, ... samples (set_at, order_at in a trial's extra), at the
 * largest power of two that both reached. NULL = the same as far as is known, else "other samples" or "the same
 * samples in another order"; *mark is then the exponent. */
const char *result_delivery_differs(const struct trial *a, const struct trial *b, size_t *mark);

/* Does a trial tell anything of its deliveries? Iterable data does not: streams of several workers have no common order. */
bool result_delivery_told(const struct trial *t);

/* Broken samples that on_error = skip left out, in all trials; when there are some, why the first of them was. */
int64_t result_left_out(const struct result *r, char *first, size_t first_bytes);

#endif
