/* What differs between two environments, and what of it decides. */
#include "results/fingerprint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "testing/cmocka.h"

static const char here[] = "{\"cpu\":{\"model\":\"AMD EPYC\",\"cpus\":2,\"cfs_quota_cpus\":null},"
                           "\"software\":{\"libc\":\"2.36\",\"blas\":{\"core\":\"Zen\"}},\"variables\":{}}";

static struct fingerprint_differences differences(const char *a, const char *b)
{
    struct fingerprint_differences d;
    struct err err = {0};
    if (result_fingerprint_compare(a, b, &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static void an_environment_is_equal_to_itself(void **state)
{
    (void)state;
    struct fingerprint_differences d = differences(here, here);
    assert_int_equal(d.n, 0);
    result_fingerprint_differences_fini(&d);
    d = differences(NULL, NULL);
    assert_int_equal(d.n, 0);
}

static void one_difference(const char *b, const char *path, const char *x, const char *y, int decides)
{
    struct fingerprint_differences d = differences(here, b);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.item[0].path, path);
    assert_string_equal(d.item[0].a, x);
    assert_string_equal(d.item[0].b, y);
    assert_int_equal(d.item[0].decides, decides);
    assert_int_equal(d.ndecide, decides);
    result_fingerprint_differences_fini(&d);
}

static void a_layout_is_told_by_its_hash_already(void **state)
{
    (void)state;
    struct fingerprint_differences d =
        differences("{\"cpu\":{\"layout\":\"0:0.0.0.0\"}}", "{\"cpu\":{\"layout\":\"0:0.0.0.0 1:0.0.0.1\"}}");
    assert_int_equal(d.n, 0);
    d = differences("{\"cpu\":{\"layout\":\"0:0.0.0.0\",\"topology_hash\":\"a\"}}",
                    "{\"cpu\":{\"topology_hash\":\"b\"}}");
    assert_int_equal(d.n, 1);
    assert_string_equal(d.item[0].path, "cpu.topology_hash");
    result_fingerprint_differences_fini(&d);
}

static void another_cpu_or_blas_kernel_decides(void **state)
{
    (void)state;
    one_difference(
        "{\"cpu\":{\"model\":\"Xeon\",\"cpus\":2},\"software\":{\"libc\":\"2.36\",\"blas\":{\"core\":"
        "\"Zen\"}},\"variables\":{}}",
        "cpu.model", "AMD EPYC", "Xeon", 1);
    one_difference("{\"cpu\":{\"model\":\"AMD EPYC\",\"cpus\":2},\"software\":{\"libc\":\"2.36\",\"blas\":{"
                   "\"core\":\"Prescott\"}},\"variables\":{}}",
                   "software.blas.core", "Zen", "Prescott", 1);
}

static void another_libc_is_worth_a_line_and_does_not_decide(void **state)
{
    (void)state;
    one_difference("{\"cpu\":{\"model\":\"AMD EPYC\",\"cpus\":2.0},\"software\":{\"libc\":\"2.41\",\"blas\":{"
                   "\"core\":\"Zen\"}}}",
                   "software.libc", "2.36", "2.41", 0);
}

static void a_quota_or_a_variable_that_only_one_has_decides(void **state)
{
    (void)state;
    one_difference(
        "{\"cpu\":{\"model\":\"AMD EPYC\",\"cpus\":2,\"cfs_quota_cpus\":1.5},\"software\":{\"libc\":"
        "\"2.36\",\"blas\":{\"core\":\"Zen\"}},\"variables\":{}}",
        "cpu.cfs_quota_cpus", "nothing", "1.5", 1);
    one_difference("{\"cpu\":{\"model\":\"AMD EPYC\",\"cpus\":2},\"software\":{\"libc\":\"2.36\",\"blas\":{"
                   "\"core\":\"Zen\"}},\"variables\":{\"OMP_PROC_BIND\":\"TRUE\"}}",
                   "variables.OMP_PROC_BIND", "nothing", "TRUE", 1);
}

static void of_long_lists_only_the_words_that_differ_are_told(void **state)
{
    (void)state;
    static const char common[] =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr";
    char a[400], b[400];
    snprintf(a, sizeof a, "{\"cpu\":{\"flags\":\"%s avx2\"}}", common);
    snprintf(b, sizeof b, "{\"cpu\":{\"flags\":\"%s avx2 avx512f vnni\"}}", common);
    struct fingerprint_differences d = differences(a, b);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.item[0].a, "no word more");
    assert_string_equal(d.item[0].b, "avx512f vnni");
    result_fingerprint_differences_fini(&d);
}

static void those_that_decide_are_told_first(void **state)
{
    (void)state;
    struct fingerprint_differences d =
        differences("{\"software\":{\"libc\":\"1\"},\"cpu\":{\"model\":\"x\"}}",
                    "{\"software\":{\"libc\":\"2\"},\"cpu\":{\"model\":\"y\"}}");
    struct text t = {0};
    result_fingerprint_differences_text(&d, &t);
    assert_string_equal(text_get(&t), "  cpu.model: 'x' against 'y'\n  software.libc: '1' against '2'\n");
    text_fini(&t);
    result_fingerprint_differences_fini(&d);
}

static void an_unknown_environment_differs_from_a_known_one(void **state)
{
    (void)state;
    struct fingerprint_differences d = differences(NULL, here);
    assert_int_equal(d.ndecide, 1);
    assert_string_equal(d.item[0].a, "nothing");
    result_fingerprint_differences_fini(&d);
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    struct fingerprint_differences d;
    struct err err = {0};
    assert_int_equal(result_fingerprint_compare("[1]", here, &d, &err), -EINVAL);
    assert_non_null(strstr(err.text, "first"));
    err = (struct err){0};
    assert_int_equal(result_fingerprint_compare(here, "{", &d, &err), -EINVAL);
    assert_non_null(strstr(err.text, "second"));
    assert_null(d.item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_environment_is_equal_to_itself),
        cmocka_unit_test(a_layout_is_told_by_its_hash_already),
        cmocka_unit_test(another_cpu_or_blas_kernel_decides),
        cmocka_unit_test(another_libc_is_worth_a_line_and_does_not_decide),
        cmocka_unit_test(a_quota_or_a_variable_that_only_one_has_decides),
        cmocka_unit_test(of_long_lists_only_the_words_that_differ_are_told),
        cmocka_unit_test(those_that_decide_are_told_first),
        cmocka_unit_test(an_unknown_environment_differs_from_a_known_one),
        cmocka_unit_test(what_is_no_object_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
