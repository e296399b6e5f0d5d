/* One invocation: what makes it void, what takes an arm out, how long its turns are. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "room.h"

static void a_trial_that_fails_voids_the_invocation_for_all(void **state)
{
    struct room *r = *state;
    char path[64], each[256];
    snprintf(path, sizeof path, "/tmp/lb_session_once_%d", (int)getpid());
    snprintf(each, sizeof each, "if [ $n = 2 ] && mkdir %s 2>/dev/null; then echo it broke >&2; exit 3; fi",
             path);
    rmdir(path);
    room_add_subject(r, "good", "", ":", "");
    room_add_subject(r, "bad", "", each, ""); /* the first time only */
    int rc = room_run(r);
    rmdir(path);
    if (rc)
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.ninvocations, 4);
    assert_string_equal(r->result.invocations[0].void_reason,
                        "bad: the trial ended with exit code 3: it broke");
    assert_int_equal(room_count_void(&r->result), 1);
    assert_int_equal(r->warnings, 1);
    assert_non_null(strstr(r->warning, "it broke"));
    assert_null(r->result.arms[1].failure); /* once is no reason to take it out */
}

static void an_arm_that_fails_twice_in_a_row_is_taken_out(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "good", "", ":", "");
    room_add_subject(r, "bad", "", "[ $n != 2 ] || { echo it broke >&2; exit 3; }", "");
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_non_null(r->result.arms[1].failure);
    assert_non_null(strstr(r->result.arms[1].failure, "exit code 3: it broke"));
    assert_null(r->result.arms[0].failure);
    assert_int_equal(room_count_void(&r->result), 2);
    assert_int_equal(r->result.ninvocations, 5); /* the other was measured as often as planned */
    assert_int_equal(r->result.invocations[4].ntrials, 1);
}

static void when_no_arm_is_left_the_session_says_why(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "bad", "", "echo it broke >&2; exit 3", "");
    assert_int_equal(room_run(r), -ENODATA);
    assert_non_null(strstr(r->err.text, "no arm could be measured"));
    assert_non_null(strstr(r->err.text, "it broke"));
    assert_false(r->result.complete);
}

static void expect_taken_out_for(struct room *r, const char *words)
{
    int rc = room_run(r);
    if (rc != -ENODATA || !strstr(r->err.text, words))
        fail_msg("%d: '%s' should hold '%s'", rc, r->err.text, words);
    assert_int_equal(room_count_void(&r->result), (int)r->result.ninvocations); /* never a number */
}

static void a_placement_that_did_not_hold_is_void(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "astray", "\\\"placement_mismatch\\\": \\\"worker 0: CPUs asked 0, found 1\\\"", ":",
                     "");
    expect_taken_out_for(r, "placement did not hold: worker 0: CPUs asked 0, found 1");
}

static void a_turn_without_samples_is_void(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "empty", "",
                     "echo '\\''{\"turn\": {\"batches\": 1, \"samples\": 0, \"wall_ns\": 5}}'\\''; continue",
                     "");
    expect_taken_out_for(r, "turn: \"samples\" is 0, outside 1 to 1");
}

/* It slept for 40 ms and says that 1 went by. */
static void a_turn_told_too_short_is_void(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "deceiver", "",
                     "sleep 0.04; echo \"{\\\"turn\\\": {\\\"batches\\\": $b, \\\"samples\\\": $b, "
                     "\\\"wall_ns\\\": 1000000, \\\"untimed_ns\\\": 0}}\"; continue",
                     "");
    expect_taken_out_for(r, "turn: told 1 ms timed and 0 ms untimed for a turn that took ");
    assert_int_equal(r->untold, 0);
}

/* Once only, in its third turn: a burst that nobody saw. The block is void, not the trial. */
static void time_untold_in_one_turn_voids_its_block(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "held up", "",
                     "[ $n -ne 3 ] || sleep 0.04; "
                     "echo \"{\\\"turn\\\": {\\\"batches\\\": $b, \\\"samples\\\": $b, "
                     "\\\"wall_ns\\\": $t, \\\"untimed_ns\\\": 0}}\"; continue",
                     "");
    r->cfg.blocks = 4;
    r->cfg.invocations = 1;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(room_count_void(&r->result), 0);
    const struct trial *t = &r->result.invocations[0].trials[0];
    size_t untold = 0;
    for (size_t i = 0; i < t->nturns; i++)
        untold += t->turns[i].void_reason && strstr(t->turns[i].void_reason, "told 1 ms timed");
    assert_int_equal(untold, 1);
}

/* The twin tells nothing of its untimed part, which is said once. */
static void a_subject_that_does_not_tell_its_untimed_part_is_named_once(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "old", "", "sleep 0.04", "");
    room_add(r, "new", "core", 0);
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->untold, 1);
    assert_int_equal(room_count_void(&r->result), 0);
    const struct trial *t = r->result.invocations[0].trials;
    for (size_t i = 0; i < t[0].nturns; i++)
        assert_true(isnan(t[0].turns[i].untimed_ns) && t[0].turns[i].seen_ns > 30 * t[0].turns[i].wall_ns);
    for (size_t i = 0; i < t[1].nturns; i++) {
        double told = t[1].turns[i].wall_ns + t[1].turns[i].untimed_ns;
        assert_true(t[1].turns[i].untimed_ns > 0 && told < 1.01 * t[1].turns[i].seen_ns);
    }
}

static void one_turn_that_was_held_up_does_not_size_the_others(void **state)
{
    struct room *r = *state;
    static const char each[] =
        "t=$((b * 100000)); [ $n != 1 ] || { sleep 0.03; t=30000000; }; "
        "echo \"{\\\"turn\\\": {\\\"batches\\\": $b, \\\"samples\\\": $b, \\\"wall_ns\\\": $t}}\"; "
        "continue";
    room_add_subject(r, "a", "", each, "");
    room_add_subject(r, "b", "", each, "");
    r->cfg.invocations = 2;
    if (room_run(r))
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
    room_add_subject(
        r, "short", "",
        "[ $n = 1 ] || { echo it broke >&2; exit 3; }; echo '\\''{\"turn\": {\"batches\": 1, \"samples\": 1, "
        "\"wall_ns\": 1000, \"items\": {\"max_ns\": 5, \"buckets\": [[3, 1]]}}}'\\''; continue",
        "");
    expect_taken_out_for(r, "exit code 3: it broke");
}

/* As daemons do it: a session of its own, its parent gone, and one of its own in turn. */
static void what_a_trial_leaves_in_a_session_of_its_own_is_named_and_killed(void **state)
{
    struct room *r = *state;
    r->cfg.invocations = 2;
    room_add_subject(r, "good", "", ":", "");
    room_add_subject(r, "daemon", "",
                     "if [ $n = 1 ]; then (setsid sh -c \"setsid sleep 778 & exec sleep 779\" </dev/null "
                     ">/dev/null 2>&1 &); sleep 0.05; fi",
                     "");
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(room_count_void(&r->result), 0);
    assert_int_equal(r->warnings, 4); /* two of each invocation; the room sees that none is left */
    assert_non_null(strstr(r->warning, "a trial left process "));
    assert_non_null(strstr(r->warning, " (sleep) behind"));
}

/* The twin: a child of this program, in a session of its own too, is not a trial's. */
static void a_child_of_the_program_itself_outlives_the_session(void **state)
{
    struct room *r = *state;
    pid_t pid = fork();
    if (!pid) {
        setsid();
        pause();
        _exit(0);
    }
    while (getsid(pid) != pid)
        usleep(1000);
    r->cfg.invocations = 1;
    room_add_subject(r, "good", "", ":", "");
    int rc = room_run(r);
    pid_t ended = waitpid(pid, NULL, WNOHANG);
    if (!ended) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    assert_int_equal(ended, 0); /* it was alive, and nobody has waited for it */
    assert_int_equal(rc, 0);
    assert_int_equal(r->warnings, 0);
}

static void a_trial_that_does_not_answer_in_time_is_void(void **state)
{
    struct room *r = *state;
    r->cfg.timeout_ns = 100 * ROOM_MS;
    room_add_subject(r, "mute", "", "sleep 1000", "");
    expect_taken_out_for(r, "no answer from the trial in time");
}

/* What is told of deliveries: three hashes, for the six samples of a warm-up and two blocks there and back. */
#define TRIO(hash) "[\\\"" hash "\\\", \\\"" hash "\\\", \\\"" hash "\\\"]"
#define MARKS(set, order) "\\\"extra\\\": {\\\"set_at\\\": " TRIO(set) ", \\\"order_at\\\": " TRIO(order) "}"

static void among_builds_one_that_hides_what_it_delivers_has_failed(void **state)
{
    struct room *r = *state;
    r->cfg.builds = true;
    room_add_subject(r, "a", "", ":", MARKS("1", "1"));
    room_add_subject(r, "b", "", ":", "");
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(room_count_void(&r->result), 2);
    assert_string_equal(r->result.arms[1].failure, "tells nothing of what it delivered, as 'a' does");
    assert_null(r->result.arms[0].failure);
}

static void other_loaders_need_not_tell_what_they_deliver(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", MARKS("1", "1"));
    room_add_subject(r, "b", "", ":", "");
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(room_count_void(&r->result), 0);
}

static void arms_that_deliver_other_samples_are_void(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", MARKS("1", "1"));
    room_add_subject(r, "b", "", ":", MARKS("2", "1"));
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(room_count_void(&r->result), 2);
    assert_non_null(r->result.arms[1].failure);
    assert_non_null(strstr(r->result.arms[1].failure, "other samples than 'a'"));
}

/* It rests long enough to pass for asleep where it cannot be stopped (a launcher), and then computes: in its own session
 * that is seen. What starts in another session belongs to no tree and is not. */
static void cpu_time_of_a_tree_that_should_sleep_voids_the_block(void **state)
{
    struct room *r = *state;
    char *quiet = room_subject("", "sleep 0.05", "");
    char *sly = room_subject(
        "",
        "if [ $n = 1 ]; then (while sleep 0.01; do i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; "
        "done) </dev/null >/dev/null & fi",
        "");
    room_add(r, "quiet", quiet, 0);
    room_add(r, "sly", sly, 0);
    free(quiet);
    free(sly);
    r->cfg.launcher = "env";
    r->cfg.invocations = 2;
    int rc = room_run(r);
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
    room_add_subject(r, "a", "", "sleep 0.02", "");
    room_add_subject(r, "b", "", "sleep 0.02", "");
    r->cfg.launcher = "env";
    r->cfg.invocations = 2;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < r->result.invocations[0].trials[k].nturns; t++)
            assert_null(r->result.invocations[0].trials[k].turns[t].void_reason);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        ROOM_CASE(a_trial_that_fails_voids_the_invocation_for_all),
        ROOM_CASE(an_arm_that_fails_twice_in_a_row_is_taken_out),
        ROOM_CASE(when_no_arm_is_left_the_session_says_why),
        ROOM_CASE(a_placement_that_did_not_hold_is_void),
        ROOM_CASE(a_turn_without_samples_is_void),
        ROOM_CASE(a_turn_told_too_short_is_void),
        ROOM_CASE(time_untold_in_one_turn_voids_its_block),
        ROOM_CASE(a_subject_that_does_not_tell_its_untimed_part_is_named_once),
        ROOM_CASE(one_turn_that_was_held_up_does_not_size_the_others),
        ROOM_CASE(a_trial_that_fails_in_the_second_turn_of_the_pilot_is_void),
        ROOM_CASE(what_a_trial_leaves_in_a_session_of_its_own_is_named_and_killed),
        ROOM_CASE(a_child_of_the_program_itself_outlives_the_session),
        ROOM_CASE(a_trial_that_does_not_answer_in_time_is_void),
        ROOM_CASE(among_builds_one_that_hides_what_it_delivers_has_failed),
        ROOM_CASE(other_loaders_need_not_tell_what_they_deliver),
        ROOM_CASE(arms_that_deliver_other_samples_are_void),
        ROOM_CASE(cpu_time_of_a_tree_that_should_sleep_voids_the_block),
        ROOM_CASE(a_quiet_tree_under_a_launcher_voids_nothing),
    };
    return CASES(tests);
}
