/* Events by name, through PAPI. */
#include "counters_named.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int counters_place(int *ngroups, int max, int (*add)(void *machine, int group, int event), void *machine,
                   int event)
{
    for (int g = 0; g <= *ngroups && g < max; g++) {
        int rc = add(machine, g, event);
        if (rc == -2)
            return -1;
        if (rc == 0) {
            *ngroups += g == *ngroups;
            return g;
        }
    }
    return -1;
}

bool counters_has_turn(const struct counters_group *group, int ngroups, int which, uint64_t window)
{
    int before = 0, all = 0;
    for (int g = 0; g < ngroups; g++) {
        before += g < which && group[g].component == group[which].component;
        all += group[g].component == group[which].component;
    }
    return window % (uint64_t)all == (uint64_t)before;
}

/* A set that workers inherit, where its component can do that. */
static int open_group(struct counters_group *g, int component)
{
    PAPI_option_t inherit;
    *g = (struct counters_group){.set = PAPI_NULL, .component = component};
    if (PAPI_create_eventset(&g->set) != PAPI_OK ||
        PAPI_assign_eventset_component(g->set, component) != PAPI_OK)
        return -1;
    memset(&inherit, 0, sizeof inherit);
    inherit.inherit.inherit = PAPI_INHERIT_ALL;
    inherit.inherit.eventset = g->set;
    PAPI_set_opt(PAPI_INHERIT, &inherit);
    return 0;
}

static void close_group(struct counters_group *g)
{
    if (g->set == PAPI_NULL)
        return;
    PAPI_cleanup_eventset(g->set);
    PAPI_destroy_eventset(&g->set);
}

struct adding {
    struct counters_named *c;
    int code, component, why;
};

static int add_to(void *machine, int g, int event)
{
    struct adding *a = machine;
    struct counters_group *group = &a->c->group[g];
    bool fresh = g == a->c->ngroups;
    (void)event;
    if (fresh && open_group(group, a->component)) {
        close_group(group);
        return -2;
    }
    if (group->component != a->component)
        return -1;
    a->why = PAPI_add_event(group->set, a->code);
    if (a->why == PAPI_OK)
        return 0;
    if (fresh)
        close_group(group); /* alone it does not fit either */
    return fresh ? -2 : -1;
}

static void add_event(struct counters_named *c, struct counter_event *e, int index)
{
    struct adding a = {.c = c, .why = PAPI_ENOMEM};
    int rc = PAPI_event_name_to_code((char *)(uintptr_t)e->name, &a.code), g = -1;
    if (rc == PAPI_OK) {
        a.component = PAPI_get_event_component(a.code);
        g = counters_place(&c->ngroups, COUNTERS_GROUPS_MAX, add_to, &a, index);
        rc = a.why;
    }
    e->available = g >= 0;
    if (g < 0) {
        const PAPI_component_info_t *cpu = PAPI_get_component_info(0);
        snprintf(e->reason, sizeof e->reason, "PAPI: %s%s%.120s", PAPI_strerror(rc),
                 cpu && cpu->disabled ? "; its cpu component is disabled: " : "",
                 cpu && cpu->disabled ? cpu->disabled_reason : "");
        return;
    }
    e->handle[0] = c->group[g].n++;
    e->handle[1] = g;
}

void counters_named_open(struct counters_named *c, const char *names, struct counter_event *event, size_t *n)
{
    *c = (struct counters_named){.event = event + *n};
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    for (const char *name = names; name && *name && *n < COUNTERS_MAX;) {
        size_t len = strcspn(name, ",");
        struct counter_event *e = &event[(*n)++];
        *e = (struct counter_event){.name = e->own_name};
        snprintf(e->own_name, sizeof e->own_name, "%.*s", (int)len, name);
        if (version == PAPI_VER_CURRENT)
            add_event(c, e, (int)c->n);
        else
            snprintf(e->reason, sizeof e->reason, "PAPI does not initialise: %s", PAPI_strerror(version));
        c->n++;
        name += len + (name[len] == ',');
    }
}

static bool runs(const struct counters_named *c, int g)
{
    return counters_has_turn(c->group, c->ngroups, g, c->windows);
}

static void fail_group(struct counters_named *c, int g)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->event[i].available && c->event[i].handle[1] == g)
            c->event[i].total.failed = true;
}

void counters_named_begin(struct counters_named *c)
{
    for (int g = 0; g < c->ngroups; g++)
        if (runs(c, g) && PAPI_start(c->group[g].set) != PAPI_OK)
            fail_group(c, g);
    c->began_ns = clock_now_ns();
}

void counters_named_end(struct counters_named *c)
{
    long long values[COUNTERS_MAX];
    uint64_t window_ns = clock_now_ns() - c->began_ns;
    for (int g = 0; g < c->ngroups; g++) {
        memset(values, 0, sizeof values);
        bool ran = runs(c, g);
        if (ran && PAPI_stop(c->group[g].set, values) != PAPI_OK)
            fail_group(c, g);
        for (size_t i = 0; i < c->n; i++) {
            struct counter_event *e = &c->event[i];
            if (!e->available || e->handle[1] != g)
                continue;
            e->total.enabled_ns += window_ns;
            e->total.running_ns += ran ? window_ns : 0;
            e->total.value += ran ? (uint64_t)values[e->handle[0]] : 0;
        }
    }
    c->windows++;
}

void counters_named_close(struct counters_named *c)
{
    for (int g = 0; g < c->ngroups; g++)
        close_group(&c->group[g]);
    c->ngroups = 0;
}
