/* The core as a subject: what it makes of a spec, and of the lines that follow. */
#include "harness/trial.h"

#include <math.h>

#include "talk.h"

static const char *mark(const struct talk *t, const char *key, size_t i)
{
    const json_t *extra = json_object_get(json_object_get(t->line[3], "totals"), "extra");
    return json_string_value(json_array_get(json_object_get(extra, key), i));
}

static void random_order_is_the_same_for_all_settings_and_no_sample_is_missed(void **state)
{
    (void)state;
    struct talk sequential, random[3];
    struct talk_ask a = talk_plain;
    a.data = "synthetic:8";
    talk_after_spec(&a, talk_turns, &sequential);
    a.sampler = "random";
    for (int workers = 0; workers <= 2; workers++) {
        a.workers = workers;
        talk_after_spec(&a, talk_turns, &random[workers]);
        assert_int_equal(random[workers].n, 4);
        assert_string_equal(mark(&random[workers], "set_at", 3), mark(&sequential, "set_at", 3));
        assert_string_not_equal(mark(&random[workers], "order_at", 3), mark(&sequential, "order_at", 3));
        assert_string_equal(mark(&random[workers], "order_at", 3), mark(&random[0], "order_at", 3));
    }
    for (int workers = 0; workers <= 2; workers++)
        talk_end(&random[workers]);
    talk_end(&sequential);
}

static const json_t *counter(const json_t *totals, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach (json_object_get(totals, "counters"), i, one) {
        if (!strcmp(json_string_value(json_object_get(one, "name")), name))
            return one;
    }
    fail_msg("no counter '%s'", name);
    return NULL;
}

/* The parts of an event make up the whole, and whoever makes the samples has most of it. */
static void check_parts(const json_t *event, int workers)
{
    size_t i;
    json_t *part;
    double sum = 0, whole = json_number_value(json_object_get(event, "value")), consumer = 0;
    assert_int_equal(json_array_size(json_object_get(event, "by")), workers + 1);
    json_array_foreach (json_object_get(event, "by"), i, part) {
        double value = json_number_value(json_object_get(part, "value"));
        assert_null(json_object_get(part, "unavailable"));
        assert_true(value > 0);
        consumer = i ? consumer : value;
        sum += value;
    }
    if (fabs(sum - whole) > 1e-6 * whole)
        fail_msg("parts of %g, the whole %g", sum, whole);
    assert_true(consumer < 0.5 * whole);
}

static void counters_tell_workers_and_the_consumer_apart(void **state)
{
    (void)state;
    for (int thread = 0; thread < 2; thread++) {
        struct talk t;
        struct talk_ask a = talk_plain;
        a.workers = 2;
        a.transform = "gemm=160";
        a.backend = thread ? "thread" : "process";
        talk_after_spec(&a, talk_turns, &t);
        assert_int_equal(t.n, 4);
        const json_t *totals = json_object_get(t.line[3], "totals"),
                     *clock = counter(totals, "perf::task-clock"),
                     *batches = counter(totals, "sde:::loaderbench::batches");
        if (!json_object_get(clock, "unavailable"))
            check_parts(clock, 2);
        assert_null(json_object_get(batches, "by")); /* a source that knows the whole only */
        talk_end(&t);
    }
}

static void the_end_of_input_means_stop(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&talk_plain, "", &t);
    assert_int_equal(t.n, 2);
    assert_non_null(json_object_get(t.line[1], "totals"));
    assert_int_equal(t.exit_code, 0);
    talk_end(&t);
}

static void nothing_is_answered_after_stop(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&talk_plain, "{\"stop\": {}}\n{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n", &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.exit_code, 0);
    talk_end(&t);
}

static void lines_that_are_no_spec_are_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "no spec on standard input"},
        {"\n", "not JSON"},
        {"hello\n", "not JSON"},
        {"{\"spec\": {}, \"spec\": {}}\n", "not JSON"},
        {"{}\n", "no spec"},
        {"[]\n", "no spec"},
        {"{\"spec\": {\"protocol\": 7}}\n", "protocol version 7"},
        {"{\"spec\": {\"protocol\": 1}}\n", "\"data\" is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct talk t;
        talk(rows[i][0], &t);
        assert_int_equal(t.n, 1);
        talk_expect_error(&t, rows[i][1]);
        talk_end(&t);
    }
}

static void workloads_that_are_none_are_told(void **state)
{
    (void)state;
    struct talk t;
    struct talk_ask a = talk_plain;
    a.transform = "gemn=8";
    talk_after_spec(&a, talk_turns, &t);
    talk_expect_error(&t, "gemm"); /* the nearest name */
    talk_end(&t);
    a = talk_plain;
    a.data = "nonsense:3";
    talk_after_spec(&a, talk_turns, &t);
    talk_expect_error(&t, "nonsense");
    talk_end(&t);
    a = talk_plain;
    a.sampler = "randon";
    talk_after_spec(&a, talk_turns, &t);
    talk_expect_error(&t, "randon");
    talk_end(&t);
    a = talk_plain;
    a.workers = 1;
    a.backend = "proces";
    talk_after_spec(&a, talk_turns, &t);
    talk_expect_error(&t, "proces");
    talk_end(&t);
}

static void turns_that_are_none_are_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{\"turn\": {\"warm_batches\": 0, \"batches\": 0}}\n", "\"batches\" is 0"},
        {"{\"turn\": {\"warm_batches\": 0, \"batches\": -4}}\n", "\"batches\" is -4"},
        {"{\"turn\": {\"warm_batches\": -1, \"batches\": 4}}\n", "warm_batches"},
        {"{\"turn\": {}}\n", "\"batches\" is 0"},
        {"{\"turn\": 3}\n", "\"batches\" is 0"},
        {"{\"tern\": {}}\n", "expected {\"turn\""},
        {"hello\n", "expected {\"turn\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct talk t;
        talk_after_spec(&talk_plain, rows[i][0], &t);
        assert_int_equal(t.n, 2);
        talk_expect_error(&t, rows[i][1]);
        talk_end(&t);
    }
}

int main(int argc, char **argv)
{
    talk_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_order_is_the_same_for_all_settings_and_no_sample_is_missed),
        cmocka_unit_test(counters_tell_workers_and_the_consumer_apart),
        cmocka_unit_test(the_end_of_input_means_stop),
        cmocka_unit_test(nothing_is_answered_after_stop),
        cmocka_unit_test(lines_that_are_no_spec_are_told),
        cmocka_unit_test(workloads_that_are_none_are_told),
        cmocka_unit_test(turns_that_are_none_are_told),
    };
    return CASES(tests);
}
