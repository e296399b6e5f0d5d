/* Private: where counts come from. */
#ifndef HARNESS_COUNTERS_SOURCE_H
#define HARNESS_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_MAX = 32, COUNTER_REASON = 200, COUNTER_HANDLES = 64 };

struct counter_reading {
    uint64_t value, enabled_ns, running_ns; /* enabled = running where the source cannot tell */
    bool failed;                            /* it could not be read: the others mean nothing */
};

struct counter_event {
    const char *name;
    char own_name[128]; /* where name points when somebody gave it */
    bool available;
    char reason[COUNTER_REASON];
    struct counter_reading at_begin, total;
    int handle[COUNTER_HANDLES]; /* the source's own */
    int nhandles;
};

/* Each fills event[*n ...] and counts *n up. The reading of all its events goes to reading[first ...]. */
void counters_perf_open(struct counter_event *event, size_t *n);
void counters_perf_read(const struct counter_event *event, size_t n, struct counter_reading *reading);
void counters_perf_close(struct counter_event *event, size_t n);

/* *set is PAPI's event set, PAPI_NULL when nothing is counted. */
void counters_papi_open(int *set, struct counter_event *event, size_t *n);
void counters_papi_read(int set, const struct counter_event *event, size_t n,
                        struct counter_reading *reading);
void counters_papi_close(int *set);

/* The loader's events; the set is read and closed as the one above. */
void counters_sde_open(int *set, struct counter_event *event, size_t *n);

#endif
