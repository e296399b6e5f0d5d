/* Subjects of all kinds, most of them bad: each is a few words of shell. */
#include "harness/subject.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "testing/cmocka.h"
#include "testing/tagged.h"

static const uint64_t MS = 1000000;

struct room {
    struct harness_guardian *guardian;
    struct subject subject;
    char tag[TAG_BYTES];
};

static int set_up(void **state)
{
    struct room *r = calloc(1, sizeof *r);
    struct err err = {0};
    tag_processes(r->tag);
    *state = r;
    return harness_guardian_open(&r->guardian, &err);
}

/* Whatever a case did, nothing of it is left. */
static int tear_down(void **state)
{
    struct room *r = *state;
    struct err err = {0};
    int rc = subject_end(&r->subject, &err);
    int left = tagged_left(r->tag, 1000 * MS);
    tagged_kill(r->tag);
    harness_guardian_close(r->guardian);
    free(r);
    if (rc || left)
        print_error("%d processes are left: %s\n", left, err.text);
    return rc || left;
}

static struct subject *start(void **state, const char *script)
{
    struct room *r = *state;
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    struct err err = {0};
    if (subject_start(&r->subject, argv, r->guardian, &err))
        fail_msg("%s", err.text);
    return &r->subject;
}

static int ask(struct subject *s, uint64_t timeout_ns, json_t **answer, struct err *err)
{
    *err = (struct err){0};
    return subject_ask(s, json_pack("{s:{}}", "turn"), timeout_ns, answer, err);
}

/* The ask fails so, with these words. */
static void expect_failure(struct subject *s, uint64_t timeout_ns, int code, const char *words)
{
    json_t *answer;
    struct err err;
    int rc = ask(s, timeout_ns, &answer, &err);
    if (rc != code || !strstr(err.text, words))
        fail_msg("code %d, not %d: '%s' should hold '%s'", rc, code, err.text, words);
    assert_null(answer);
}

static void expect_answer(struct subject *s, const char *key)
{
    json_t *answer;
    struct err err;
    if (ask(s, 5000 * MS, &answer, &err))
        fail_msg("%s", err.text);
    assert_non_null(json_object_get(answer, key));
    json_decref(answer);
}

static void it_answers_line_by_line(void **state)
{
    struct subject *s = start(state, "while read -r l; do echo \"{\\\"got\\\": $l}\"; done");
    for (int i = 0; i < 5; i++)
        expect_answer(s, "got");
}

static void an_answer_may_come_in_pieces(void **state)
{
    struct subject *s =
        start(state, "read -r l; printf '{\"a'; sleep 0.05; printf '\": 1}'; sleep 0.05; echo; cat");
    expect_answer(s, "a");
}

static void lines_that_came_early_answer_the_next_questions(void **state)
{
    struct subject *s = start(state, "read -r l; printf '{\"a\": 1}\\n{\"b\": 1}\\n{\"c\"'; read -r l; "
                                     "read -r l; printf ': 1}\\n'; cat >/dev/null");
    expect_answer(s, "a");
    expect_answer(s, "b");
    expect_answer(s, "c");
}

static void a_long_answer_is_taken_whole(void **state)
{
    struct subject *s =
        start(state, "read -r l; printf '{\"a\": \"'; head -c 3000000 /dev/zero | tr '\\0' x; "
                     "printf '\"}\\n'; cat >/dev/null");
    expect_answer(s, "a");
}

static void an_answer_that_is_no_json_is_shown(void **state)
{
    expect_failure(start(state, "read -r l; echo Traceback; cat >/dev/null"), 5000 * MS, -EPROTO,
                   "no JSON object: 'Traceback'");
}

static void an_answer_that_is_no_object_is_refused(void **state)
{
    expect_failure(start(state, "read -r l; echo '[1, 2]'; cat >/dev/null"), 5000 * MS, -EPROTO, "[1, 2]");
}

static void an_empty_line_is_no_answer(void **state)
{
    expect_failure(start(state, "read -r l; echo; cat >/dev/null"), 5000 * MS, -EPROTO, "no JSON object");
}

static void an_error_it_tells_is_passed_on(void **state)
{
    expect_failure(start(state, "read -r l; echo '{\"error\": \"no such file: x\"}'; cat >/dev/null"),
                   5000 * MS, -EREMOTEIO, "no such file: x");
}

static void a_line_without_an_end_is_cut_off(void **state)
{
    expect_failure(start(state, "read -r l; exec cat /dev/zero"), 60000 * MS, -EMSGSIZE,
                   "longer than 64 MiB");
}

static void no_answer_is_a_time_out(void **state)
{
    struct subject *s = start(state, "read -r l; exec sleep 1000");
    uint64_t from = clock_now_ns();
    expect_failure(s, 100 * MS, -ETIMEDOUT, "no answer from the trial in time");
    assert_true(clock_now_ns() - from >= 100 * MS);
}

/* A line longer than a pipe takes: a subject that reads nothing must not hold the harness up. */
static void a_subject_that_reads_nothing_is_a_time_out(void **state)
{
    struct subject *s = start(state, "exec sleep 1000");
    char *text = malloc(1000001);
    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    struct err err = {0};
    json_t *answer;
    alarm(20); /* it would wait for ever */
    assert_int_equal(subject_ask(s, json_pack("{s:s}", "spec", text), 200 * MS, &answer, &err), -ETIMEDOUT);
    alarm(0);
    free(text);
}

static void a_long_question_reaches_a_slow_reader(void **state)
{
    struct subject *s = start(state, "sleep 0.2; head -n 1 | wc -c | sed 's/.*/{\"n\": &}/'; cat >/dev/null");
    struct err err = {0};
    json_t *answer;
    char *text = calloc(1, 1000001);
    memset(text, 'x', 1000000);
    if (subject_ask(s, json_pack("{s:s}", "spec", text), 20000 * MS, &answer, &err))
        fail_msg("%s", err.text);
    assert_int_equal(json_integer_value(json_object_get(answer, "n")),
                     1000000 + (int)strlen("{\"spec\":\"\"}\n"));
    json_decref(answer);
    free(text);
}

static void an_exit_code_comes_with_last_words(void **state)
{
    expect_failure(start(state, "read -r l; echo 'first line' >&2; echo 'it is broken' >&2; exit 3"),
                   5000 * MS, -EPIPE, "ended with exit code 3: first line it is broken");
}

static void long_last_words_are_cut_to_their_end(void **state)
{
    struct subject *s =
        start(state, "read -r l; head -c 100000 /dev/zero | tr '\\0' y >&2; echo ' the cause' >&2; exit 1");
    json_t *answer;
    struct err err;
    assert_int_equal(ask(s, 5000 * MS, &answer, &err), -EPIPE);
    assert_non_null(strstr(err.text, "yyyy the cause"));
    assert_true(strlen(err.text) < 300);
}

static void a_death_by_signal_names_the_signal(void **state)
{
    expect_failure(start(state, "read -r l; kill -SEGV $$"), 5000 * MS, -EPIPE, "killed by signal 11");
}

static void a_subject_that_is_gone_before_it_is_asked_is_told(void **state)
{
    struct subject *s = start(state, "echo bye >&2; exit 4");
    clock_sleep_ns(100 * MS);
    expect_failure(s, 5000 * MS, -EPIPE, "exit code 4: bye");
}

static void a_subject_that_closes_its_output_but_lives_is_told(void **state)
{
    expect_failure(start(state, "read -r l; exec >&-; sleep 1000"), 5000 * MS, -EPIPE, "closed its output");
}

static void a_command_that_does_not_exist_is_told(void **state)
{
    struct room *r = *state;
    struct err err = {0};
    const char *argv[] = {"/nonexistent/program", NULL};
    assert_int_equal(subject_start(&r->subject, argv, r->guardian, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/program"));
    assert_int_equal(subject_end(&r->subject, NULL), 0);
    const char *folder[] = {"/tmp", NULL};
    assert_int_equal(subject_start(&r->subject, folder, r->guardian, NULL), -EACCES);
}

static volatile sig_atomic_t stop_flag;

static void set_stop(int number)
{
    (void)number;
    stop_flag = 1;
}

static void a_set_stop_flag_ends_the_wait(void **state)
{
    struct subject *s = start(state, "read -r l; exec sleep 1000");
    stop_flag = 0;
    s->stop = &stop_flag;
    signal(SIGALRM, set_stop);
    ualarm(50000, 0);
    uint64_t from = clock_now_ns();
    expect_failure(s, 20000 * MS, -EINTR, "interrupted");
    assert_true(clock_now_ns() - from < 1000 * MS); /* a second is what a person is promised */
    signal(SIGALRM, SIG_DFL);
}

/* ---- ending ---- */

static void end_leaves_nothing(void **state, int least)
{
    struct room *r = *state;
    expect_answer(&r->subject, "up");
    /* A grandchild may still be on its way from fork to exec, and has no environment to be known by amid the exec: counted
     * again, there may be fewer. */
    int seen = tagged_count(r->tag);
    for (int tries = 0; tries < 1000 && seen < least; tries++) {
        clock_sleep_ns(10 * MS);
        seen = tagged_count(r->tag);
    }
    assert_true(seen >= least);
    struct err err = {0};
    if (subject_end(&r->subject, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tagged_count(r->tag), 0); /* at once: it waited */
}

static void one_that_ignores_signals_is_ended(void **state)
{
    start(state,
          "trap '' TERM INT HUP QUIT PIPE; read -r l; echo '{\"up\": 1}'; while :; do sleep 1000; done");
    end_leaves_nothing(state, 1);
}

static void grandchildren_are_ended_too(void **state)
{
    start(state, "(sleep 1000 & sleep 1000 & wait) & (sleep 1000 &) ; read -r l; echo '{\"up\": 1}'; wait");
    end_leaves_nothing(state, 4);
}

static void grandchildren_in_groups_of_their_own_are_ended_too(void **state)
{
    start(state, "set -m; sleep 1000 & (trap '' TERM; sleep 1000) & read -r l; echo '{\"up\": 1}'; wait");
    end_leaves_nothing(state, 3);
}

static void orphans_are_ended_when_their_parent_is_gone(void **state)
{
    struct room *r = *state;
    struct subject *s = start(state, "set -m; (sleep 1000 & sleep 1000 &) ; read -r l; exit 7");
    expect_failure(s, 5000 * MS, -EPIPE, "exit code 7");
    assert_int_equal(tagged_count(r->tag), 2);
    assert_int_equal(subject_end(s, NULL), 0);
    assert_int_equal(tagged_count(r->tag), 0);
}

static void stopped_trees_are_ended_too(void **state)
{
    struct room *r = *state;
    struct subject *s = start(state, "sleep 1000 & read -r l; echo '{\"up\": 1}'; wait");
    expect_answer(s, "up");
    struct harness_tree *tree = &s->tree;
    assert_int_equal(harness_trees_find(&tree, 1, NULL), 0);
    assert_int_equal(subject_sleep(s, NULL), 0);
    assert_int_equal(subject_end(s, NULL), 0);
    assert_int_equal(tagged_count(r->tag), 0);
}

static void one_that_was_never_started_ends(void **state)
{
    (void)state;
    struct subject s = {0};
    assert_int_equal(subject_end(&s, NULL), 0);
    assert_int_equal(subject_end(&s, NULL), 0);
}

/* ---- sleeping ---- */

static const char busy[] = "set -m; (while :; do :; done) & (while :; do :; done) & read -r l; "
                           "echo '{\"up\": 1}'; while :; do :; done";

static uint64_t cpu_used_in(struct subject *s, uint64_t ns)
{
    uint64_t before = harness_tree_cpu_ns(&s->tree);
    clock_sleep_ns(ns);
    return harness_tree_cpu_ns(&s->tree) - before;
}

static struct subject *start_busy(void **state)
{
    struct subject *s = start(state, busy);
    struct harness_tree *tree = &s->tree;
    expect_answer(s, "up");
    assert_int_equal(harness_trees_find(&tree, 1, NULL), 0);
    assert_int_equal(s->tree.n, 3);
    return s;
}

static void a_sleeping_tree_uses_no_cpu_and_a_woken_one_does(void **state)
{
    struct subject *s = start_busy(state);
    assert_true(cpu_used_in(s, 50 * MS) > 0); /* the twin: awake its clock moves */
    for (int i = 0; i < 5; i++) {
        assert_int_equal(subject_sleep(s, NULL), 0);
        assert_int_equal(harness_tree_awake(&s->tree), 0);
        assert_int_equal(cpu_used_in(s, 50 * MS), 0);
        subject_wake(s);
        assert_int_not_equal(harness_tree_awake(&s->tree), 0);
        assert_true(cpu_used_in(s, 50 * MS) > 0);
    }
}

/* Three that compute on one CPU: two of them wait at any moment. Stopped, they want none. */
static void a_tree_that_waits_for_a_cpu_is_delayed(void **state)
{
    struct subject *s = start_busy(state);
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int c = 0; !CPU_COUNT(&one); c++)
        if (CPU_ISSET(c, &all))
            CPU_SET(c, &one);
    for (size_t i = 0; i < s->tree.n; i++)
        assert_int_equal(sched_setaffinity(s->tree.member[i].pid, sizeof one, &one), 0);
    double before = harness_tree_delay_ns(&s->tree);
    if (isnan(before)) {
        print_message("skipped: the kernel keeps no /proc/pid/schedstat\n");
        skip();
    }
    uint64_t from = clock_now_ns();
    clock_sleep_ns(300 * MS);
    double awake = harness_tree_delay_ns(&s->tree) - before, passed = (double)(clock_now_ns() - from);
    assert_true(awake > 0.5 * passed);
    assert_int_equal(subject_sleep(s, NULL), 0);
    before = harness_tree_delay_ns(&s->tree);
    clock_sleep_ns(300 * MS);
    assert_true(harness_tree_delay_ns(&s->tree) - before < 0.5 * awake);
}

static void the_waiting_way_waits_for_a_tree_that_stands_still(void **state)
{
    struct subject *s = start(state, "read -r l; echo '{\"up\": 1}'; cat >/dev/null");
    struct harness_tree *tree = &s->tree;
    s->rest = SUBJECT_REST_WAIT;
    expect_answer(s, "up");
    assert_int_equal(harness_trees_find(&tree, 1, NULL), 0);
    assert_int_equal(subject_sleep(s, NULL), 0);
    assert_int_not_equal(harness_tree_awake(&s->tree), 0); /* not stopped, just still */
}

static void the_waiting_way_gives_up_on_a_tree_that_never_stands_still(void **state)
{
    struct subject *s = start_busy(state);
    struct err err = {0};
    s->rest = SUBJECT_REST_WAIT;
    assert_int_equal(subject_sleep(s, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "keeps using CPU time"));
}

static void memory_of_a_tree_is_its_share(void **state)
{
    struct subject *s = start_busy(state);
    double bytes = harness_tree_pss_bytes(&s->tree);
    assert_true(bytes > 10e3 && bytes < 1e9);
    struct harness_tree none = {0};
    assert_true(!(harness_tree_pss_bytes(&none) >= 0)); /* not a silent 0 */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    const struct CMUnitTest tests[] = {
        CASE(it_answers_line_by_line),
        CASE(an_answer_may_come_in_pieces),
        CASE(lines_that_came_early_answer_the_next_questions),
        CASE(a_long_answer_is_taken_whole),
        CASE(an_answer_that_is_no_json_is_shown),
        CASE(an_answer_that_is_no_object_is_refused),
        CASE(an_empty_line_is_no_answer),
        CASE(an_error_it_tells_is_passed_on),
        CASE(a_line_without_an_end_is_cut_off),
        CASE(no_answer_is_a_time_out),
        CASE(a_subject_that_reads_nothing_is_a_time_out),
        CASE(a_long_question_reaches_a_slow_reader),
        CASE(an_exit_code_comes_with_last_words),
        CASE(long_last_words_are_cut_to_their_end),
        CASE(a_death_by_signal_names_the_signal),
        CASE(a_subject_that_is_gone_before_it_is_asked_is_told),
        CASE(a_subject_that_closes_its_output_but_lives_is_told),
        CASE(a_command_that_does_not_exist_is_told),
        CASE(a_set_stop_flag_ends_the_wait),
        CASE(one_that_ignores_signals_is_ended),
        CASE(grandchildren_are_ended_too),
        CASE(grandchildren_in_groups_of_their_own_are_ended_too),
        CASE(orphans_are_ended_when_their_parent_is_gone),
        CASE(stopped_trees_are_ended_too),
        CASE(one_that_was_never_started_ends),
        CASE(a_tree_that_waits_for_a_cpu_is_delayed),
        CASE(a_sleeping_tree_uses_no_cpu_and_a_woken_one_does),
        CASE(the_waiting_way_waits_for_a_tree_that_stands_still),
        CASE(the_waiting_way_gives_up_on_a_tree_that_never_stands_still),
        CASE(memory_of_a_tree_is_its_share),
    };
    return CASES(tests);
}
