/* Events by name, through PAPI. Which events fit together is found on the calling thread; the sets of all other threads are
 * made alike. */
#include "counters_named.h"

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static const char usual[] = "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_L2_TCM,PAPI_L3_TCM,PAPI_RES_STL,PAPI_FP_OPS";

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

/* ---- event sets ---- */

static bool is_per_thread(int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    return info && info->attach;
}

/* A set on one thread, and on what it starts from now on where the component can do that. */
static int open_set(int *set, int component, pid_t tid)
{
    PAPI_option_t inherit;
    *set = PAPI_NULL;
    int rc = PAPI_create_eventset(set);
    if (rc == PAPI_OK)
        rc = PAPI_assign_eventset_component(*set, component);
    if (rc == PAPI_OK && tid != getpid() && is_per_thread(component))
        rc = PAPI_attach(*set, (unsigned long)tid);
    if (rc != PAPI_OK)
        return rc;
    memset(&inherit, 0, sizeof inherit);
    inherit.inherit.inherit = PAPI_INHERIT_ALL;
    inherit.inherit.eventset = *set;
    PAPI_set_opt(PAPI_INHERIT, &inherit);
    return PAPI_OK;
}

static void close_set(int *set)
{
    if (*set == PAPI_NULL)
        return;
    PAPI_cleanup_eventset(*set);
    PAPI_destroy_eventset(set);
}

static void close_group(struct counters_group *g)
{
    for (size_t t = 0; g->set && t < g->nsets; t++)
        close_set(&g->set[t]);
    free(g->set);
    *g = (struct counters_group){0};
}

static int open_group(struct counters_group *g, int component, const struct counter_scope *s)
{
    *g = (struct counters_group){.component = component, .nsets = is_per_thread(component) ? s->nthreads : 1};
    g->set = calloc(g->nsets, sizeof *g->set);
    for (size_t t = 0; g->set && t < g->nsets; t++)
        g->set[t] = PAPI_NULL;
    return g->set ? open_set(&g->set[0], component, s->thread[0].tid) : PAPI_ENOMEM;
}

struct adding {
    struct counters_named *c;
    const struct counter_scope *s;
    int code, component, why;
};

static int add_to(void *machine, int g, int event)
{
    struct adding *a = machine;
    struct counters_group *group = &a->c->group[g];
    bool fresh = g == a->c->ngroups;
    (void)event;
    if (fresh && (a->why = open_group(group, a->component, a->s)) != PAPI_OK) {
        close_group(group);
        return -2;
    }
    if (group->component != a->component)
        return -1;
    a->why = PAPI_add_event(group->set[0], a->code);
    if (a->why == PAPI_OK)
        return 0;
    if (fresh)
        close_group(group); /* alone it does not fit either */
    return fresh ? -2 : -1;
}

static void say_why(struct counter_event *e, int rc)
{
    const PAPI_component_info_t *cpu = PAPI_get_component_info(0);
    bool disabled = cpu && cpu->disabled;
    e->available = false;
    snprintf(e->reason, sizeof e->reason, "PAPI: %s%s%.120s", PAPI_strerror(rc),
             disabled                ? "; its cpu component is disabled: "
             : !counters_has_pmu("") ? "; the kernel shows no PMU"
                                     : "",
             disabled ? cpu->disabled_reason : "");
}

static void add_event(struct counters_named *c, const struct counter_scope *s, struct counter_event *e)
{
    struct adding a = {.c = c, .s = s, .why = PAPI_ENOMEM};
    int rc = PAPI_event_name_to_code((char *)(uintptr_t)e->name, &a.code), g = -1;
    if (rc == PAPI_OK) {
        a.component = PAPI_get_event_component(a.code);
        g = counters_place(&c->ngroups, COUNTERS_GROUPS_MAX, add_to, &a, 0);
        rc = a.why;
    }
    e->available = g >= 0;
    if (g < 0) {
        say_why(e, rc);
        return;
    }
    e->position = c->group[g].n++;
    e->group = g;
    e->whole = c->group[g].nsets == 1 && s->nthreads > 1;
}

static bool is_listed(const struct counter_event *event, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(event[i].name, name))
            return true;
    return false;
}

/* Appends the names that are not among the *n before; returns how many events of the cpu component are among those that
 * can be counted. */
static int add_names(struct counters_named *c, const struct counter_scope *s, const char *names, size_t *n,
                     const char *left_out)
{
    int hardware = 0;
    for (const char *name = names; name && *name && *n < COUNTERS_MAX;) {
        size_t len = strcspn(name, ",");
        struct counter_event *e = &c->event[c->n];
        e->name = e->own_name;
        snprintf(e->own_name, sizeof e->own_name, "%.*s", (int)len, name);
        name += len + (name[len] == ',');
        if (is_listed(e - *n, *n, e->name))
            continue;
        if (left_out)
            snprintf(e->reason, sizeof e->reason, "%s", left_out);
        else
            add_event(c, s, e);
        hardware += e->available && c->group[e->group].component == 0;
        c->n++;
        ++*n;
    }
    return hardware;
}

/* ---- the other threads ---- */

static void lose(struct counters_named *c, int g, size_t part)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->event[i].available && c->event[i].group == g && !c->event[i].part[part].lost)
            c->event[i].part[part].lost = errno ? errno : EIO;
}

/* The events of a group, in their order, on thread t. */
static int copy_set(struct counters_named *c, int g, const struct counter_scope *s, size_t t)
{
    struct counters_group *group = &c->group[g];
    int rc = open_set(&group->set[t], group->component, s->thread[t].tid);
    for (size_t i = 0; rc == PAPI_OK && i < c->n; i++)
        if (c->event[i].available && c->event[i].group == g)
            rc = PAPI_add_named_event(group->set[t], c->event[i].name);
    return rc;
}

static void open_threads(struct counters_named *c, const struct counter_scope *s)
{
    for (int g = 0; g < c->ngroups; g++)
        for (size_t t = 1; t < c->group[g].nsets; t++) {
            errno = 0;
            if (copy_set(c, g, s, t) == PAPI_OK)
                continue;
            if (errno != ESRCH)
                lose(c, g, s->thread[t].part);
            close_set(&c->group[g].set[t]);
        }
}

void counters_named_open(struct counters_named *c, const struct counter_scope *s, const char *names,
                         struct counter_event *event, size_t *n)
{
    *c = (struct counters_named){.event = event + *n};
    const char *left_out = NULL;
    char why[COUNTER_REASON];
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        snprintf(why, sizeof why, "PAPI does not initialise: %s",
                 version < 0 ? PAPI_strerror(version) : "another version");
        left_out = why;
    }
    if (add_names(c, s, names, n, left_out))
        left_out = "left out for the events asked for";
    add_names(c, s, usual, n, left_out);
    counters_scope_make_room(c->n * s->nthreads);
    open_threads(c, s);
    c->begin = calloc(c->ngroups ? (size_t)c->ngroups * s->nthreads * COUNTERS_MAX : 1, sizeof *c->begin);
}

/* ---- windows ---- */

static bool runs(const struct counters_named *c, int g)
{
    return c->begin && counters_has_turn(c->group, c->ngroups, g, c->windows);
}

static long long *begin_of(const struct counters_named *c, const struct counter_scope *s, int g, size_t t)
{
    return c->begin + ((size_t)g * s->nthreads + t) * COUNTERS_MAX;
}

static void fail_group(struct counters_named *c, int g, size_t part)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->event[i].available && c->event[i].group == g)
            c->event[i].part[part].last.failed = true;
}

/* A set that starts is not back at 0: what children counted that have ended stays. So it is read first. */
void counters_named_begin(struct counters_named *c, const struct counter_scope *s)
{
    for (int g = 0; g < c->ngroups; g++)
        for (size_t t = 0; runs(c, g) && t < c->group[g].nsets; t++) {
            int set = c->group[g].set[t];
            if (set != PAPI_NULL &&
                (PAPI_start(set) != PAPI_OK || PAPI_read(set, begin_of(c, s, g, t)) != PAPI_OK))
                fail_group(c, g, s->thread[t].part);
        }
    c->began_ns = clock_now_ns();
}

static void add_values(struct counters_named *c, const struct counter_scope *s, int g, size_t t,
                       const long long *values)
{
    const long long *begin = begin_of(c, s, g, t);
    for (size_t i = 0; i < c->n; i++) {
        struct counter_event *e = &c->event[i];
        if (e->available && e->group == g)
            e->part[s->thread[t].part].last.value += (uint64_t)(values[e->position] - begin[e->position]);
    }
}

static void add_time(struct counters_named *c, const struct counter_scope *s, uint64_t window_ns)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t p = 0; c->event[i].available && p < s->nparts; p++) {
            c->event[i].part[p].last.enabled_ns = window_ns;
            c->event[i].part[p].last.running_ns = runs(c, c->event[i].group) ? window_ns : 0;
        }
}

void counters_named_end(struct counters_named *c, const struct counter_scope *s)
{
    uint64_t window_ns = clock_now_ns() - c->began_ns;
    for (int g = 0; g < c->ngroups; g++)
        for (size_t t = 0; runs(c, g) && t < c->group[g].nsets; t++) {
            long long values[COUNTERS_MAX] = {0};
            int set = c->group[g].set[t];
            if (set == PAPI_NULL)
                continue;
            if (PAPI_stop(set, values) == PAPI_OK)
                add_values(c, s, g, t, values);
            else
                fail_group(c, g, s->thread[t].part);
        }
    add_time(c, s, window_ns);
    c->windows++;
}

void counters_named_close(struct counters_named *c)
{
    for (int g = 0; g < c->ngroups; g++)
        close_group(&c->group[g]);
    free(c->begin);
    c->ngroups = 0;
    c->begin = NULL;
}
