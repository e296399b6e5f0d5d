/* Private: where counts come from. An event is counted in each thread of the scope; threads belong to parts (a worker, the
 * consumer), whose sums are kept. */
#ifndef HARNESS_COUNTERS_SOURCE_H
#define HARNESS_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/counters.h"

enum { COUNTERS_MAX = 64, COUNTERS_NAMED_MAX = 40, COUNTER_REASON = 200 };

struct counter_thread {
    pid_t tid;
    size_t part;
};

/* thread[0] is the calling process's, where it is in the scope at all. */
struct counter_scope {
    struct counter_thread *thread;
    size_t nthreads, nparts;
};

/* The threads there are now. Owner: counters_scope_fini. Errors: -ENOMEM, -ESRCH a process is gone. */
int counters_scope_init(struct counter_scope *s, const struct harness_counted *who, size_t n,
                        struct err *err);
void counters_scope_fini(struct counter_scope *s);

/* Makes room for so many descriptors more, as far as the hard limit goes. */
void counters_scope_make_room(size_t descriptors);

struct counter_reading {
    uint64_t value, enabled_ns, running_ns; /* enabled = running where the source cannot tell */
    bool failed;                            /* it could not be read: the others mean nothing */
};

struct counter_sum {
    struct counter_reading at_begin, last, total;
    int lost; /* errno: why a thread of this part is not counted; 0 = all are */
};

struct counter_event {
    const char *name;
    char own_name[128]; /* where name points when somebody gave it */
    bool available;
    bool whole; /* the source does not tell parts apart: everything is in the first */
    char reason[COUNTER_REASON];
    int position, group; /* PAPI's */
    int *fd;             /* perf's: [nthreads], -1 = none */
    struct counter_sum *part;
};

/* Each fills event[*n ...] and counts *n up; readings of event e and part p go to reading[e * nparts + p]. */
void counters_perf_open(const struct counter_scope *s, struct counter_event *event, size_t *n);
void counters_perf_read(const struct counter_scope *s, const struct counter_event *event, size_t n,
                        struct counter_reading *reading);
void counters_perf_close(struct counter_event *event, size_t n, size_t nthreads);

/* Does the kernel show a PMU? root: "" or a folder with a recorded sys/. */
bool counters_has_pmu(const char *root);

/* The loader's events; *set is PAPI's event set, PAPI_NULL when nothing is counted. */
void counters_sde_open(int *set, struct counter_event *event, size_t *n);
void counters_sde_read(int set, const struct counter_event *event, size_t n, size_t nparts,
                       struct counter_reading *reading);
void counters_sde_close(int *set);

#endif
