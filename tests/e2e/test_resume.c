/* Ended from outside, and gone on with: the file is as its schema says, and holds one session. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "results/io.h"
#include "testing/cmocka.h"

static const uint64_t MS = 1000000;
enum { INVOCATIONS = 10 };

#define SESSION "--runs 10 --blocks 1 --turn 3ms --unfit-ok --no-plots -q -o t.jsonl"

static size_t invocations_in(const struct program *p)
{
    static const char mark[] = "\"type\":\"invocation\"";
    char *text = program_file(p, "t.jsonl");
    size_t n = 0;
    for (const char *s = text; s && (s = strstr(s, mark)); s++)
        n++;
    free(text);
    return n;
}

/* Ends it once so many invocations are in the file. */
static void end_after(struct program *p, size_t invocations, int number)
{
    for (int i = 0; i < 60000 && invocations_in(p) < invocations; i++)
        clock_sleep_ns(MS);
    kill(p->pid, number);
    program_wait(p, 20000 * MS);
}

static void check_whole(const struct program *p, size_t pauses)
{
    char path[256];
    struct result r;
    snprintf(path, sizeof path, "%s/t.jsonl", p->folder);
    program_check_result(p, "t.jsonl", false);
    assert_int_equal(result_read(path, &r, NULL), 0);
    assert_true(r.complete && !r.interrupted && !r.damage);
    assert_int_equal(r.npauses, pauses);
    for (size_t i = 0; i < r.ninvocations; i++)
        assert_int_equal(r.invocations[i].index, i);
    assert_true(r.ninvocations >= INVOCATIONS);
    result_fini(&r);
}

/* Killed, interrupted, and then left alone. */
static void stop_twice_and_finish(const char *begin, const char *resume)
{
    struct program p;
    program_init(&p);
    program_start(&p, begin);
    end_after(&p, 2, SIGKILL);
    program_start(&p, resume);
    end_after(&p, 4, SIGINT);
    int code = program_run(&p, resume);
    char *err = program_err(&p);
    if (code)
        fail_msg("exit %d: %s", code, err);
    free(err);
    check_whole(&p, 2);
    assert_int_equal(program_fini(&p), 0);
}

static void a_tune_that_was_stopped_twice_is_one_session(void **state)
{
    (void)state;
    stop_twice_and_finish("exec \"$LB\" tune --transform gemm=64 -j 0,1 -t 1 " SESSION,
                          "exec \"$LB\" tune --resume t.jsonl --unfit-ok --no-plots -q");
}

static void a_run_of_a_suite_that_is_gone_goes_on_from_its_file(void **state)
{
    (void)state;
    stop_twice_and_finish(
        "printf 'workload:\\n  transform: gemm=64\\nsweeps:\\n  - workers: [0, 1]\\n' >s.yaml;"
        "exec \"$LB\" run s.yaml " SESSION,
        "rm -f s.yaml; exec \"$LB\" run --resume t.jsonl --unfit-ok --no-plots -q");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tune_that_was_stopped_twice_is_one_session),
        cmocka_unit_test(a_run_of_a_suite_that_is_gone_goes_on_from_its_file),
    };
    return CASES(tests);
}
