/* Event counters over the timed parts of a trial, for each worker and the consumer apart: hardware events through PAPI where
 * the machine has them, the kernel's software events always, the loader's own events. */
#ifndef HARNESS_COUNTERS_H
#define HARNESS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct harness_counters;

/* Somebody whose events are counted apart. */
struct harness_counted {
    pid_t pid; /* of a process; 0 = the calling one */
    pid_t tid; /* one thread of it; 0 = all that belong to nobody else in the list */
};

struct harness_counters_ask {
    const struct harness_counted *who; /* [n]; NULL = the calling process alone */
    size_t n;
    const char *
        names; /* further events by their PAPI names, presets or native, joined by commas; NULL = none. Hardware
                          events among them take the place of the usual ones */
    bool sde; /* the loader's own events, which harness_sde_open has registered, read back through PAPI */
};

/* A total of all windows so far; NaN with a reason when it cannot be counted. */
struct harness_count {
    const char *name;
    double value;
    double share;       /* of the time it really counted; the value is scaled by it */
    const char *reason; /* NULL = available */
};

/* Opens them for every thread there is now and those that these start later. Call it after the workers are up, their BLAS
 * threads too. An event that cannot be counted is no failure: it says why. A descriptor for each thread and event is
 * needed: the soft limit of open files is raised to the hard one where it has to be, and beyond it counters are
 * unavailable, with that reason.
 * Owner:  the caller, until harness_counters_close; strings too.
 * Errors: -ENOMEM, -E2BIG more than 40 names, or what listing a process's threads says. */
int harness_counters_open(const struct harness_counters_ask *ask, struct harness_counters **out,
                          struct err *err);

/* A window: what happens between begin and end is added to the totals. */
void harness_counters_begin(struct harness_counters *c);
void harness_counters_end(struct harness_counters *c);

size_t harness_counters_n(const struct harness_counters *c);

/* Event i of all together; of who[k] alone; of all together in the last window alone. */
struct harness_count harness_counters_get(const struct harness_counters *c, size_t i);
struct harness_count harness_counters_get_of(const struct harness_counters *c, size_t i, size_t k);
struct harness_count harness_counters_last(const struct harness_counters *c, const char *name);

/* Is the event told for each of them apart? Some sources only know the whole. */
bool harness_counters_is_told_apart(const struct harness_counters *c, size_t i);

void harness_counters_close(struct harness_counters *c);

#endif
