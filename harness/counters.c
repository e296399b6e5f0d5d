/* Windows over counters of both sources. */
#include "harness/counters.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters_named.h"

struct harness_counters {
    struct counter_event event[COUNTERS_MAX];
    size_t n, nperf, npapi; /* the software events come first, then hardware, then the loader's */
    size_t windows;
    int papi_set, sde_set;
    size_t before_named; /* events of the sources above */
    struct counters_named named;
};

int harness_counters_open(struct harness_counters **out, struct err *err)
{
    struct harness_counters *c = *out = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, -ENOMEM, "out of memory for the counters");
    counters_perf_open(c->event, &c->n);
    c->nperf = c->n;
    counters_papi_open(&c->papi_set, c->event, &c->n);
    c->npapi = c->n - c->nperf;
    c->sde_set = PAPI_NULL;
    return 0;
}

void harness_counters_add_sde(struct harness_counters *c)
{
    counters_sde_open(&c->sde_set, c->event, &c->n);
}

/* PAPI runs one set of a component at a time: the usual hardware events make room. */
static void make_room(struct harness_counters *c)
{
    bool hardware = false;
    for (int g = 0; g < c->named.ngroups; g++)
        hardware = hardware || c->named.group[g].component == 0;
    if (!hardware || c->papi_set == PAPI_NULL)
        return;
    counters_papi_close(&c->papi_set);
    c->papi_set = PAPI_NULL;
    for (size_t i = c->nperf; i < c->nperf + c->npapi; i++) {
        c->event[i].available = false;
        snprintf(c->event[i].reason, sizeof c->event[i].reason, "left out for the events asked for");
    }
}

void harness_counters_add_named(struct harness_counters *c, const char *names)
{
    c->before_named = c->n;
    counters_named_open(&c->named, names, c->event, &c->n);
    make_room(c);
}

static size_t n_read(const struct harness_counters *c)
{
    return c->named.n ? c->before_named : c->n;
}

static void read_all(const struct harness_counters *c, struct counter_reading *reading)
{
    counters_perf_read(c->event, c->nperf, reading);
    counters_papi_read(c->papi_set, c->event + c->nperf, c->npapi, reading + c->nperf);
    size_t first = c->nperf + c->npapi;
    counters_papi_read(c->sde_set, c->event + first, n_read(c) - first, reading + first);
}

void harness_counters_begin(struct harness_counters *c)
{
    struct counter_reading now[COUNTERS_MAX] = {0};
    read_all(c, now);
    for (size_t i = 0; i < n_read(c); i++)
        c->event[i].at_begin = now[i];
    counters_named_begin(&c->named);
}

void harness_counters_end(struct harness_counters *c)
{
    struct counter_reading now[COUNTERS_MAX] = {0};
    counters_named_end(&c->named);
    read_all(c, now);
    c->windows++;
    for (size_t i = 0; i < n_read(c); i++) {
        struct counter_event *e = &c->event[i];
        e->total.failed = e->total.failed || now[i].failed || e->at_begin.failed;
        e->total.value += now[i].value - e->at_begin.value;
        e->total.enabled_ns += now[i].enabled_ns - e->at_begin.enabled_ns;
        e->total.running_ns += now[i].running_ns - e->at_begin.running_ns;
    }
}

size_t harness_counters_n(const struct harness_counters *c)
{
    return c->n;
}

struct harness_count harness_counters_get(const struct harness_counters *c, size_t i)
{
    const struct counter_event *e = &c->event[i];
    struct harness_count out = {.name = e->name, .value = NAN, .share = NAN};
    out.reason = !e->available     ? e->reason
                 : !c->windows     ? "nothing was measured yet"
                 : e->total.failed ? "it could not be read"
                                   : NULL;
    if (out.reason)
        return out;
    bool timed = e->total.enabled_ns > 0;
    out.share = timed ? (double)e->total.running_ns / (double)e->total.enabled_ns : 1;
    if (out.share > 0)
        out.value = (double)e->total.value / out.share;
    else
        out.reason = "it was never scheduled on a hardware counter";
    return out;
}

void harness_counters_close(struct harness_counters *c)
{
    if (!c)
        return;
    counters_perf_close(c->event, c->nperf);
    counters_papi_close(&c->papi_set);
    counters_papi_close(&c->sde_set);
    counters_named_close(&c->named);
    free(c);
}
