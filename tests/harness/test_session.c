/* The course of small sessions. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "results/delivery.h"
#include "room.h"

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
    room_add(r, "a", "core", 0);
    room_add(r, "b", "core", 0);
    r->cfg.invocations = 5;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_true(r->result.complete && !r->result.interrupted);
    assert_int_equal(r->result.looks_planned, 1);
    assert_int_equal(r->result.ninvocations - (size_t)room_count_void(&r->result), 5);
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

/* So that what differs between samples is part of the spread that intervals are made of. */
static void each_invocation_loads_samples_of_its_own_alike_for_all(void **state)
{
    struct room *r = *state;
    room_add(r, "0", "core", 0);
    room_add(r, "1", "core", 1);
    for (size_t k = 0; k < 2; k++) {
        free(r->result.arms[k].workload.sampler);
        r->result.arms[k].workload.sampler = strdup("random");
    }
    r->cfg.invocations = 2;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    const struct invocation *inv = r->result.invocations;
    size_t mark;
    assert_null(result_delivery_differs(&inv[0].trials[0], &inv[0].trials[1], &mark));
    assert_null(result_delivery_differs(&inv[1].trials[0], &inv[1].trials[1], &mark));
    assert_non_null(result_delivery_differs(&inv[0].trials[0], &inv[1].trials[0], &mark));
}

/* Three rounds of turns before those that count: block 0 has all of them, each at a place of its own. */
static void a_longer_warm_up_counts_nowhere(void **state)
{
    struct room *r = *state;
    bool seen[12] = {false};
    room_add(r, "a", "core", 0);
    room_add(r, "b", "core", 1);
    r->result.warmup_blocks = 3;
    r->cfg.invocations = 1;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    const struct invocation *inv = &r->result.invocations[r->result.ninvocations - 1];
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(room_turns_in_block(&inv->trials[k], 0), 6);
        assert_int_equal(room_turns_in_block(&inv->trials[k], 1), 2);
        assert_int_equal(inv->trials[k].nturns, 10);
        for (size_t t = 0; t < 6; t++) {
            const struct turn *turn = &inv->trials[k].turns[t];
            assert_true(turn->block == 0 && turn->slot < 12 && !seen[turn->slot]);
            seen[turn->slot] = true;
        }
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
    room_add(r, "0", "core", 0);
    room_add(r, "1", "core", 1);
    room_add(r, "2", "core", 2);
    r->cfg.invocations = 2;
    if (room_run(r))
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
    room_add(r, "0", "core", 0);
    room_add(r, "2", "core", 2);
    room_add_subject(r, "tells none", "", ":", "");
    r->cfg.timeline = true;
    if (room_run(r))
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
    room_add(r, "1", "core", 1);
    if (room_run(r))
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
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->result.looks_planned = session_looks(&r->cfg);
    assert_int_equal(result_writer_open(path, &r->result, &r->cfg.writer, NULL), 0);
    int rc = room_run(r);
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
    room_add_subject(r, "fast", "", ":", "");
    room_add_subject(r, "slow", "", "sleep 0.002; t=2000000", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->result.budget_ns = 8e9; /* a first look after a quarter of it */
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.dropped_at_look[1], 1);
    assert_int_equal(r->result.dropped_at_look[0], 0);
    assert_true(r->result.complete);
}

static void the_budget_ends_a_session_that_cannot_decide(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->result.budget_ns = 300e6;
    r->result.margin = 0.0001;
    uint64_t from = clock_now_ns();
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_true(r->result.ninvocations >= 1 && r->result.complete);
    assert_true(clock_now_ns() - from < 30000 * ROOM_MS); /* a hundred times the budget */
}

/* Two arms at 95 %: one limit may be wrong with 0.05 / looks / 2, which 7 invocations allow with two or three looks. */
static void as_many_looks_are_planned_as_the_most_has_room_for(void **state)
{
    struct room *r = *state;
    static const struct {
        int least, most, looks;
    } rows[] = {{0, 0, 3}, {0, 1000, 3}, {0, 28, 3},  {0, 27, 2},  {0, 14, 2}, {0, 13, 1},
                {0, 1, 1}, {20, 80, 3},  {20, 79, 2}, {20, 39, 1}, {5, 5, 1},  {1000, 0, 3}};
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        r->cfg.least = rows[i].least;
        r->cfg.most = rows[i].most;
        int looks = session_looks(&r->cfg);
        if (looks != rows[i].looks)
            fail_msg("at least %d, at most %d: %d looks", rows[i].least, rows[i].most, looks);
    }
}

static size_t count_valid(const struct result *r)
{
    return r->ninvocations - (size_t)room_count_void(r);
}

static void no_budget_ends_a_session_before_the_least(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "fast", "", ":", "");
    room_add_subject(r, "slow", "", "sleep 0.002; t=2000000", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->cfg.least = 9;
    r->result.budget_ns = 1e6;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(count_valid(&r->result), 9);
    assert_int_equal(r->result.dropped_at_look[1], 1); /* nor is anything decided before */
    assert_int_equal(r->result.looks_planned, 3);
}

static void no_budget_takes_a_session_beyond_the_most(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->cfg.invocations = 0;
    r->cfg.most = 15; /* after looks at 6 and, in the end, at 15 */
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.looks_planned, 2);
    assert_int_equal(count_valid(&r->result), 15);
    assert_int_equal(r->result.invocations[0].look, 1);
    assert_int_equal(r->result.invocations[r->result.ninvocations - 1].look, 2);
}

/* Looks after 7 and 14 invocations: ABBA and BAAB come in pairs across the first, which nobody left at. */
static void the_balance_goes_on_over_a_look_that_nobody_left_at(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->cfg.blocks = 1;
    r->cfg.most = 14;
    r->result.margin = 0; /* equal arms are never surely within it */
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.ninvocations, 14);
    assert_int_equal(r->result.invocations[7].look, 2);
    for (size_t i = 0; i < 14; i += 2) {
        int first[2] = {-1, -1};
        for (size_t k = 0; k < 2; k++)
            for (size_t a = 0; a < 2; a++) {
                const struct trial *t = &r->result.invocations[i + k].trials[a];
                for (size_t n = 0; n < t->nturns; n++)
                    if (t->turns[n].block == 1 && t->turns[n].slot == 0)
                        first[k] = t->arm;
            }
        assert_int_equal(first[0] + first[1], 1);
    }
}

/* As a gate measures its pairs. */
static void arms_are_measured_until_a_number_or_a_time_is_reached(void **state)
{
    struct room *r = *state;
    struct session *s;
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int k = 0; k < 4; k++)
        room_add_subject(r, names[k], "", "sleep 0.01", "");
    assert_int_equal(session_open(&r->cfg, &s, &r->err), 0);
    static const int first[] = {0, 1}, second[] = {2, 3};
    assert_int_equal(session_measure(s, first, 2, &(struct session_share){.valid = 2, .look = 1}, &r->err),
                     2);
    struct session_share share = {.valid = 1000, .look = 2, .until_ns = session_elapsed_ns(s) / 2};
    assert_int_equal(session_measure(s, second, 2, &share, &r->err), 0); /* it is over already */
    share.until_ns = 3 * session_elapsed_ns(s);                          /* as long as four of them took */
    int n = session_measure(s, second, 2, &share, &r->err);
    assert_true(n >= 1 && n < 1000);
    assert_int_equal(session_close(s, 0, &r->err), 0);
    assert_int_equal(r->result.ninvocations, 2 + n);
    assert_int_equal(r->result.invocations[0].trials[1].arm, 1);
    assert_int_equal(r->result.invocations[2].trials[1].arm, 3);
    assert_int_equal(r->result.invocations[2].look, 2);
}

static void stopped_in_the_middle_it_keeps_whole_invocations_only(void **state)
{
    struct room *r = *state;
    room_add(r, "a", "core", 0);
    room_add(r, "b", "core", 1);
    r->cfg.invocations = 50;
    r->stop_at_turn = 17; /* 12 an invocation: in the second */
    assert_int_equal(room_run(r), -EINTR);
    assert_true(r->result.interrupted && !r->result.complete);
    assert_int_equal(r->result.ninvocations, 1);
    assert_int_equal(r->result.invocations[0].trials[0].nturns, 6);
}

static void stopped_while_a_trial_hangs_it_ends_soon(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "hangs", "", "sleep 1000", "");
    r->stop_at_turn = 1;
    uint64_t from = clock_now_ns();
    assert_int_equal(room_run(r), -EINTR);
    assert_true(clock_now_ns() - from < 10000 * ROOM_MS); /* a half of its time-out */
    assert_int_equal(r->result.ninvocations, 0);
}

static void an_unknown_policy_is_told_before_anything_starts(void **state)
{
    struct room *r = *state;
    room_add(r, "a", "core", 0);
    free(r->result.arms[0].setting.affinity);
    r->result.arms[0].setting.affinity = strdup("scater");
    assert_int_equal(room_run(r), -EINVAL);
    assert_non_null(strstr(r->err.text, "scatter"));
    assert_int_equal(r->turns_seen, 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        ROOM_CASE(two_arms_of_one_setting_take_balanced_turns_on_the_same_cpus),
        ROOM_CASE(workers_and_main_process_run_side_by_side),
        ROOM_CASE(each_invocation_loads_samples_of_its_own_alike_for_all),
        ROOM_CASE(a_longer_warm_up_counts_nowhere),
        ROOM_CASE(timelines_are_taken_once_and_count_in_no_figure),
        ROOM_CASE(a_session_that_does_not_ask_has_no_timelines),
        ROOM_CASE(what_is_written_reads_back),
        ROOM_CASE(a_surely_worse_arm_drops_out_and_the_choice_ends_the_session),
        ROOM_CASE(the_budget_ends_a_session_that_cannot_decide),
        ROOM_CASE(as_many_looks_are_planned_as_the_most_has_room_for),
        ROOM_CASE(no_budget_ends_a_session_before_the_least),
        ROOM_CASE(the_balance_goes_on_over_a_look_that_nobody_left_at),
        ROOM_CASE(no_budget_takes_a_session_beyond_the_most),
        ROOM_CASE(arms_are_measured_until_a_number_or_a_time_is_reached),
        ROOM_CASE(stopped_in_the_middle_it_keeps_whole_invocations_only),
        ROOM_CASE(stopped_while_a_trial_hangs_it_ends_soon),
        ROOM_CASE(an_unknown_policy_is_told_before_anything_starts),
    };
    return CASES(tests);
}
