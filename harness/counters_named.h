/* Private: events that somebody asked for by name. What does not fit beside the others on the hardware takes turns with
 * them, a window each, so that the share of the time it counted is known exactly. */
#ifndef HARNESS_COUNTERS_NAMED_H
#define HARNESS_COUNTERS_NAMED_H

#include "counters_source.h"

enum { COUNTERS_GROUPS_MAX = 16 };

struct counters_group {
    int set, component, n;
};

struct counters_named {
    struct counter_event *event; /* [n] */
    size_t n;
    struct counters_group group[COUNTERS_GROUPS_MAX];
    int ngroups;
    uint64_t windows, began_ns;
};

/* Puts event i into the first group that takes it, or a new one.
 * add: 0 = taken, -1 = does not fit in there, -2 = in no group at all. Returns the group, -1 = none takes it. */
int counters_place(int *ngroups, int max, int (*add)(void *machine, int group, int event), void *machine,
                   int event);

/* Is the group's turn in this window? Groups of one component take turns, those of others run beside. */
bool counters_has_turn(const struct counters_group *group, int ngroups, int which, uint64_t window);

/* names: "PAPI_TOT_CYC,perf::INSTRUCTIONS". Fills event[*n ...]; what cannot be counted says why. */
void counters_named_open(struct counters_named *c, const char *names, struct counter_event *event, size_t *n);
void counters_named_begin(struct counters_named *c);
void counters_named_end(struct counters_named *c);
void counters_named_close(struct counters_named *c);

#endif
