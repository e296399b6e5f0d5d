/* From lists to arms. */
#include "harness/plan.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "harness/check.h"
#include "testing/cmocka.h"

static const struct workload workload = {.data = (char *)"synthetic:64",
                                         .transform = (char *)"gemm=8",
                                         .sampler = (char *)"sequential",
                                         .batch_size = 3};

static void assert_workers(int budget, const int *want, size_t n)
{
    int got[64];
    assert_int_equal(plan_default_workers(budget, got, 64), n);
    assert_memory_equal(got, want, n * sizeof *want);
}

static void the_default_sweep_goes_to_twice_the_budget(void **state)
{
    (void)state;
    assert_workers(1, (int[]){0, 1, 2}, 3);
    assert_workers(2, (int[]){0, 1, 2, 3, 4}, 5);
    assert_workers(4, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
    assert_workers(8, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 16}, 10);
    assert_workers(12, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 24}, 11);
    assert_workers(64, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128}, 13);
}

static void the_default_sweep_keeps_to_its_room(void **state)
{
    (void)state;
    int got[4] = {-1, -1, -1, -1};
    assert_int_equal(plan_default_workers(64, got, 3), 3);
    assert_int_equal(got[3], -1);
    assert_int_equal(plan_default_workers(64, got, 0), 0);
    assert_int_equal(plan_default_threads(64, got, 1), 1);
}

static void the_default_threads_are_one_and_all(void **state)
{
    (void)state;
    int got[4];
    assert_int_equal(plan_default_threads(1, got, 4), 1);
    assert_int_equal(got[0], 1);
    assert_int_equal(plan_default_threads(8, got, 4), 2);
    assert_int_equal(got[1], 8);
}

static void a_sweep_names_what_differs(void **state)
{
    (void)state;
    struct result r = {0};
    size_t left_out;
    const int workers[] = {0, 1, 2}, threads[] = {1, 2};
    struct plan_axes axes = {.workers = workers, .nworkers = 3, .threads = threads, .nthreads = 2};
    assert_int_equal(plan_sweep(&r, &axes, &workload, 0, &left_out, NULL), 0);
    static const char *const names[] = {"main process x 1 thread", "main process x 2 threads",
                                        "1 worker x 1 thread",     "1 worker x 2 threads",
                                        "2 workers x 1 thread",    "2 workers x 2 threads"};
    assert_int_equal(r.narms, 6);
    assert_int_equal(left_out, 0);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(r.arms[i].name, names[i]);
        assert_string_equal(r.arms[i].subject, "core");
        assert_string_equal(r.arms[i].setting.affinity, "scatter");
        assert_string_equal(r.arms[i].setting.backend, i < 2 ? "inline" : "process");
        assert_int_equal(r.arms[i].setting.prefetch_factor, i < 2 ? 0 : 2);
        assert_int_equal(r.arms[i].workload.batch_size, 3);
        assert_int_equal(r.dropped_at_look[i], 0);
    }
    assert_int_equal(r.arms[1].cpus_asked, 2);
    assert_int_equal(r.arms[5].cpus_asked, 4);
    assert_ptr_not_equal(r.arms[0].workload.data, workload.data); /* copied */
    result_fini(&r);
}

static void axes_with_more_than_one_value_are_in_the_name(void **state)
{
    (void)state;
    struct result r = {0};
    size_t left_out;
    const int workers[] = {0, 1}, threads[] = {1}, prefetch[] = {1, 4};
    static const char *const affinity[] = {"none", "compact"}, *const backend[] = {"process", "thread"};
    struct plan_axes axes = {.workers = workers,
                             .nworkers = 2,
                             .threads = threads,
                             .nthreads = 1,
                             .affinity = affinity,
                             .naffinity = 2,
                             .backend = backend,
                             .nbackend = 2,
                             .prefetch = prefetch,
                             .nprefetch = 2};
    assert_int_equal(plan_sweep(&r, &axes, &workload, 0, &left_out, NULL), 0);
    assert_int_equal(r.narms, 2 + 2 * 2 * 2); /* backend and prefetch do not matter without workers */
    assert_string_equal(r.arms[0].name, "main process x 1 thread, none");
    assert_string_equal(r.arms[2].name, "1 worker x 1 thread, none, process, prefetch 1");
    assert_string_equal(r.arms[9].name, "1 worker x 1 thread, compact, thread, prefetch 4");
    for (size_t i = 0; i < r.narms; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(r.arms[i].name, r.arms[j].name);
    result_fini(&r);
}

static void too_many_threads_are_left_out_and_counted(void **state)
{
    (void)state;
    struct result r = {0};
    size_t left_out;
    const int workers[] = {0, 1, 4, 4096}, threads[] = {1, 8, 4096};
    struct plan_axes axes = {.workers = workers, .nworkers = 4, .threads = threads, .nthreads = 3};
    assert_int_equal(plan_sweep(&r, &axes, &workload, 8, &left_out, NULL), 0);
    /* 0 x each, 1 x 1, 1 x 8, 4 x 1 stay */
    assert_int_equal(r.narms + left_out, 12);
    assert_int_equal(r.narms, 6);
    result_fini(&r);
}

static void unknown_words_name_the_nearest(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{"scattr", "process", "did you mean 'scatter'?"},
                                          {"none", "thred", "did you mean 'thread'?"},
                                          {"none", "", "unknown backend ''"}};
    for (size_t i = 0; i < 3; i++) {
        struct result r = {0};
        struct err err = {0};
        struct setting s = {.workers = 1,
                            .threads = 1,
                            .prefetch_factor = 2,
                            .affinity = (char *)rows[i][0],
                            .backend = (char *)rows[i][1]};
        assert_int_equal(plan_add(&r, NULL, "core", &workload, &s, &err), -EINVAL);
        assert_non_null(strstr(err.text, rows[i][2]));
        assert_int_equal(r.narms, 0);
        result_fini(&r);
    }
}

static void an_arm_without_workers_has_no_unknown_backend(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"inline", ""},
                                          {"thraed", "unknown backend 'thraed' (did you mean 'thread'?)"}};
    for (size_t i = 0; i < 2; i++) {
        struct result r = {0};
        struct err err = {0};
        struct setting s = {.threads = 1, .affinity = (char *)"none", .backend = (char *)rows[i][0]};
        assert_int_equal(plan_add(&r, NULL, "core", &workload, &s, &err), i ? -EINVAL : 0);
        assert_string_equal(err.text, rows[i][1]);
        result_fini(&r);
    }
}

static void an_arm_keeps_the_name_and_subject_it_was_given(void **state)
{
    (void)state;
    struct result r = {0};
    struct setting s = {.workers = 2,
                        .threads = 3,
                        .prefetch_factor = 1,
                        .affinity = (char *)"none",
                        .backend = (char *)"thread"};
    assert_int_equal(plan_add(&r, "mine", "python3 x.py", &workload, &s, NULL), 0);
    assert_int_equal(plan_add(&r, NULL, "core", &workload, &s, NULL), 0);
    assert_string_equal(r.arms[0].name, "mine");
    assert_string_equal(r.arms[0].subject, "python3 x.py");
    assert_string_equal(r.arms[1].name, "2 workers x 3 threads");
    assert_int_equal(r.arms[1].cpus_asked, 6);
    result_fini(&r);
}

/* Slots of 1, 5, 9 batches of 3 samples of 100 bytes: 300, 1500, 2700. */
static void so_many_arms_are_alive_together_as_the_largest_of_them_fit(void **state)
{
    (void)state;
    struct result r = {0};
    struct setting s = {
        .threads = 1, .prefetch_factor = 2, .affinity = (char *)"none", .backend = (char *)"process"};
    for (s.workers = 0; s.workers <= 4; s.workers += 2)
        assert_int_equal(plan_add(&r, NULL, "core", &workload, &s, NULL), 0);
    const struct {
        double bytes;
        int arms;
    } rows[] = {{4500, 3}, {4499, 2}, {4200, 2}, {4199, 1}, {2699, 0}};
    double need;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(harness_together(&r, 100, rows[i].bytes, &need, NULL), rows[i].arms);
    assert_true(need == 4200); /* of the largest two */
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_sweep_goes_to_twice_the_budget),
        cmocka_unit_test(the_default_sweep_keeps_to_its_room),
        cmocka_unit_test(the_default_threads_are_one_and_all),
        cmocka_unit_test(a_sweep_names_what_differs),
        cmocka_unit_test(axes_with_more_than_one_value_are_in_the_name),
        cmocka_unit_test(too_many_threads_are_left_out_and_counted),
        cmocka_unit_test(unknown_words_name_the_nearest),
        cmocka_unit_test(an_arm_without_workers_has_no_unknown_backend),
        cmocka_unit_test(so_many_arms_are_alive_together_as_the_largest_of_them_fit),
        cmocka_unit_test(an_arm_keeps_the_name_and_subject_it_was_given),
    };
    return CASES(tests);
}
