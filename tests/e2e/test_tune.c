/* `tune` with small budgets: what it leaves behind, and what a placement that does not hold does to it. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "results/io.h"
#include "results/summary.h"
#include "testing/cmocka.h"

static void read_result(const struct program *p, const char *name, struct result *out)
{
    char path[256];
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    if (result_read(path, out, &err))
        fail_msg("%s", err.text);
}

static void expect_in(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
}

static int cpus_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static int valid_invocations(const struct result *r)
{
    int n = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        n += !r->invocations[i].void_reason;
    return n;
}

static void a_small_tune_gives_table_pictures_and_a_result_by_its_schema(void **state)
{
    (void)state;
    struct program p;
    struct result r;
    program_init(&p);
    int code = program_run(&p, "exec \"$LB\" tune --unfit-ok --budget 5s --transform gemm=64 --workers 0,1 "
                               "--threads 1,all -o t.jsonl");
    char *out = program_out(&p), *err = program_err(&p);
    if (code)
        fail_msg("exit %d: %s", code, err);
    static const char *const words[] = {
        "CPU budget: ", "cost/sample",      "main process x 1 thread", "1 worker x 1 thread",
        "<- use this",  "Recommendation: ", "Result: t.jsonl",         "workers.svg first"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect_in(out, words[i]);
    if (cpus_allowed() > 1) /* else "all" is one thread too */
        expect_in(out, "One thread in a worker against all ");
    assert_null(strchr(out, '\033'));
    assert_null(strchr(err, '\033')); /* not a terminal: no line that redraws */
    assert_null(strchr(err, '\r'));
    static const char *const files[] = {"t.jsonl", "t/workers.svg", "t/workers.png", "t/workers.gp",
                                        "t/workers.dat"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!program_has(&p, files[i]))
            fail_msg("%s is missing", files[i]);
    program_check_result(&p, "t.jsonl", false);
    read_result(&p, "t.jsonl", &r);
    assert_true(r.complete && !r.interrupted && !r.damage && valid_invocations(&r) >= 1);
    assert_int_equal(r.looks_planned, 3);
    result_fini(&r);
    free(out);
    free(err);
    assert_int_equal(program_fini(&p), 0); /* nothing of it runs on */
}

static void a_fixed_number_of_runs_is_kept_and_recorded_as_one_look(void **state)
{
    (void)state;
    struct program p;
    struct result r;
    program_init(&p);
    assert_int_equal(
        program_run(
            &p, "exec \"$LB\" tune --unfit-ok --runs 2 --blocks 1 --transform gemm=8 --workers 0 --threads 1 "
                "--no-plots -q -o t.jsonl"),
        0);
    program_check_result(&p, "t.jsonl", false);
    read_result(&p, "t.jsonl", &r);
    assert_int_equal(valid_invocations(&r), 2);
    assert_int_equal(r.looks_planned, 1);
    assert_false(program_has(&p, "t"));
    result_fini(&r);
    assert_int_equal(program_fini(&p), 0);
}

static void the_most_runs_are_kept_although_the_budget_allows_more(void **state)
{
    (void)state;
    struct program p;
    struct result r;
    program_init(&p);
    assert_int_equal(
        program_run(&p, "exec \"$LB\" tune --unfit-ok -m 3 -M 4 --blocks 1 --turn 2ms --transform gemm=8 "
                        "--workers 0,1 --threads 1 --no-plots -q -o t.jsonl"),
        0);
    program_check_result(&p, "t.jsonl", false);
    read_result(&p, "t.jsonl", &r);
    assert_int_equal(valid_invocations(&r), 4);
    assert_int_equal(r.looks_planned, 1);
    result_fini(&r);
    assert_int_equal(program_fini(&p), 0);
}

static void the_default_result_has_date_and_time(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(
        &p, "\"$LB\" tune --unfit-ok --runs 1 --blocks 1 --transform gemm=8 --workers 0 --threads 1 -q "
            "--no-plots; "
            "cd loaderbench-results && ls | grep -qxE "
            "'20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}.jsonl' && mv ./*.jsonl ../t.jsonl");
    assert_int_equal(code, 0);
    program_check_result(&p, "t.jsonl", false);
    assert_int_equal(program_fini(&p), 0);
}

#define SHORT                                                                                                \
    "tune --unfit-ok --runs 1 --blocks 1 --transform gemm=8 --workers 0,1 --threads 1 --no-plots -o t.jsonl"

static void closed_standard_streams_do_no_harm_to_the_result(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        int code;
    } rows[] = {
        {"exec \"$LB\" " SHORT " <&-", 0},
        {"exec \"$LB\" " SHORT " >&-", 5}, /* the table was lost, and that is told */
        {"exec \"$LB\" " SHORT " 2>&-", 0},
        {"exec \"$LB\" " SHORT " <&- >&- 2>&-", 5},
        {"exec \"$LB\" " SHORT " >/dev/full", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        struct result r;
        program_init(&p);
        int code = program_run(&p, rows[i].script);
        if (code != rows[i].code)
            fail_msg("%s: exit %d", rows[i].script, code);
        program_check_result(&p, "t.jsonl", false);
        read_result(&p, "t.jsonl", &r);
        assert_int_equal(valid_invocations(&r), 1);
        result_fini(&r);
        assert_int_equal(program_fini(&p), 0);
    }
}

/* Runs with the arguments, where something undoes the binding: every invocation is void, no setting has a number. */
static void expect_no_number(const char *environment)
{
    struct program p;
    struct result r;
    char script[256];
    program_init(&p);
    snprintf(script, sizeof script, "%s exec \"$LB\" " SHORT, environment);
    int code = program_run(&p, script);
    char *out = program_out(&p), *err = program_err(&p);
    if (code != 5)
        fail_msg("exit %d: %s%s", code, out, err);
    expect_in(err, "placement did not hold");
    expect_in(out, "not measured");
    expect_in(out, "No recommendation");
    program_check_result(&p, "t.jsonl", false);
    read_result(&p, "t.jsonl", &r);
    assert_true(r.ninvocations >= 2);
    assert_int_equal(valid_invocations(&r), 0);
    result_fini(&r);
    free(out);
    free(err);
    assert_int_equal(program_fini(&p), 0);
}

static void a_placement_that_is_undone_never_becomes_a_number(void **state)
{
    (void)state;
    if (cpus_allowed() < 2 || SANITIZED) {
        print_message("skipped: needs two CPUs, and a preloaded library that a sanitizer would not bear\n");
        skip();
    }
    expect_no_number("LD_PRELOAD=\"$SABOTAGE\"");
}

/* The same run without the sabotage has numbers: the twin. */
static void a_placement_that_holds_does(void **state)
{
    (void)state;
    struct program p;
    struct result r;
    program_init(&p);
    assert_int_equal(program_run(&p, "OMP_PROC_BIND=true exec \"$LB\" " SHORT), 0);
    read_result(&p, "t.jsonl", &r);
    assert_int_equal(valid_invocations(&r), 1);
    result_fini(&r);
    assert_int_equal(program_fini(&p), 0);
}

/* expr: what script(1) runs; its output is what a person sees. */
static void on_a_terminal_the_progress_line_redraws(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(&p, "command -v script >/dev/null || exit 77; "
                               "script -qec '\"$LB\" " SHORT " >table' /dev/null");
    if (code == 77) {
        print_message("skipped: script(1) is missing\n");
        program_fini(&p);
        skip();
    }
    char *seen = program_out(&p), *table = program_file(&p, "table");
    assert_int_equal(code, 0);
    expect_in(seen, "\r\033[K");
    expect_in(seen, "invocation 1");
    expect_in(table, "cost/sample");
    assert_null(strchr(table, '\033'));
    free(seen);
    free(table);
    assert_int_equal(program_fini(&p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_tune_gives_table_pictures_and_a_result_by_its_schema),
        cmocka_unit_test(a_fixed_number_of_runs_is_kept_and_recorded_as_one_look),
        cmocka_unit_test(the_most_runs_are_kept_although_the_budget_allows_more),
        cmocka_unit_test(the_default_result_has_date_and_time),
        cmocka_unit_test(closed_standard_streams_do_no_harm_to_the_result),
        cmocka_unit_test(a_placement_that_is_undone_never_becomes_a_number),
        cmocka_unit_test(a_placement_that_holds_does),
        cmocka_unit_test(on_a_terminal_the_progress_line_redraws),
    };
    return CASES(tests);
}
