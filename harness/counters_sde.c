/* The loader's own events, read back through PAPI's sde component. */
#include <papi.h>
#include <stdio.h>

#include "counters_source.h"
#include "harness/sde.h"

static void add_event(int set, struct counter_event *e, int *position)
{
    int rc = set == PAPI_NULL ? PAPI_ENOINIT : PAPI_add_named_event(set, e->name);
    e->available = rc == PAPI_OK;
    if (e->available)
        e->position = (*position)++;
    else
        snprintf(e->reason, sizeof e->reason, "PAPI's sde component: %s", PAPI_strerror(rc));
}

void counters_sde_open(int *set, struct counter_event *event, size_t *n)
{
    int position = 0;
    struct counter_event *first = &event[*n];
    *set = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT && PAPI_create_eventset(set) != PAPI_OK)
        *set = PAPI_NULL;
    for (size_t i = 0; harness_sde_name(i) && *n < COUNTERS_MAX; i++) {
        struct counter_event *e = &event[(*n)++];
        e->name = harness_sde_name(i);
        e->whole = true; /* they are of all workers together */
        add_event(*set, e, &position);
    }
    int rc = position ? PAPI_start(*set) : PAPI_OK;
    for (struct counter_event *e = first; rc != PAPI_OK && e < &event[*n]; e++) {
        e->available = false;
        snprintf(e->reason, sizeof e->reason, "PAPI does not start counting: %s", PAPI_strerror(rc));
    }
}

void counters_sde_read(int set, const struct counter_event *event, size_t n, size_t nparts,
                       struct counter_reading *reading)
{
    long long values[COUNTERS_MAX] = {0};
    bool failed = set == PAPI_NULL || PAPI_read(set, values) != PAPI_OK;
    for (size_t i = 0; i < n; i++)
        if (event[i].available)
            reading[i * nparts] =
                (struct counter_reading){.value = (uint64_t)values[event[i].position], .failed = failed};
}

void counters_sde_close(int *set)
{
    if (*set == PAPI_NULL)
        return;
    PAPI_stop(*set, NULL);
    PAPI_cleanup_eventset(*set);
    PAPI_destroy_eventset(set);
}
