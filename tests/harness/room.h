/* A session in a room of its own: the machine it runs on, what it said, and what it left running. Subjects are the real core,
 * or a few words of shell that do what trials must not. */
#ifndef TESTS_HARNESS_ROOM_H
#define TESTS_HARNESS_ROOM_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plan.h"
#include "harness/session.h"
#include "testing/cmocka.h"
#include "testing/tagged.h"

static const uint64_t ROOM_MS = 1000000;

struct room {
    struct result result;
    struct harness_topology topology;
    struct session_config cfg;
    struct err err;
    char tag[TAG_BYTES], warning[1024];
    int warnings, untold, turns_seen,
        stop_at_turn; /* untold: warnings of subjects that do not tell untimed_ns */
};

static volatile sig_atomic_t room_stop;

static inline void room_warn(void *arg, const char *text)
{
    struct room *r = arg;
    if (strstr(text, "does not tell \"untimed_ns\"")) {
        r->untold++;
        return;
    }
    r->warnings++;
    snprintf(r->warning, sizeof r->warning, "%s", text);
}

static inline void room_watch(void *arg, const struct session_progress *p)
{
    struct room *r = arg;
    if (strcmp(p->step, "turn") == 0 && ++r->turns_seen == r->stop_at_turn)
        room_stop = 1;
}

static inline int room_set_up(void **state)
{
    struct room *r = *state = calloc(1, sizeof *r);
    tag_processes(r->tag);
    room_stop = 0;
    r->result =
        (struct result){.schema = RESULT_SCHEMA, .seed = 3, .alpha = 0.05, .margin = 0.05, .budget_ns = 60e9};
    r->cfg = (struct session_config){.result = &r->result,
                                     .topology = &r->topology,
                                     .core = LOADERBENCH,
                                     .turn_ns = 1e6,
                                     .timeout_ns = 20000 * ROOM_MS,
                                     .invocations = 3,
                                     .blocks = 2,
                                     .stop = &room_stop,
                                     .progress = room_watch,
                                     .warn = room_warn,
                                     .arg = r};
    return harness_topology_load(&r->topology, &r->err);
}

static inline int room_tear_down(void **state)
{
    struct room *r = *state;
    int left = tagged_count(r->tag); /* the session has ended: nothing of it runs, not even for a moment */
    tagged_kill(r->tag);
    result_fini(&r->result);
    harness_topology_fini(&r->topology);
    free(r);
    if (left)
        print_error("%d processes are left\n", left);
    return left;
}

static const struct workload room_workload = {.data = (char *)"synthetic:64",
                                              .transform = (char *)"gemm=8",
                                              .sampler = (char *)"sequential",
                                              .batch_size = 1};

static inline void room_add(struct room *r, const char *name, const char *subject, int workers)
{
    struct setting s = {.workers = workers,
                        .threads = 1,
                        .prefetch_factor = 2,
                        .affinity = (char *)"scatter",
                        .backend = (char *)"process"};
    assert_int_equal(plan_add(&r->result, name, subject, &room_workload, &s, NULL), 0);
}

static inline int room_run(struct room *r)
{
    return session_run(&r->cfg, &r->err);
}

/* A subject in words: `each` runs for each turn, $n is its number from 1 and $b the batches asked for; `ready` is in the
 * answer to the spec. The time it says, $t, is enough for the pilot and what the coarsest clock may say of a moment; to say more it has to sleep. */
static inline char *room_subject(const char *ready, const char *each, const char *totals)
{
    char *text;
    assert_true(
        asprintf(
            &text,
            "sh -c 'read -r l; echo \"{\\\"ready\\\": {%s}}\"; n=0; while read -r l; do case $l in *stop*) "
            "echo \"{\\\"totals\\\": {%s}}\"; exit;; esac; n=$((n + 1)); t=1000000; "
            "b=${l##*batches??}; b=${b%%%%[!0-9]*}; %s; echo \"{\\\"turn\\\": {\\\"batches\\\": $b, "
            "\\\"samples\\\": $b, "
            "\\\"wall_ns\\\": $t}}\"; done'",
            ready, totals, each) > 0);
    return text;
}

static inline void room_add_subject(struct room *r, const char *name, const char *ready, const char *each,
                                    const char *totals)
{
    char *text = room_subject(ready, each, totals);
    room_add(r, name, text, 0);
    free(text);
}

static inline int room_count_void(const struct result *r)
{
    int n = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        n += r->invocations[i].void_reason != NULL;
    return n;
}

static inline size_t room_turns_in_block(const struct trial *t, int block)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nturns; i++)
        n += t->turns[i].block == block;
    return n;
}

#define ROOM_CASE(f) cmocka_unit_test_setup_teardown(f, room_set_up, room_tear_down)

#endif
