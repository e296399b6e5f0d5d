/* What was counted, setting by setting: for all together, the consumer and the workers, and what follows from it. */
#ifndef BENCH_COUNTER_TABLE_H
#define BENCH_COUNTER_TABLE_H

#include "base/err.h"
#include "base/text.h"
#include "results/record.h"

/* Values are a sample's, medians over invocations; what cannot be known stands there with its reason.
 * Errors: -ENOMEM. */
int counter_table_add(struct text *out, const struct result *r, struct err *err);

#endif
