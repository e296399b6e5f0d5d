/* Windows over counters of all sources, summed by part and altogether. */
#include "harness/counters.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters_named.h"

struct harness_counters {
    struct counter_scope scope;
    struct counter_event event[COUNTERS_MAX];
    struct counter_sum *sum;         /* [COUNTERS_MAX * nparts]: the parts of all events */
    struct counter_reading *reading; /* [COUNTERS_MAX * nparts]: room for a look */
    size_t n, nperf, nsde;           /* software events come first, then the loader's, then those by name */
    size_t windows;
    int sde_set;
    struct counters_named named;
    char lost[COUNTERS_MAX][COUNTER_REASON]; /* why an event is not whole */
};

static int open_room(struct harness_counters *c, struct err *err)
{
    size_t cells = COUNTERS_MAX * c->scope.nparts;
    c->sum = calloc(cells, sizeof *c->sum);
    c->reading = calloc(cells, sizeof *c->reading);
    if (!c->sum || !c->reading)
        return err_set(err, -ENOMEM, "out of memory for the counters of %zu parts", c->scope.nparts);
    for (size_t i = 0; i < COUNTERS_MAX; i++)
        c->event[i].part = c->sum + i * c->scope.nparts;
    return 0;
}

/* An event that misses threads is not counted: a sum without them would pass for the whole. */
static void note_lost(struct harness_counters *c)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t p = 0; !*c->lost[i] && p < c->scope.nparts; p++)
            if (c->event[i].available && c->event[i].part[p].lost)
                snprintf(c->lost[i], COUNTER_REASON, "not every one of %zu threads can be counted: %s",
                         c->scope.nthreads, strerror(c->event[i].part[p].lost));
}

static int check_names(const char *names, struct err *err)
{
    int n = 1;
    for (const char *p = names; p && *p; p++)
        n += *p == ',';
    return n <= COUNTERS_NAMED_MAX
               ? 0
               : err_set(err, -E2BIG, "counters: %d events by name, at most %d", n, COUNTERS_NAMED_MAX);
}

int harness_counters_open(const struct harness_counters_ask *ask, struct harness_counters **out,
                          struct err *err)
{
    struct harness_counters *c = *out = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, -ENOMEM, "out of memory for the counters");
    c->sde_set = PAPI_NULL;
    int rc = check_names(ask->names, err);
    rc = rc ? rc : counters_scope_init(&c->scope, ask->who, ask->n, err);
    rc = rc ? rc : open_room(c, err);
    if (rc) {
        harness_counters_close(c);
        *out = NULL;
        return rc;
    }
    counters_perf_open(&c->scope, c->event, &c->n);
    c->nperf = c->n;
    if (ask->sde)
        counters_sde_open(&c->sde_set, c->event, &c->n);
    c->nsde = c->n - c->nperf;
    counters_named_open(&c->named, &c->scope, ask->names, c->event, &c->n);
    note_lost(c);
    return 0;
}

/* The sources that only go up; those by name tell of each window themselves. */
static void read_all(struct harness_counters *c)
{
    size_t parts = c->scope.nparts;
    memset(c->reading, 0, COUNTERS_MAX * parts * sizeof *c->reading);
    counters_perf_read(&c->scope, c->event, c->nperf, c->reading);
    counters_sde_read(c->sde_set, c->event + c->nperf, c->nsde, parts, c->reading + c->nperf * parts);
}

void harness_counters_begin(struct harness_counters *c)
{
    size_t upward = (c->nperf + c->nsde) * c->scope.nparts;
    for (size_t i = 0; i < COUNTERS_MAX * c->scope.nparts; i++)
        c->sum[i].last = (struct counter_reading){0};
    read_all(c);
    for (size_t i = 0; i < upward; i++)
        c->sum[i].at_begin = c->reading[i];
    counters_named_begin(&c->named, &c->scope);
}

static void add(struct counter_reading *to, const struct counter_reading *more)
{
    to->failed = to->failed || more->failed;
    to->value += more->value;
    to->enabled_ns += more->enabled_ns;
    to->running_ns += more->running_ns;
}

void harness_counters_end(struct harness_counters *c)
{
    size_t upward = (c->nperf + c->nsde) * c->scope.nparts;
    counters_named_end(&c->named, &c->scope);
    read_all(c);
    c->windows++;
    for (size_t i = 0; i < upward; i++) {
        const struct counter_reading *from = &c->sum[i].at_begin, *now = &c->reading[i];
        c->sum[i].last =
            (struct counter_reading){now->value - from->value, now->enabled_ns - from->enabled_ns,
                                     now->running_ns - from->running_ns, now->failed || from->failed};
    }
    for (size_t i = 0; i < COUNTERS_MAX * c->scope.nparts; i++)
        add(&c->sum[i].total, &c->sum[i].last);
}

size_t harness_counters_n(const struct harness_counters *c)
{
    return c->n;
}

static struct harness_count make_count(const struct harness_counters *c, size_t i,
                                       const struct counter_reading *r)
{
    const struct counter_event *e = &c->event[i];
    struct harness_count out = {.name = e->name, .value = NAN, .share = NAN};
    out.reason = !e->available ? e->reason
                 : *c->lost[i] ? c->lost[i]
                 : !c->windows ? "nothing was measured yet"
                 : r->failed   ? "it could not be read"
                               : NULL;
    if (out.reason)
        return out;
    bool timed = r->enabled_ns > 0;
    out.share = timed ? (double)r->running_ns / (double)r->enabled_ns : 1;
    if (out.share > 0)
        out.value = (double)r->value / out.share;
    else
        out.reason = "it was never scheduled on a hardware counter";
    return out;
}

struct harness_count harness_counters_get(const struct harness_counters *c, size_t i)
{
    struct counter_reading sum = {0};
    for (size_t p = 0; p < c->scope.nparts; p++)
        add(&sum, &c->event[i].part[p].total);
    return make_count(c, i, &sum);
}

struct harness_count harness_counters_get_of(const struct harness_counters *c, size_t i, size_t k)
{
    struct harness_count out = make_count(c, i, &c->event[i].part[k].total);
    if (c->event[i].whole && !out.reason) {
        out.value = out.share = NAN;
        out.reason = "it is counted for all of them together";
    }
    return out;
}

struct harness_count harness_counters_last(const struct harness_counters *c, const char *name)
{
    struct counter_reading sum = {0};
    size_t i = 0;
    while (i < c->n && strcmp(c->event[i].name, name) != 0)
        i++;
    if (i == c->n)
        return (struct harness_count){
            .name = name, .value = NAN, .share = NAN, .reason = "no event of that name is counted"};
    for (size_t p = 0; p < c->scope.nparts; p++)
        add(&sum, &c->event[i].part[p].last);
    return make_count(c, i, &sum);
}

bool harness_counters_is_told_apart(const struct harness_counters *c, size_t i)
{
    return !c->event[i].whole;
}

void harness_counters_close(struct harness_counters *c)
{
    if (!c)
        return;
    counters_perf_close(c->event, c->nperf, c->scope.nthreads);
    counters_sde_close(&c->sde_set);
    counters_named_close(&c->named);
    counters_scope_fini(&c->scope);
    free(c->sum);
    free(c->reading);
    free(c);
}
