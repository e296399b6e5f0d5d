/* The result as a person reads it: a table, the ratio, the recommendation. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>

#include "base/text.h"
#include "results/summary.h"

/* Rows in the order of the arms. recommend: one of them is marked as the one to use. */
void table_add(struct text *out, const struct summary *s, bool recommend);

/* One thread in a worker against all threads in the main process; nothing where the plan lacks them. */
void table_add_ratio(struct text *out, const struct summary *s);

/* What the pilot found and chose, in one line; nothing when there was none. */
void table_add_pilot(struct text *out, const struct result *r);

/* The recommendation in one sentence with its confidence, and what is still open. */
void table_add_choice(struct text *out, const struct summary *s);

/* What it spared that settings left the race early; nothing when none did. */
void table_add_spared(struct text *out, const struct summary *s);

/* What bounds the setting to use (without a choice: each of them), in a sentence. */
void table_add_bound(struct text *out, const struct summary *s, bool recommend);

/* Quantiles of the item times with their intervals, of the setting to use (without a choice: each of them). */
void table_add_items(struct text *out, const struct summary *s, bool recommend);

/* What to do more of for a narrower interval, of the same settings. */
void table_add_effort(struct text *out, const struct summary *s, bool recommend);

/* What in the session speaks against its own figures (results/checks.h); nothing when nothing does. *unfit:
 * something does. Errors: -ENOMEM. */
int table_add_checks(struct text *out, const struct result *r, bool *unfit, struct err *err);

/* What did not go as planned: void invocations and blocks, arms that failed. Nothing when all went well. */
void table_add_caveats(struct text *out, const struct summary *s);

#endif
