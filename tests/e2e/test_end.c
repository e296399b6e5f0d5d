/* Being ended from outside: Ctrl-C and its kind, and kill -9, at several moments. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "results/io.h"
#include "testing/cmocka.h"

static const uint64_t MS = 1000000;

static const char script[] =
    "exec \"$LB\" tune --budget 60s --transform gemm=64 --workers 0,1,2 --threads 1 -o t.jsonl";

/* Milliseconds after its start: before it is up, while trials start, in the first turns, later. */
static const uint64_t moments_ms[] = {0, 30, 150, 400, 1000, 2500};

enum { MOMENTS = sizeof moments_ms / sizeof *moments_ms };

static int read_result(const struct program *p, struct result *r)
{
    char path[256];
    struct err err = {0};
    snprintf(path, sizeof path, "%s/t.jsonl", p->folder);
    int rc = result_read(path, r, &err);
    if (rc)
        print_error("%s\n", err.text);
    return rc;
}

/* One that had not made its file yet left none. */
static void check_file(const struct program *p, bool cut, bool interrupted)
{
    struct result r;
    if (!program_has(p, "t.jsonl"))
        return;
    program_check_result(p, "t.jsonl", cut);
    assert_int_equal(read_result(p, &r), 0);
    assert_int_equal(r.interrupted, interrupted);
    assert_int_equal(r.complete, interrupted); /* a footer, or none */
    result_fini(&r);
}

/* Returns the milliseconds it took to end. */
static uint64_t interrupt(int number, uint64_t after_ms, bool group)
{
    struct program p;
    program_init(&p);
    program_start(&p, script);
    clock_sleep_ns(after_ms * MS);
    uint64_t from = clock_now_ns();
    kill(group ? -p.pid : p.pid, number);
    int code = program_wait(&p, 20000 * MS);
    uint64_t took_ms = (clock_now_ns() - from) / MS;
    char *out = program_out(&p), *err = program_err(&p);
    if (code != 130 &&
        !(code == 128 + number && !*out)) /* before its handler is there the signal's own way */
        fail_msg("signal %d after %llu ms: exit %d: %s", number, (unsigned long long)after_ms, code, err);
    assert_int_equal(tagged_count(p.tag), 0); /* when it is gone, so is all it started */
    if (*out) {
        assert_non_null(strstr(out, "main process x 1 thread")); /* the table */
        assert_non_null(strstr(err, "interrupted"));
        assert_true(program_has(&p, "t.jsonl"));
    }
    check_file(&p, false, true);
    free(out);
    free(err);
    assert_int_equal(program_fini(&p), 0);
    return took_ms;
}

static void interrupted_at_any_moment_it_ends_with_130_and_keeps_what_it_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOMENTS; i++)
        interrupt(SIGINT, moments_ms[i], false);
}

/* A person is promised a second. On a machine that others keep busy one of three tries has to make it. */
static void it_ends_within_a_second(void **state)
{
    (void)state;
    uint64_t best_ms = UINT64_MAX;
    for (int i = 0; i < 3 && best_ms > 1000; i++) {
        uint64_t took_ms = interrupt(SIGINT, 2000, true); /* as the terminal does: to the whole group */
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    print_message("ended %llu ms after the signal\n", (unsigned long long)best_ms);
    assert_true(best_ms <= 1000);
}

static void terminated_or_hung_up_it_ends_the_same_way(void **state)
{
    (void)state;
    interrupt(SIGTERM, 1200, false);
    interrupt(SIGHUP, 700, false);
}

/* Most trials are stopped at any moment of a session: those would stay for ever. */
static void killed_at_any_moment_it_leaves_no_process_and_a_readable_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOMENTS; i++) {
        struct program p;
        program_init(&p);
        program_start(&p, script);
        clock_sleep_ns(moments_ms[i] * MS);
        kill(p.pid, SIGKILL);
        assert_int_equal(program_wait(&p, 20000 * MS), 128 + SIGKILL);
        int left = tagged_left(p.tag, 2000 * MS);
        if (left)
            fail_msg("killed after %llu ms: %d processes are left", (unsigned long long)moments_ms[i], left);
        check_file(&p, true, false);
        assert_int_equal(program_fini(&p), 0);
    }
}

static int stopped_among(const char *tag)
{
    pid_t list[TAGGED_MAX];
    int n = tagged_list(tag, list), stopped = 0;
    for (int i = 0; i < n; i++) {
        char pid[16];
        snprintf(pid, sizeof pid, "%d", (int)list[i]);
        stopped += tagged__state(pid) == 'T';
    }
    return stopped;
}

static void killed_while_trials_are_stopped_it_leaves_none(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    program_start(&p, script);
    uint64_t until = clock_now_ns() + 20000 * MS;
    while (stopped_among(p.tag) < 3 && clock_now_ns() < until) /* two trials, one of them with a worker */
        clock_sleep_ns(5 * MS);
    assert_true(stopped_among(p.tag) >= 1);
    kill(p.pid, SIGKILL);
    program_wait(&p, 20000 * MS);
    assert_int_equal(tagged_left(p.tag, 2000 * MS), 0);
    assert_int_equal(program_fini(&p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_at_any_moment_it_ends_with_130_and_keeps_what_it_has),
        cmocka_unit_test(it_ends_within_a_second),
        cmocka_unit_test(terminated_or_hung_up_it_ends_the_same_way),
        cmocka_unit_test(killed_at_any_moment_it_leaves_no_process_and_a_readable_file),
        cmocka_unit_test(killed_while_trials_are_stopped_it_leaves_none),
    };
    return CASES(tests);
}
