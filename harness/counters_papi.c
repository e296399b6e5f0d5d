/* Hardware events through PAPI's cpu component, inherited by the workers. Where the component is disabled (a virtual
 * machine without a PMU, perf_event_paranoid) each event carries PAPI's own reason. */
#include <papi.h>
#include <stdio.h>
#include <string.h>

#include "counters_source.h"

static const struct {
    const char *name;
    int code;
} presets[] = {
    {"PAPI_TOT_CYC", PAPI_TOT_CYC}, {"PAPI_TOT_INS", PAPI_TOT_INS}, {"PAPI_L2_TCM", PAPI_L2_TCM},
    {"PAPI_L3_TCM", PAPI_L3_TCM},   {"PAPI_FP_OPS", PAPI_FP_OPS},
};

enum { PRESETS = sizeof presets / sizeof *presets };

/* An empty, inheriting event set on the cpu component (0), or the reason why there is none. */
static int open_set(int *set, char *reason, size_t size)
{
    int rc = PAPI_library_init(PAPI_VER_CURRENT);
    if (rc != PAPI_VER_CURRENT) {
        snprintf(reason, size, "PAPI does not initialise: %s",
                 rc < 0 ? PAPI_strerror(rc) : "another version");
        return -1;
    }
    const PAPI_component_info_t *cpu = PAPI_get_component_info(0);
    if (!cpu || cpu->disabled) {
        snprintf(reason, size, "PAPI's %.30s component is disabled: %.120s", cpu ? cpu->name : "perf_event",
                 cpu ? cpu->disabled_reason : "no such component");
        return -1;
    }
    PAPI_option_t inherit;
    memset(&inherit, 0, sizeof inherit);
    rc = PAPI_create_eventset(set);
    if (rc == PAPI_OK)
        rc = PAPI_assign_eventset_component(*set, 0);
    inherit.inherit.inherit = PAPI_INHERIT_ALL;
    inherit.inherit.eventset = *set;
    if (rc == PAPI_OK)
        rc = PAPI_set_opt(PAPI_INHERIT, &inherit);
    if (rc != PAPI_OK) /* PAPI tries a first event here: without a PMU this is where it shows */
        snprintf(reason, size, "no hardware counter that workers inherit: PAPI says '%s'", PAPI_strerror(rc));
    return rc == PAPI_OK ? 0 : -1;
}

static void add_event(int set, struct counter_event *e, int code, int *position)
{
    int rc = PAPI_query_event(code);
    if (rc == PAPI_OK)
        rc = PAPI_add_event(set, code);
    e->available = rc == PAPI_OK;
    if (e->available)
        e->handle[0] = (*position)++;
    else
        snprintf(e->reason, sizeof e->reason, "%s",
                 rc == PAPI_ECNFLCT ? "no hardware counter is left for it" : PAPI_strerror(rc));
}

/* Nothing is counted unless the set starts: then that is the reason of every event. */
static void start(int set, struct counter_event *event, int available)
{
    int rc = available ? PAPI_start(set) : PAPI_OK;
    if (rc == PAPI_OK)
        return;
    for (size_t i = 0; i < PRESETS; i++)
        if (event[i].available) {
            event[i].available = false;
            snprintf(event[i].reason, sizeof event[i].reason, "PAPI does not start counting: %s",
                     PAPI_strerror(rc));
        }
}

void counters_papi_open(int *set, struct counter_event *event, size_t *n)
{
    char reason[COUNTER_REASON] = "";
    *set = PAPI_NULL;
    int failed = open_set(set, reason, sizeof reason), position = 0;
    struct counter_event *first = &event[*n];
    for (size_t i = 0; i < PRESETS; i++) {
        struct counter_event *e = &event[(*n)++];
        *e = (struct counter_event){.name = presets[i].name};
        if (failed)
            memcpy(e->reason, reason, sizeof e->reason);
        else
            add_event(*set, e, presets[i].code, &position);
    }
    if (!failed)
        start(*set, first, position);
}

void counters_papi_read(int set, const struct counter_event *event, size_t n, struct counter_reading *reading)
{
    long long values[COUNTERS_MAX] = {0};
    bool failed = set == PAPI_NULL || PAPI_read(set, values) != PAPI_OK;
    for (size_t i = 0; i < n; i++)
        if (event[i].available)
            reading[i] =
                (struct counter_reading){.value = (uint64_t)values[event[i].handle[0]], .failed = failed};
}

void counters_papi_close(int *set)
{
    if (*set == PAPI_NULL)
        return;
    PAPI_stop(*set, NULL);
    PAPI_cleanup_eventset(*set);
    PAPI_destroy_eventset(set);
}
