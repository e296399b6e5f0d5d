/* Private: events by their PAPI names, those asked for and the usual ones. What does not fit beside the others on the
 * hardware takes turns with them, a window each, so that the share of the time it counted is known exactly. Each thread
 * has event sets of its own, attached to it. */
#ifndef HARNESS_COUNTERS_NAMED_H
#define HARNESS_COUNTERS_NAMED_H

#include "counters_source.h"

enum { COUNTERS_GROUPS_MAX = 16 };

struct counters_group {
    int component, n;
    size_t nsets; /* one a thread; 1: the component counts the calling thread, or the machine, only */
    int *set;     /* [nsets], PAPI_NULL = this thread is not counted */
};

struct counters_named {
    struct counter_event *event; /* [n] */
    size_t n;
    struct counters_group group[COUNTERS_GROUPS_MAX];
    int ngroups;
    uint64_t windows, began_ns;
    long long *begin; /* what each set showed as its window began: [nthreads * COUNTERS_MAX] a group */
};

/* Puts event i into the first group that takes it, or a new one.
 * add: 0 = taken, -1 = does not fit in there, -2 = in no group at all. Returns the group, -1 = none takes it. */
int counters_place(int *ngroups, int max, int (*add)(void *machine, int group, int event), void *machine,
                   int event);

/* Is the group's turn in this window? Groups of one component take turns, those of others run beside. */
bool counters_has_turn(const struct counters_group *group, int ngroups, int which, uint64_t window);

/* names: "PAPI_TOT_CYC,perf::INSTRUCTIONS"; they are followed by the usual ones, which say that they were left out when
 * hardware events were asked for. Fills event[*n ...]; what cannot be counted says why. */
void counters_named_open(struct counters_named *c, const struct counter_scope *s, const char *names,
                         struct counter_event *event, size_t *n);
void counters_named_begin(struct counters_named *c, const struct counter_scope *s);

/* Adds to the last window of each event's parts. */
void counters_named_end(struct counters_named *c, const struct counter_scope *s);
void counters_named_close(struct counters_named *c);

#endif
