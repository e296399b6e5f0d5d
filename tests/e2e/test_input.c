/* Bad input: one line that names it, exit code 2, and nothing was measured or printed as a result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "testing/cmocka.h"

static int lines_in(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void expect_refusal(const char *script, const char *words, int code)
{
    struct program p;
    program_init(&p);
    int got = program_run(&p, script);
    char *out = program_out(&p), *err = program_err(&p);
    if (got != code || *out || lines_in(err) != 1 || !strstr(err, words) || strncmp(err, "loaderbench", 11))
        fail_msg("%s: exit %d, stdout '%s', stderr '%s' (should hold '%s')", script, got, out, err, words);
    assert_int_equal(tagged_count(p.tag), 0);
    free(out);
    free(err);
    assert_int_equal(program_fini(&p), 0);
}

static void bad_values_are_named_with_their_limits(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"--workers", "--workers takes an argument"},
        {"--wrokers 1", "--workers"},
        {"--transform gemn=64", "'gemm'"},
        {"--transform gemm=0", "0 is outside 1 to"},
        {"--transform gemm=64,,", "gemm=64,,"},
        {"--workers -1", "-1"},
        {"--workers 2147483648", "2147483648"},
        {"--workers 99999999999999999999", "99999999999999999999"},
        {"--workers 1,x", "x"},
        {"--workers ''", "--workers"},
        {"--threads 0", "0"},
        {"--threads al", "al"},
        {"--budget 0", "--budget"},
        {"--budget -5s", "-5s"},
        {"--budget 5x", "5x"},
        {"--batch-size 0", "0"},
        {"--level 2", "--level"},
        {"--margin 0", "--margin"},
        {"--affinity scater", "'scatter'"},
        {"--backend thred", "'thread'"},
        {"--data nonsense", "nonsense"},
        {"--data images:/nonexistent --transform ''", "/nonexistent"},
        {"surplus", "surplus"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[256];
        snprintf(script, sizeof script, "exec \"$LB\" tune -o x.jsonl %s", rows[i][0]);
        expect_refusal(script, rows[i][1], 2);
    }
}

static void a_result_path_that_cannot_be_written_is_told_first(void **state)
{
    (void)state;
    expect_refusal("exec \"$LB\" tune --transform gemm=8 -o /nonexistent/x.jsonl", "/nonexistent/x.jsonl", 2);
    expect_refusal("exec \"$LB\" tune --transform gemm=8 -o .", "'.'", 2);
    expect_refusal("exec \"$LB\" tune --transform gemm=8 -o /dev/full", "/dev/full", 2);
    expect_refusal("exec \"$LB\" tune --transform gemm=8 -o ''", "--output: '' names no file", 2);
}

static void a_result_that_is_there_is_not_overwritten(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(&p, "echo mine >x.jsonl; exec \"$LB\" tune --transform gemm=8 -o x.jsonl");
    char *text = program_file(&p, "x.jsonl"), *err = program_err(&p);
    assert_int_equal(code, 2);
    assert_string_equal(text, "mine\n");
    assert_non_null(strstr(err, "x.jsonl"));
    free(text);
    free(err);
    assert_int_equal(program_fini(&p), 0);
}

/* A file system of so many KiB in the folder `full`, in a mount namespace of its own. */
#define ON_A_SMALL_DISK(kib, before)                                                                         \
    "mkdir full; exec unshare -m sh -c 'mount -t tmpfs -o size=" kib "k none full || exit 77; " before       \
    " exec \"$LB\" tune --unfit-ok --transform gemm=8 --workers 0 --threads 1 --runs 40 --blocks 1 "         \
    "--no-plots -o "                                                                                         \
    "full/x.jsonl'"

static void need_mounts(void)
{
    struct program p;
    program_init(&p);
    int code = program_run(&p, "mkdir d && unshare -m mount -t tmpfs none d");
    program_fini(&p);
    if (code) {
        print_message("skipped: no file system can be mounted here (needs root)\n");
        skip();
    }
}

static void a_full_disk_is_told_before_anything_is_measured(void **state)
{
    (void)state;
    need_mounts();
    expect_refusal(ON_A_SMALL_DISK("4", "head -c 4096 /dev/zero >full/rest;"), "No space left on device", 2);
}

static void a_disk_that_fills_up_ends_it_with_a_line(void **state)
{
    (void)state;
    need_mounts();
    struct program p;
    program_init(&p);
    int code = program_run(&p, ON_A_SMALL_DISK("16", ":;"));
    char *out = program_out(&p), *err = program_err(&p);
    if (code != 5 || !strstr(err, "full/x.jsonl") || !strstr(err, "No space left on device"))
        fail_msg("exit %d: '%s'", code, err);
    assert_non_null(strstr(out, "main process x 1 thread")); /* what was measured is shown */
    free(out);
    free(err);
    assert_int_equal(program_fini(&p), 0);
}

static void one_cpu_is_a_budget_of_one(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(
        &p,
        "cpu=$(taskset -cp $$ | sed 's/.*: //;s/[,-].*//'); exec taskset -c \"$cpu\" \"$LB\" tune --dry-run");
    char *out = program_out(&p);
    assert_int_equal(code, 0);
    assert_non_null(strstr(out, "CPU budget: 1 (affinity mask; "));
    assert_null(strstr(out, "x 2 threads")); /* "all" is one here */
    assert_null(strstr(out, "3 workers"));
    free(out);
    assert_int_equal(program_fini(&p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_values_are_named_with_their_limits),
        cmocka_unit_test(a_result_path_that_cannot_be_written_is_told_first),
        cmocka_unit_test(a_result_that_is_there_is_not_overwritten),
        cmocka_unit_test(a_full_disk_is_told_before_anything_is_measured),
        cmocka_unit_test(a_disk_that_fills_up_ends_it_with_a_line),
        cmocka_unit_test(one_cpu_is_a_budget_of_one),
    };
    return CASES(tests);
}
