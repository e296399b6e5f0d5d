/* Small sessions with the real core, and with subjects of a few words of shell that do what trials must not. */
#include "harness/session.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/plan.h"
#include "testing/cmocka.h"
#include "testing/tagged.h"

static const uint64_t MS = 1000000;

struct room {
    struct result result;
    struct harness_topology topology;
    struct session_config cfg;
    struct err err;
    char tag[TAG_BYTES], warning[1024];
    int warnings, turns_seen, stop_at_turn;
};

static volatile sig_atomic_t stop_flag;

static void warn(void *arg, const char *text)
{
    struct room *r = arg;
    r->warnings++;
    snprintf(r->warning, sizeof r->warning, "%s", text);
}

static void watch(void *arg, const struct session_progress *p)
{
    struct room *r = arg;
    if (strcmp(p->step, "turn") == 0 && ++r->turns_seen == r->stop_at_turn)
        stop_flag = 1;
}

static int set_up(void **state)
{
    struct room *r = *state = calloc(1, sizeof *r);
    tag_processes(r->tag);
    stop_flag = 0;
    r->result =
        (struct result){.schema = RESULT_SCHEMA, .seed = 3, .alpha = 0.05, .margin = 0.05, .budget_ns = 60e9};
    r->cfg = (struct session_config){.result = &r->result,
                                     .topology = &r->topology,
                                     .core = LOADERBENCH,
                                     .turn_ns = 1e6,
                                     .timeout_ns = 20000 * MS,
                                     .invocations = 3,
                                     .blocks = 2,
                                     .stop = &stop_flag,
                                     .progress = watch,
                                     .warn = warn,
                                     .arg = r};
    return harness_topology_load(&r->topology, &r->err);
}

static int tear_down(void **state)
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

static const struct workload workload = {.data = (char *)"synthetic:64",
                                         .transform = (char *)"gemm=8",
                                         .sampler = (char *)"sequential",
                                         .batch_size = 1};

static void add(struct room *r, const char *name, const char *subject, int workers)
{
    struct setting s = {.workers = workers,
                        .threads = 1,
                        .prefetch_factor = 2,
                        .affinity = (char *)"scatter",
                        .backend = (char *)"process"};
    assert_int_equal(plan_add(&r->result, name, subject, &workload, &s, NULL), 0);
}

static int run(struct room *r)
{
    return session_run(&r->cfg, &r->err);
}

/* A subject in words: `each` runs for each turn, $n is its number from 1; `ready` is in the answer to the spec. The time
 * it says is enough for the pilot. */
static char *scripted(const char *ready, const char *each, const char *totals)
{
    char *text;
    assert_true(
        asprintf(
            &text,
            "sh -c 'read -r l; echo \"{\\\"ready\\\": {%s}}\"; n=0; while read -r l; do case $l in *stop*) "
            "echo \"{\\\"totals\\\": {%s}}\"; exit;; esac; n=$((n + 1)); t=30000000; %s; "
            "echo \"{\\\"turn\\\": {\\\"batches\\\": 1, \\\"samples\\\": 1, \\\"wall_ns\\\": $t}}\"; done'",
            ready, totals, each) > 0);
    return text;
}

static void add_scripted(struct room *r, const char *name, const char *ready, const char *each,
                         const char *totals)
{
    char *text = scripted(ready, each, totals);
    add(r, name, text, 0);
    free(text);
}

static int count_void(const struct result *r)
{
    int n = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        n += r->invocations[i].void_reason != NULL;
    return n;
}

/* ---- the course of a session ---- */

/* Both arms have the same number of turns in each block, at the same mean slot: a drift within a block cancels. */
static void check_balance(const struct invocation *inv, int blocks)
{
    for (int block = 0; block <= blocks; block++) {
        int slots[2] = {0}, turns[2] = {0};
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < inv->trials[k].nturns; i++)
                if (inv->trials[k].turns[i].block == block) {
                    slots[k] += inv->trials[k].turns[i].slot;
                    turns[k]++;
                }
        assert_int_equal(turns[0], 2);
        assert_int_equal(turns[1], 2);
        assert_int_equal(slots[0], slots[1]);
    }
}

static char *asked_cpus(const struct trial *t)
{
    json_t *o = json_loads(t->placement, 0, NULL);
    const json_t *first = json_array_get(json_object_get(o, "inline"), 0);
    char *text = strdup(json_string_value(json_object_get(first, "asked")));
    json_decref(o);
    return text;
}

/* The placement without what no two processes share: ids of threads, and how often each was moved. */
static char *lasting_placement(const struct trial *t)
{
    json_t *o = json_loads(t->placement, 0, NULL), *maker;
    size_t i;
    json_array_foreach (json_object_get(o, "inline"), i, maker) {
        assert_true(json_array_size(json_object_get(maker, "thread")) > 0);
        json_object_del(maker, "thread");
    }
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

static void two_arms_of_one_setting_take_balanced_turns_on_the_same_cpus(void **state)
{
    struct room *r = *state;
    add(r, "a", "core", 0);
    add(r, "b", "core", 0);
    r->cfg.invocations = 5;
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_true(r->result.complete && !r->result.interrupted);
    assert_int_equal(r->result.looks_planned, 1);
    assert_int_equal(r->result.ninvocations - (size_t)count_void(&r->result), 5);
    for (size_t i = 0; i < r->result.ninvocations; i++) {
        const struct invocation *inv = &r->result.invocations[i];
        if (inv->void_reason)
            continue;
        assert_int_equal(inv->ntrials, 2);
        check_balance(inv, 2);
        char *a = asked_cpus(&inv->trials[0]), *b = asked_cpus(&inv->trials[1]);
        assert_string_equal(a, b);
        assert_int_equal(atoi(a), inv->cpus[0]); /* position 0 under this invocation's draw */
        free(a);
        free(b);
        a = lasting_placement(&inv->trials[0]);
        b = lasting_placement(&inv->trials[1]);
        assert_string_equal(a, b);
        free(a);
        free(b);
        assert_true(inv->fixed_work_before_ns > 0 && inv->fixed_work_after_ns > 0);
        for (size_t k = 0; k < 2; k++)
            for (size_t t = 0; t < inv->trials[k].nturns; t++)
                assert_true(inv->trials[k].turns[t].cost_ns > 0 && inv->trials[k].turns[t].samples > 0);
    }
}

/* What each batch said it was waited for, against the causes: within 2 % over each trial. */
static void check_waits_add_up(const struct trial *t)
{
    double causes = 0, waited = 0;
    for (size_t i = 0; i < t->nturns; i++) {
        const struct turn *turn = &t->turns[i];
        const char *told = turn->extra ? strstr(turn->extra, "\"waited_ns\":") : NULL;
        assert_non_null(told);
        waited += strtod(told + strlen("\"waited_ns\":"), NULL);
        for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
            causes += turn->wait_ns[c] * (double)turn->samples;
    }
    assert_true(fabs(causes - waited) <= 0.02 * waited + 1);
}

static void workers_and_main_process_run_side_by_side(void **state)
{
    struct room *r = *state;
    add(r, "0", "core", 0);
    add(r, "1", "core", 1);
    add(r, "2", "core", 2);
    r->cfg.invocations = 2;
    if (run(r))
        fail_msg("%s", r->err.text);
    const struct invocation *inv = &r->result.invocations[r->result.ninvocations - 1];
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(inv->trials[k].nturns, 3); /* warm-up and two blocks */
        for (size_t t = 0; t < 3; t++)              /* a whole multiple of the workers */
            assert_int_equal(inv->trials[k].turns[t].batches % (k ? (int64_t)k : 1), 0);
        assert_true(inv->trials[k].ncounters > 0 && inv->trials[k].order_hash);
        check_waits_add_up(&inv->trials[k]);
    }
}

/* Only the first invocation that counts has them, and its turns are as many as those of the others. */
static void timelines_are_taken_once_and_count_in_no_figure(void **state)
{
    struct room *r = *state;
    add(r, "0", "core", 0);
    add(r, "2", "core", 2);
    add_scripted(r, "tells none", "", ":", "");
    r->cfg.timeline = true;
    if (run(r))
        fail_msg("%s", r->err.text);
    for (size_t i = 0; i < r->result.ninvocations; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct trial *t = &r->result.invocations[i].trials[k];
            if ((t->ntimeline > 0) != (i == 0 && k < 2))
                fail_msg("invocation %zu, arm %zu: %zu batches", i, k, t->ntimeline);
            assert_int_equal(t->nturns, 3);
        }
}

static void a_session_that_does_not_ask_has_no_timelines(void **state)
{
    struct room *r = *state;
    add(r, "1", "core", 1);
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.invocations[0].trials[0].ntimeline, 0);
}

static void what_is_written_reads_back(void **state)
{
    struct room *r = *state;
    char path[64];
    struct result back;
    snprintf(path, sizeof path, "/tmp/lb_session_%d.jsonl", (int)getpid());
    unlink(path);
    add_scripted(r, "a", "", ":", "");
    add_scripted(r, "b", "", ":", "");
    r->result.looks_planned = session_looks(&r->cfg);
    assert_int_equal(result_writer_open(path, &r->result, &r->cfg.writer, NULL), 0);
    int rc = run(r);
    result_writer_close(r->cfg.writer);
    assert_int_equal(rc, 0);
    assert_int_equal(result_read(path, &back, NULL), 0);
    assert_true(back.complete && !back.damage);
    assert_int_equal(back.looks_planned, 1);
    assert_int_equal(back.ninvocations, r->result.ninvocations);
    for (size_t i = 0; i < back.ninvocations; i++) {
        assert_int_equal(back.invocations[i].ntrials, 2);
        assert_int_equal(back.invocations[i].trials[1].nturns, r->result.invocations[i].trials[1].nturns);
        assert_int_equal(back.invocations[i].cpus[0], r->result.invocations[i].cpus[0]);
    }
    result_fini(&back);
    unlink(path);
}

static void a_surely_worse_arm_drops_out_and_the_choice_ends_the_session(void **state)
{
    struct room *r = *state;
    add_scripted(r, "fast", "", "t=30000000", "");
    add_scripted(r, "slow", "", "t=60000000", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->result.budget_ns = 8e9; /* a first look after a quarter of it */
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.dropped_at_look[1], 1);
    assert_int_equal(r->result.dropped_at_look[0], 0);
    assert_true(r->result.complete);
}

/* ---- the pilot ---- */

static size_t turns_in_block(const struct trial *t, int block)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nturns; i++)
        n += t->turns[i].block == block;
    return n;
}

/* A session of three arms whose turns take what `each` says, its blocks left to the pilot. */
static const struct pilot *run_pilot(struct room *r, const char *each)
{
    add_scripted(r, "a", "", each, "");
    add_scripted(r, "b", "", each, "");
    add_scripted(r, "c", "", each, "");
    r->cfg.invocations = 5;
    r->cfg.blocks = 0;
    if (run(r))
        fail_msg("%s", r->err.text);
    const struct pilot *p = &r->result.pilot;
    assert_int_equal(p->invocations, 3);
    assert_true(p->start_ns > 0 && p->turn_ns > 0);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct trial *t = &r->result.invocations[i].trials[k];
            assert_int_equal(turns_in_block(t, 1), i < 3 ? 2 : 1); /* there and back in the pilot */
            if (i >= 3)
                assert_int_equal(t->nturns, p->blocks + 1);
        }
    return p;
}

static void noise_between_turns_makes_the_pilot_ask_for_more_blocks(void **state)
{
    const struct pilot *p = run_pilot(*state, "t=$((30000000 + n * 7 % 5 * 1000000))");
    assert_true(p->turn_variance > 0 && p->invocation_variance == 0);
    assert_int_equal(p->blocks, 8);
}

static void noise_between_starts_makes_the_pilot_ask_for_more_starts(void **state)
{
    const struct pilot *p = run_pilot(*state, "t=$((30000000 + $$ % 7 * 1000000))");
    assert_true(p->turn_variance < 1e-12 && p->block_variance < 1e-12 && p->invocation_variance > 0);
    assert_int_equal(p->blocks, 1);
}

static void a_number_of_blocks_that_was_asked_for_needs_no_pilot(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", ":", "");
    add_scripted(r, "b", "", ":", "");
    r->cfg.invocations = 4;
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.pilot.invocations, 0);
    assert_int_equal(turns_in_block(&r->result.invocations[3].trials[0], 2), 2);
}

/* ---- groups ---- */

static void arms_that_do_not_fit_at_once_come_in_groups_that_share_one(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", "t=30000000", "");
    add_scripted(r, "b", "", "t=60000000", "");
    add_scripted(r, "c", "", "t=45000000", "");
    r->result.together_max = 2;
    r->cfg.invocations = 6;
    if (run(r))
        fail_msg("%s", r->err.text);
    static const int arms[] = {0, 1, 0, 2}, first_block[] = {1, 1, 3, 3};
    for (size_t i = 0; i < r->result.ninvocations; i++) {
        const struct invocation *inv = &r->result.invocations[i];
        assert_int_equal(inv->ntrials, 4);
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(inv->trials[k].arm, arms[k]);
            assert_int_equal(turns_in_block(&inv->trials[k], first_block[k]), 2);
            assert_int_equal(turns_in_block(&inv->trials[k], first_block[k] + 1), 2);
            assert_int_equal(inv->trials[k].nturns, 6);
        }
    }
    struct estimate e = summary_ratio(&r->result, 1, 2, METRIC_COST_NS, 0.95); /* never in one group */
    assert_true(fabs(e.value - 60.0 / 45) < 1e-9 && e.n == 6 && e.ci.known);
}

static void a_failure_in_a_later_group_is_that_arms(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", ":", "");
    add_scripted(r, "b", "", ":", "");
    add_scripted(r, "c", "", "exit 3", "");
    r->result.together_max = 2;
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_non_null(strstr(r->result.arms[2].failure, "exit code 3"));
    assert_null(r->result.arms[1].failure);
    assert_int_equal(count_void(&r->result), 2);
    assert_int_equal(r->result.invocations[2].ntrials, 2); /* the two that are left fit at once */
}

static void the_budget_ends_a_session_that_cannot_decide(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", ":", "");
    add_scripted(r, "b", "", ":", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->result.budget_ns = 300e6;
    r->result.margin = 0.0001;
    uint64_t from = clock_now_ns();
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_true(r->result.ninvocations >= 1 && r->result.complete);
    assert_true(clock_now_ns() - from < 30000 * MS); /* a hundred times the budget */
}

/* ---- what voids ---- */

static void a_trial_that_fails_voids_the_invocation_for_all(void **state)
{
    struct room *r = *state;
    char path[64], each[256];
    snprintf(path, sizeof path, "/tmp/lb_session_once_%d", (int)getpid());
    snprintf(each, sizeof each, "if [ $n = 2 ] && mkdir %s 2>/dev/null; then echo it broke >&2; exit 3; fi",
             path);
    rmdir(path);
    add_scripted(r, "good", "", ":", "");
    add_scripted(r, "bad", "", each, ""); /* the first time only */
    int rc = run(r);
    rmdir(path);
    if (rc)
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.ninvocations, 4);
    assert_string_equal(r->result.invocations[0].void_reason,
                        "bad: the trial ended with exit code 3: it broke");
    assert_int_equal(count_void(&r->result), 1);
    assert_int_equal(r->warnings, 1);
    assert_non_null(strstr(r->warning, "it broke"));
    assert_null(r->result.arms[1].failure); /* once is no reason to take it out */
}

static void an_arm_that_fails_twice_in_a_row_is_taken_out(void **state)
{
    struct room *r = *state;
    add_scripted(r, "good", "", ":", "");
    add_scripted(r, "bad", "", "[ $n != 2 ] || { echo it broke >&2; exit 3; }", "");
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_non_null(r->result.arms[1].failure);
    assert_non_null(strstr(r->result.arms[1].failure, "exit code 3: it broke"));
    assert_null(r->result.arms[0].failure);
    assert_int_equal(count_void(&r->result), 2);
    assert_int_equal(r->result.ninvocations, 5); /* the other was measured as often as planned */
    assert_int_equal(r->result.invocations[4].ntrials, 1);
}

static void when_no_arm_is_left_the_session_says_why(void **state)
{
    struct room *r = *state;
    add_scripted(r, "bad", "", "echo it broke >&2; exit 3", "");
    assert_int_equal(run(r), -ENODATA);
    assert_non_null(strstr(r->err.text, "no arm could be measured"));
    assert_non_null(strstr(r->err.text, "it broke"));
    assert_false(r->result.complete);
}

static void expect_taken_out_for(struct room *r, const char *words)
{
    int rc = run(r);
    if (rc != -ENODATA || !strstr(r->err.text, words))
        fail_msg("%d: '%s' should hold '%s'", rc, r->err.text, words);
    assert_int_equal(count_void(&r->result), (int)r->result.ninvocations); /* never a number */
}

static void a_placement_that_did_not_hold_is_void(void **state)
{
    struct room *r = *state;
    add_scripted(r, "astray", "\\\"placement_mismatch\\\": \\\"worker 0: CPUs asked 0, found 1\\\"", ":", "");
    expect_taken_out_for(r, "placement did not hold: worker 0: CPUs asked 0, found 1");
}

static void a_turn_without_samples_is_void(void **state)
{
    struct room *r = *state;
    add_scripted(r, "empty", "", "echo '\\''{\"turn\": {\"samples\": 0, \"wall_ns\": 5}}'\\''; continue", "");
    expect_taken_out_for(r, "a turn without samples");
}

static void one_turn_that_was_held_up_does_not_size_the_others(void **state)
{
    struct room *r = *state;
    static const char each[] =
        "b=${l##*:}; b=${b%%\\}*}; t=$((b * 100000)); [ $n != 1 ] || t=30000000; "
        "echo \"{\\\"turn\\\": {\\\"batches\\\": $b, \\\"samples\\\": $b, \\\"wall_ns\\\": $t}}\"; "
        "continue";
    add_scripted(r, "a", "", each, "");
    add_scripted(r, "b", "", each, "");
    r->cfg.invocations = 2;
    if (run(r))
        fail_msg("%s", r->err.text);
    for (size_t k = 0; k < 2; k++) { /* a turn of 1 ms has ten batches of 0.1 ms */
        const struct trial *t = &r->result.invocations[1].trials[k];
        for (size_t i = 0; i < t->nturns; i++)
            if (t->turns[i].block > 0)
                assert_in_range(t->turns[i].batches, 7, 20);
    }
}

/* While the pilot looks for the length of a turn: what the shorter turn left was freed twice once. */
static void a_trial_that_fails_in_the_second_turn_of_the_pilot_is_void(void **state)
{
    struct room *r = *state;
    add_scripted(
        r, "short", "",
        "[ $n = 1 ] || { echo it broke >&2; exit 3; }; echo '\\''{\"turn\": {\"batches\": 1, \"samples\": 1, "
        "\"wall_ns\": 1000, \"items\": {\"max_ns\": 5, \"buckets\": [[3, 1]]}}}'\\''; continue",
        "");
    expect_taken_out_for(r, "exit code 3: it broke");
}

static void a_trial_that_does_not_answer_in_time_is_void(void **state)
{
    struct room *r = *state;
    r->cfg.timeout_ns = 100 * MS;
    add_scripted(r, "mute", "", "sleep 1000", "");
    expect_taken_out_for(r, "no answer from the trial in time");
}

static void arms_that_deliver_other_samples_are_void(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", ":",
                 "\\\"extra\\\": {\\\"set_at\\\": [\\\"1\\\"], \\\"order_at\\\": [\\\"1\\\"]}");
    add_scripted(r, "b", "", ":",
                 "\\\"extra\\\": {\\\"set_at\\\": [\\\"2\\\"], \\\"order_at\\\": [\\\"1\\\"]}");
    if (run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(count_void(&r->result), 2);
    assert_non_null(r->result.arms[1].failure);
    assert_non_null(strstr(r->result.arms[1].failure, "other samples than 'a'"));
}

/* It rests long enough to pass for asleep where it cannot be stopped (a launcher), and then computes: in its own session
 * that is seen. What starts in another session belongs to no tree and is not. */
static void cpu_time_of_a_tree_that_should_sleep_voids_the_block(void **state)
{
    struct room *r = *state;
    char *quiet = scripted("", "sleep 0.05", "");
    char *sly = scripted(
        "",
        "if [ $n = 1 ]; then (while sleep 0.01; do i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; "
        "done) </dev/null >/dev/null & fi",
        "");
    add(r, "quiet", quiet, 0);
    add(r, "sly", sly, 0);
    free(quiet);
    free(sly);
    r->cfg.launcher = "env";
    r->cfg.invocations = 2;
    int rc = run(r);
    int blocks_void = 0, turns_of_quiet = 0, other = 0;
    for (size_t i = 0; i < r->result.ninvocations; i++)
        for (size_t t = 0; t < r->result.invocations[i].trials[0].nturns; t++) {
            const struct turn *turn = &r->result.invocations[i].trials[0].turns[t];
            turns_of_quiet++;
            blocks_void += turn->void_reason != NULL;
            other += turn->other_cpu_ns > 0;
            if (turn->void_reason)
                assert_non_null(strstr(turn->void_reason, "sleeping trials used"));
        }
    /* Either it was caught at it during a turn, or it never stood still when it should have. */
    if (rc && rc != -EXDEV && rc != -ENODATA)
        fail_msg("%d: %s", rc, r->err.text);
    if (!rc)
        assert_true(blocks_void > 0 && other > 0 && turns_of_quiet > 0);
    else
        assert_non_null(strstr(r->err.text, "CPU time when it should rest"));
}

static void a_quiet_tree_under_a_launcher_voids_nothing(void **state)
{
    struct room *r = *state;
    add_scripted(r, "a", "", "sleep 0.02", "");
    add_scripted(r, "b", "", "sleep 0.02", "");
    r->cfg.launcher = "env";
    r->cfg.invocations = 2;
    if (run(r))
        fail_msg("%s", r->err.text);
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < r->result.invocations[0].trials[k].nturns; t++)
            assert_null(r->result.invocations[0].trials[k].turns[t].void_reason);
}

/* ---- being stopped ---- */

static void stopped_in_the_middle_it_keeps_whole_invocations_only(void **state)
{
    struct room *r = *state;
    add(r, "a", "core", 0);
    add(r, "b", "core", 1);
    r->cfg.invocations = 50;
    r->stop_at_turn = 17; /* 12 an invocation: in the second */
    assert_int_equal(run(r), -EINTR);
    assert_true(r->result.interrupted && !r->result.complete);
    assert_int_equal(r->result.ninvocations, 1);
    assert_int_equal(r->result.invocations[0].trials[0].nturns, 6);
}

static void stopped_while_a_trial_hangs_it_ends_soon(void **state)
{
    struct room *r = *state;
    add_scripted(r, "hangs", "", "sleep 1000", "");
    r->stop_at_turn = 1;
    uint64_t from = clock_now_ns();
    assert_int_equal(run(r), -EINTR);
    assert_true(clock_now_ns() - from < 10000 * MS); /* a half of its time-out */
    assert_int_equal(r->result.ninvocations, 0);
}

static void an_unknown_policy_is_told_before_anything_starts(void **state)
{
    struct room *r = *state;
    add(r, "a", "core", 0);
    free(r->result.arms[0].setting.affinity);
    r->result.arms[0].setting.affinity = strdup("scater");
    assert_int_equal(run(r), -EINVAL);
    assert_non_null(strstr(r->err.text, "scatter"));
    assert_int_equal(r->turns_seen, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        CASE(two_arms_of_one_setting_take_balanced_turns_on_the_same_cpus),
        CASE(workers_and_main_process_run_side_by_side),
        CASE(timelines_are_taken_once_and_count_in_no_figure),
        CASE(a_session_that_does_not_ask_has_no_timelines),
        CASE(what_is_written_reads_back),
        CASE(a_surely_worse_arm_drops_out_and_the_choice_ends_the_session),
        CASE(noise_between_turns_makes_the_pilot_ask_for_more_blocks),
        CASE(noise_between_starts_makes_the_pilot_ask_for_more_starts),
        CASE(a_number_of_blocks_that_was_asked_for_needs_no_pilot),
        CASE(arms_that_do_not_fit_at_once_come_in_groups_that_share_one),
        CASE(a_failure_in_a_later_group_is_that_arms),
        CASE(the_budget_ends_a_session_that_cannot_decide),
        CASE(a_trial_that_fails_voids_the_invocation_for_all),
        CASE(an_arm_that_fails_twice_in_a_row_is_taken_out),
        CASE(when_no_arm_is_left_the_session_says_why),
        CASE(a_placement_that_did_not_hold_is_void),
        CASE(a_turn_without_samples_is_void),
        CASE(one_turn_that_was_held_up_does_not_size_the_others),
        CASE(a_trial_that_fails_in_the_second_turn_of_the_pilot_is_void),
        CASE(a_trial_that_does_not_answer_in_time_is_void),
        CASE(arms_that_deliver_other_samples_are_void),
        CASE(cpu_time_of_a_tree_that_should_sleep_voids_the_block),
        CASE(a_quiet_tree_under_a_launcher_voids_nothing),
        CASE(stopped_in_the_middle_it_keeps_whole_invocations_only),
        CASE(stopped_while_a_trial_hangs_it_ends_soon),
        CASE(an_unknown_policy_is_told_before_anything_starts),
    };
    return CASES(tests);
}
