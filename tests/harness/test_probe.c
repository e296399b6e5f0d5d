/* The probe: what a BLAS decides while it is loaded is seen in a child, with each of its builds that is installed. */
#include "harness/probe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builds.h"
#include "child.h"
#include "harness/affinity.h"
#include "testing/cmocka.h"

static struct probe probe_with(const char *const *set, int threads)
{
    struct probe_request request = {.set = set, .threads = threads, .size = 256, .work_ns = 2e6};
    struct probe p;
    struct err err = {0};
    if (harness_probe("/proc/self/exe", &request, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static void the_child_says_what_it_is(void **state)
{
    (void)state;
    struct probe p = probe_with(NULL, 1);
    assert_non_null(strstr(p.config, "OpenBLAS"));
    assert_true(p.exact);
    assert_true(p.gflop_per_s > 0.01);
    assert_true(p.threads_at_load >= 1);
    assert_true(isfinite(p.spin_ns) && p.spin_ns >= 0);
    harness_probe_fini(&p);
}

static void a_variable_set_for_the_child_takes_effect_there(void **state)
{
    (void)state;
    const char *const set[] = {"OPENBLAS_NUM_THREADS=1", NULL};
    struct probe p = probe_with(set, 1);
    assert_int_equal(p.threads_at_load, 1);
    harness_probe_fini(&p);
    assert_null(getenv("OPENBLAS_NUM_THREADS"));
}

static void a_variable_can_be_taken_from_the_child(void **state)
{
    (void)state;
    const char *const unset[] = {"OPENBLAS_CORETYPE", NULL};
    struct probe_request request = {.unset = unset, .size = 64, .work_ns = 1e5};
    struct probe without, with;
    struct probe plain = probe_with(NULL, 1);
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    assert_int_equal(harness_probe("/proc/self/exe", &request, &without, NULL), 0);
    with = probe_with(NULL, 1);
    unsetenv("OPENBLAS_CORETYPE");
    assert_string_equal(without.core, plain.core);
    if (strcmp(with.core, "Prescott"))
        print_message("this build has no Prescott kernels: that half is not shown\n");
    else
        assert_string_not_equal(with.core, "");
    harness_probe_fini(&plain);
    harness_probe_fini(&without);
    harness_probe_fini(&with);
}

static void a_program_that_is_no_probe_is_told(void **state)
{
    (void)state;
    struct probe p;
    struct err err = {0};
    assert_int_equal(harness_probe("/bin/echo", &(struct probe_request){0}, &p, &err), -EPROTO);
    assert_non_null(strstr(err.text, "probe 1 768"));
    err = (struct err){0};
    assert_int_equal(harness_probe("/no/such/program", &(struct probe_request){0}, &p, &err), -ENOENT);
}

static void a_child_that_dies_is_told_with_its_signal(void **state)
{
    (void)state;
    struct probe p;
    struct err err = {0};
    setenv("TEST_PROBE_DIES", "1", 1);
    assert_int_equal(harness_probe("/proc/self/exe", &(struct probe_request){0}, &p, &err), -EILSEQ);
    unsetenv("TEST_PROBE_DIES");
    assert_non_null(strstr(err.text, "Illegal instruction"));
}

/* ---- the three builds ---- */

static void build_is_told_apart(const char *build, const char *threading, int threads)
{
    char path[256];
    const char *const set[] = {library_path(build, path, sizeof path), NULL};
    struct probe p = probe_with(set, threads);
    assert_string_equal(p.threading, threading);
    assert_true(p.exact);
    harness_probe_fini(&p);
}

static void the_pthread_build_works_and_says_so(void **state)
{
    (void)state;
    build_is_told_apart("pthread", "pthread", 2);
}

static void the_openmp_build_works_and_says_so(void **state)
{
    (void)state;
    build_is_told_apart("openmp", "openmp", 2);
}

static void the_serial_build_works_and_says_so(void **state)
{
    (void)state;
    build_is_told_apart("serial", "serial", 1);
}

/* Field case: the OpenMP runtime binds the thread that loads it, and every worker started later inherits that. */
static void omp_proc_bind_true_resets_the_mask_at_load(void **state)
{
    (void)state;
    char path[256];
    const char *const without[] = {library_path("openmp", path, sizeof path), NULL};
    const char *const with[] = {without[0], "OMP_PROC_BIND=TRUE", "OMP_PLACES=threads", NULL};
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        print_message("one CPU: a mask cannot shrink\n");
        skip();
    }
    struct probe free_one = probe_with(without, 2), bound = probe_with(with, 2);
    assert_false(harness_affinity_equal(free_one.allowed, bound.allowed));
    harness_probe_fini(&free_one);
    harness_probe_fini(&bound);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "probe")) {
        if (getenv("TEST_PROBE_DIES"))
            __builtin_trap();
        return child_probe(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_says_what_it_is),
        cmocka_unit_test(a_variable_set_for_the_child_takes_effect_there),
        cmocka_unit_test(a_variable_can_be_taken_from_the_child),
        cmocka_unit_test(a_program_that_is_no_probe_is_told),
        cmocka_unit_test(a_child_that_dies_is_told_with_its_signal),
        cmocka_unit_test(the_pthread_build_works_and_says_so),
        cmocka_unit_test(the_openmp_build_works_and_says_so),
        cmocka_unit_test(the_serial_build_works_and_says_so),
        cmocka_unit_test(omp_proc_bind_true_resets_the_mask_at_load),
    };
    return CASES(tests);
}
