#include "harness/consumer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "testing/cmocka.h"

static void a_step_is_parsed_with_its_time(void **state)
{
    (void)state;
    struct consumer c;
    assert_int_equal(consumer_parse("gpu=120ms", &c, NULL), 0);
    assert_string_equal(c.kind->name, "gpu");
    assert_true(c.step_ns == 120e6);
    assert_true(consumer_has_step(&c));
    assert_int_equal(consumer_parse(NULL, &c, NULL), 0);
    assert_false(consumer_has_step(&c));
    assert_int_equal(consumer_parse("none", &c, NULL), 0);
    assert_false(consumer_has_step(&c));
}

static void what_is_no_consumer_is_refused_with_the_nearest_or_the_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"gup=5ms", "did you mean 'gpu'?"},
        {"gpu", "'gpu=5ms'"},
        {"none=5ms", "takes no time"},
        {"plugin", "'plugin:FILE.so[:ARGS]'"},
        {"plugin:", "'plugin:FILE.so[:ARGS]'"},
        {"plugin=x.so", "'plugin:FILE.so[:ARGS]'"},
        {"none:x", "takes no time"},
        {"gpu:x", "'gpu=5ms'"},
        {"cpu=fast", "is not a duration"},
        {"cpu=0", "outside"},
        {"", "unknown consumer ''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct consumer c;
        struct err err = {0};
        assert_true(consumer_parse(cases[i].text, &c, &err) < 0);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' says: %s", cases[i].text, err.text);
    }
}

/* Of this thread: a BLAS that is linked in may have a pool that spins. */
static uint64_t thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static void every_step_takes_its_time_and_a_gpu_leaves_the_cpu_free(void **state)
{
    (void)state;
    for (int i = 0; consumer_kinds[i]; i++) {
        const struct consumer_kind *k = consumer_kinds[i];
        assert_non_null(k->name);
        assert_non_null(k->help);
        if (k->takes != CONSUMER_TAKES_TIME)
            continue;
        uint64_t from = clock_now_ns(), cpu_from = thread_cpu_ns();
        struct consumer c = {.kind = k, .step_ns = 30e6};
        assert_int_equal(k->step(&c, NULL, NULL), 0);
        uint64_t cpu = thread_cpu_ns();
        assert_true(clock_now_ns() - from >= 30000000);
        if (!strcmp(k->name, "gpu"))
            assert_true(cpu - cpu_from < 15000000);
    }
}

static const struct tensor_shape four = {.dtype = TENSOR_F32, .ndim = 1, .dim = {4}};

static void parse_named(struct consumer *c, const char *name, const char *args)
{
    char text[600];
    struct err err = {0};
    snprintf(text, sizeof text, "plugin:" PLUGIN_DIR "/%s.so%s", name, args);
    if (consumer_parse(text, c, &err))
        fail_msg("%s", err.text);
    assert_true(consumer_has_step(c));
}

static void the_worked_example_reads_a_batch_and_stops_at_what_is_no_picture(void **state)
{
    (void)state;
    struct consumer c;
    struct err err = {0};
    parse_named(&c, "mean", ":3");
    assert_int_equal(consumer_rehearse(&c, &four, 2, &err), 0);
    assert_int_equal(consumer_open(&c, &four, 2, &err), 0);
    _Alignas(64) float values[32] = {1, 2, 3, 4, [16] = 1, 2, 3, 4};
    int64_t index[2] = {7, 8};
    size_t offset[3] = {0, 64, 128}, bytes[2] = {16, 16};
    struct batch batch = {.number = 5,
                          .samples = 2,
                          .index = index,
                          .data = (unsigned char *)values,
                          .offset = offset,
                          .bytes = bytes};
    assert_int_equal(c.kind->step(&c, &batch, &err), 0);
    values[19] = 40;
    assert_int_equal(c.kind->step(&c, &batch, &err), -EBADMSG);
    assert_string_equal(err.text, PLUGIN_DIR "/mean.so: consumer: batch 5: a mean of 7 is beyond 3");
    consumer_close(&c);
    consumer_close(&c);
}

static void what_is_wrong_with_a_consumer_is_said_with_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } faults[] = {
        {"squares", "it has no consumer"},
        {"old", "it has no consumer (made for version 1 of the plugin header)"},
        {"no_step", "its consumer lacks step"},
        {"version", "made for version 99 of the plugin header, this is 1 to 2"},
        {"consumer_open_fails", "consumer: open: no licence for 'x', 9 of 1"},
        {"step_crashes", "it crashes when given a batch: Segmentation fault"},
        {"step_exits", "it ends the process when given a batch, with status 4"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct consumer c;
        struct err err = {0};
        char want[600];
        parse_named(&c, faults[i].name, ":x");
        snprintf(want, sizeof want, PLUGIN_DIR "/%s.so: %s", faults[i].name, faults[i].says);
        assert_int_equal(consumer_rehearse(&c, &four, 9, &err), -EBADMSG);
        assert_string_equal(err.text, want);
    }
    struct consumer c;
    struct err err = {0};
    parse_named(&c, "not_there", "");
    assert_int_equal(consumer_rehearse(&c, &four, 9, &err), -ENOENT);
    assert_non_null(strstr(err.text, "not_there.so: No such file"));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_worked_example_reads_a_batch_and_stops_at_what_is_no_picture),
        cmocka_unit_test(what_is_wrong_with_a_consumer_is_said_with_its_name),
        cmocka_unit_test(a_step_is_parsed_with_its_time),
        cmocka_unit_test(what_is_no_consumer_is_refused_with_the_nearest_or_the_form),
        cmocka_unit_test(every_step_takes_its_time_and_a_gpu_leaves_the_cpu_free),
    };
    return CASES(cases);
}
