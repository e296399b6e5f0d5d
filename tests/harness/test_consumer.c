#include "harness/consumer.h"

#include <errno.h>
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
        {"gup=5ms", "did you mean 'gpu'?"}, {"gpu", "'gpu=5ms'"}, {"none=5ms", "takes no time"},
        {"cpu=fast", "is not a duration"},  {"cpu=0", "outside"}, {"", "unknown consumer ''"},
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
        if (!k->step)
            continue;
        uint64_t from = clock_now_ns(), cpu_from = thread_cpu_ns();
        k->step(30e6);
        uint64_t cpu = thread_cpu_ns();
        assert_true(clock_now_ns() - from >= 30000000);
        if (!strcmp(k->name, "gpu"))
            assert_true(cpu - cpu_from < 15000000);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_step_is_parsed_with_its_time),
        cmocka_unit_test(what_is_no_consumer_is_refused_with_the_nearest_or_the_form),
        cmocka_unit_test(every_step_takes_its_time_and_a_gpu_leaves_the_cpu_free),
    };
    return CASES(cases);
}
