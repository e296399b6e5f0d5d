/* Placement as the core reads it back, and what is a mismatch. */
#include "builds.h"
#include "talk.h"

/* Each thread, of the BLAS too, is named with its CPUs and its moves; all of them at the end again. */
static void every_thread_is_read_back(void **state)
{
    (void)state;
    struct talk t;
    struct talk_ask a = talk_plain;
    a.workers = 1;
    a.threads = 3;
    a.transform = "gemm=160";
    talk_after_spec(&a, talk_turns, &t);
    const json_t *placement = json_object_get(json_object_get(t.line[0], "ready"), "placement");
    const json_t *worker = json_array_get(json_object_get(placement, "workers"), 0), *one;
    const json_t *list = json_object_get(worker, "thread"),
                 *extra = json_object_get(json_object_get(t.line[3], "totals"), "extra");
    assert_int_equal(json_array_size(list), talk_number(worker, "threads"));
    size_t i;
    json_array_foreach (list, i, one) {
        assert_int_equal(atoi(json_string_value(json_object_get(one, "allowed"))), talk_cpu());
        assert_int_equal(talk_number(one, "cpu"), talk_cpu());
        assert_true(json_is_integer(json_object_get(one, "migrations")) ||
                    json_string_length(json_object_get(one, "unavailable")) > 3);
    }
    const json_t *moves = json_object_get(extra, "migrations");
    assert_int_equal(json_array_size(json_object_get(moves, "worker 0")), json_array_size(list));
    assert_true(json_array_size(json_object_get(moves, "consumer")) > 0);
    talk_end(&t);
}

static void unbound_makers_keep_their_cpus(void **state)
{
    (void)state;
    struct talk_ask a = talk_plain;
    struct talk t;
    a.unbound = 1;
    a.workers = 1;
    talk_after_spec(&a, "", &t);
    assert_int_equal(t.exit_code, 0);
    assert_true(json_is_null(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch")));
    talk_end(&t);
}

static void a_cpu_that_is_not_there_is_told(void **state)
{
    (void)state;
    char *spec = talk_spec(&talk_plain);
    struct talk t;
    json_t *o = json_loads(spec, 0, NULL),
           *placement = json_object_get(json_object_get(o, "spec"), "placement");
    json_object_set_new(placement, "main", json_string("4000"));
    char *text = json_dumps(o, JSON_COMPACT);
    talk(text, &t);
    talk_expect_error(&t, "4000");
    talk_end(&t);
    free(text);
    free(spec);
    json_decref(o);
}

/* More threads than the BLAS was built for: it takes fewer, and that must show. */
static void fewer_threads_than_asked_are_a_mismatch(void **state)
{
    (void)state;
    struct talk_ask a = talk_plain;
    struct talk t;
    a.threads = 5000;
    talk_after_spec(&a, "", &t);
    assert_int_equal(t.exit_code, 0);
    const char *what =
        json_string_value(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch"));
    assert_non_null(what);
    assert_non_null(strstr(what, "BLAS threads asked 5000, found "));
    talk_end(&t);
}

/* A BLAS that binds its own threads, each to a CPU: what was asked for the process does not hold for them. */
static void a_blas_that_moves_its_threads_elsewhere_is_a_mismatch_with_its_variable(void **state)
{
    (void)state;
    char path[256];
    const char *build = library_path("openmp", path, sizeof path);
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        print_message("skipped: on one CPU there is nowhere to move to\n");
        skip();
    }
    const char *const moves[] = {build, "OMP_PROC_BIND=TRUE", "OMP_PLACES=threads", NULL}, *const stays[] = {
                                                                                               build, NULL};
    struct talk_ask a = talk_plain;
    a.threads = 2;
    a.transform = "gemm=200";
    for (int k = 0; k < 2; k++) {
        struct talk t;
        talk_variables = k ? moves : stays;
        talk_after_spec(&a, "", &t);
        talk_variables = NULL;
        const char *what =
            json_string_value(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch"));
        if (k && (!what || !strstr(what, "OMP_PROC_BIND=TRUE")))
            fail_msg("nothing of the variable: %s", what ? what : "no mismatch");
        if (!k && what)
            fail_msg("%s", what);
        talk_end(&t);
    }
}

int main(int argc, char **argv)
{
    talk_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_is_read_back),
        cmocka_unit_test(unbound_makers_keep_their_cpus),
        cmocka_unit_test(a_cpu_that_is_not_there_is_told),
        cmocka_unit_test(fewer_threads_than_asked_are_a_mismatch),
        cmocka_unit_test(a_blas_that_moves_its_threads_elsewhere_is_a_mismatch_with_its_variable),
    };
    return CASES(tests);
}
