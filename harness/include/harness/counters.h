/* Event counters over the timed parts of a trial, for the consumer and everything it started since they were opened:
 * hardware events through PAPI where the machine has them, the kernel's software events always. */
#ifndef HARNESS_COUNTERS_H
#define HARNESS_COUNTERS_H

#include <stddef.h>

#include "base/err.h"

struct harness_counters;

/* A total since the last harness_counters_begin of all windows so far; NaN with a reason when it cannot be counted. */
struct harness_count {
    const char *name;
    double value;
    double share;       /* of the time it really counted; the value is scaled by it */
    const char *reason; /* NULL = available */
};

/* Opens them for the calling process and its later children (inherited). An event that cannot be counted is no
 * failure: it says why.
 * Owner:  the caller, until harness_counters_close; strings too.
 * Errors: -ENOMEM. */
int harness_counters_open(struct harness_counters **out, struct err *err);

/* Adds the loader's own events, which harness_sde_open has registered, read back through PAPI. Before the first window. */
void harness_counters_add_sde(struct harness_counters *c);

/* Adds events by their PAPI names, presets or native, joined by commas. Hardware events asked for take the place of the
 * usual ones. Before the workers start. */
void harness_counters_add_named(struct harness_counters *c, const char *names);

/* A window: what happens between begin and end is added to the totals. */
void harness_counters_begin(struct harness_counters *c);
void harness_counters_end(struct harness_counters *c);

size_t harness_counters_n(const struct harness_counters *c);
struct harness_count harness_counters_get(const struct harness_counters *c, size_t i);

void harness_counters_close(struct harness_counters *c);

#endif
