/* Owners and unknowns of a result in memory. */
#include "results/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const result_wait_names[RESULT_WAIT_CAUSES] = {
    [RESULT_WAIT_STARTUP] = "startup",
    [RESULT_WAIT_COMPUTE] = "compute",
    [RESULT_WAIT_HEAD_OF_LINE] = "head_of_line",
    [RESULT_WAIT_HANDOFF] = "handoff",
    [RESULT_WAIT_PIN] = "pin",
    [RESULT_WAIT_THROTTLED] = "throttled",
};

void result_workload_fini(struct workload *w)
{
    free(w->data);
    free(w->transform);
    free(w->sampler);
    free(w->consumer);
    free(w->on_error);
    free(w->cache);
    *w = (struct workload){0};
}

void result_setting_fini(struct setting *s)
{
    free(s->affinity);
    free(s->backend);
    *s = (struct setting){0};
}

static void arm_fini(struct arm *a)
{
    free(a->name);
    free(a->subject);
    result_workload_fini(&a->workload);
    result_setting_fini(&a->setting);
    free(a->failure);
}

static void counter_fini(struct counter *c)
{
    for (size_t i = 0; i < c->nparts; i++) {
        free(c->part[i].who);
        free(c->part[i].reason);
    }
    free(c->part);
    free(c->name);
    free(c->reason);
}

static void trial_fini(struct trial *t)
{
    for (size_t i = 0; i < t->nturns; i++) {
        free(t->turns[i].items);
        free(t->turns[i].void_reason);
        free(t->turns[i].extra);
    }
    for (size_t i = 0; i < t->ncounters; i++)
        counter_fini(&t->counters[i]);
    free(t->turns);
    free(t->timeline);
    free(t->counters);
    free(t->extra);
    free(t->order_hash);
    free(t->set_hash);
    free(t->placement);
    free(t->placement_text);
}

static void invocation_fini(struct invocation *inv)
{
    for (size_t i = 0; i < inv->ntrials; i++)
        trial_fini(&inv->trials[i]);
    free(inv->trials);
    free(inv->cpus);
    free(inv->void_reason);
}

void result_fini(struct result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->narms; i++)
        arm_fini(&r->arms[i]);
    for (size_t i = 0; i < r->ninvocations; i++)
        invocation_fini(&r->invocations[i]);
    for (size_t i = 0; i < r->npauses; i++) {
        free(r->pauses[i].date);
        free(r->pauses[i].command);
    }
    free(r->pauses);
    free(r->session);
    free(r->arms);
    free(r->invocations);
    free(r->dropped_at_look);
    free(r->path);
    free(r->tool);
    free(r->commit);
    free(r->command);
    free(r->started);
    free(r->cpu_budget_text);
    free(r->environment);
    free(r->damage);
    *r = (struct result){0};
}

size_t result_count_turns(const struct result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            n += r->invocations[i].trials[t].nturns;
    return n;
}

bool result_is_race(const struct result *r)
{
    for (size_t i = 1; i < r->narms; i++)
        if (strcmp(r->arms[i].workload.transform, r->arms[0].workload.transform) ||
            strcmp(r->arms[i].workload.data, r->arms[0].workload.data))
            return false;
    return r->narms > 1;
}

struct turn result_turn_unknown(void)
{
    struct turn t = {
        .wall_ns = NAN,
        .seen_ns = NAN,
        .untimed_ns = NAN,
        .cost_ns = NAN,
        .item_ns = NAN,
        .cpu_ns = NAN,
        .overhead_ns = NAN,
        .other_cpu_ns = NAN,
        .steal_ns = NAN,
        .voluntary_switches = NAN,
        .involuntary_switches = NAN,
        .migrations = NAN,
        .page_faults = NAN,
        .stall_ratio = NAN,
    };
    for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
        t.wait_ns[c] = NAN;
    return t;
}

bool result_same_stream(const struct workload *a, const struct workload *b)
{
    return !strcmp(a->data, b->data) && !strcmp(a->transform, b->transform) &&
           !strcmp(a->sampler, b->sampler);
}

int result_arm_named(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->narms; i++)
        if (!strcmp(r->arms[i].name, name))
            return (int)i;
    return -1;
}

const struct trial *result_trial_of(const struct invocation *inv, int arm)
{
    for (size_t t = 0; t < inv->ntrials && !inv->void_reason; t++)
        if (inv->trials[t].arm == arm)
            return &inv->trials[t];
    return NULL;
}

const struct trial *result_first_trial(const struct result *r, int arm)
{
    const struct trial *t = NULL;
    for (size_t i = 0; !t && i < r->ninvocations; i++)
        t = result_trial_of(&r->invocations[i], arm);
    return t;
}
