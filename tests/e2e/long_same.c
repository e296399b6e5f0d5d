/* Two names for one setting, again and again: an interval at 95 % must hold the ratio 1 as often as it says. */
#include <gsl/gsl_cdf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/plan.h"
#include "harness/session.h"
#include "results/summary.h"
#include "testing/cmocka.h"

enum { SESSIONS = 20, INVOCATIONS = 7 };

static const double LEVEL = 0.95;

/* The ratio of a new session's two arms. */
static struct estimate measure(const struct harness_topology *t, uint64_t seed, const char *transform,
                               int workers)
{
    static const char *const names[] = {"first", "second"};
    struct result r = {.schema = RESULT_SCHEMA, .seed = seed, .alpha = 1 - LEVEL, .margin = 0.05};
    const struct workload w = {.data = (char *)"synthetic:4096",
                               .transform = (char *)transform,
                               .sampler = (char *)"sequential",
                               .batch_size = 1};
    const struct setting s = {.workers = workers,
                              .threads = 1,
                              .prefetch_factor = 2,
                              .affinity = (char *)"scatter",
                              .backend = (char *)"process"};
    struct session_config cfg = {.result = &r,
                                 .topology = t,
                                 .core = LOADERBENCH,
                                 .turn_ns = 5e6,
                                 .invocations = INVOCATIONS,
                                 .blocks = 4};
    struct err err = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(plan_add(&r, names[i], "core", &w, &s, NULL), 0);
    if (session_run(&cfg, &err))
        fail_msg("%s", err.text);
    struct estimate e = summary_ratio(&r, 0, 1, METRIC_COST_NS, LEVEL);
    result_fini(&r);
    return e;
}

/* Fewer than so many of n hold 1 only once in a thousand tries, if each does with the probability it states. */
static unsigned fewest(unsigned n)
{
    unsigned k = 0;
    while (gsl_cdf_binomial_P(k, LEVEL, n) < 1e-3)
        k++;
    return k;
}

static void count_sessions(const char *transform, int workers)
{
    struct harness_topology t;
    unsigned holds = 0;
    assert_int_equal(harness_topology_load(&t, NULL), 0);
    for (int i = 0; i < SESSIONS; i++) {
        struct estimate e = measure(&t, (uint64_t)i + 1, transform, workers);
        assert_true(e.ci.known && e.n >= 6);
        holds += e.ci.low <= 1 && e.ci.high >= 1;
        print_message("%s, %d workers: %.3f (%.3f .. %.3f, n = %d)\n", transform, workers, e.value, e.ci.low,
                      e.ci.high, e.n);
    }
    harness_topology_fini(&t);
    print_message("%u of %d intervals hold 1; fewer than %u would be too few\n", holds, SESSIONS,
                  fewest(SESSIONS));
    assert_true(holds >= fewest(SESSIONS));
}

static void two_names_of_one_setting_are_told_apart_as_rarely_as_promised(void **state)
{
    (void)state;
    count_sessions("gemm=128", 0);
}

static void two_names_of_one_setting_with_a_worker_too(void **state)
{
    (void)state;
    count_sessions("gemm=128", 1);
}

/* The twin: twice the work is told apart every time. */
static void twice_the_work_is_always_told_apart(void **state)
{
    (void)state;
    struct harness_topology t;
    assert_int_equal(harness_topology_load(&t, NULL), 0);
    struct result r = {.schema = RESULT_SCHEMA, .seed = 5, .alpha = 1 - LEVEL, .margin = 0.05};
    const struct workload w = {.data = (char *)"synthetic:4096",
                               .transform = (char *)"gemm=128",
                               .sampler = (char *)"sequential",
                               .batch_size = 1},
                          twice = {.data = (char *)"synthetic:4096",
                                   .transform = (char *)"gemm=128,gemm=128",
                                   .sampler = (char *)"sequential",
                                   .batch_size = 1};
    const struct setting s = {.threads = 1, .affinity = (char *)"scatter", .backend = (char *)"process"};
    struct session_config cfg = {.result = &r,
                                 .topology = &t,
                                 .core = LOADERBENCH,
                                 .turn_ns = 5e6,
                                 .invocations = INVOCATIONS,
                                 .blocks = 4};
    assert_int_equal(plan_add(&r, "once", "core", &w, &s, NULL), 0);
    assert_int_equal(plan_add(&r, "twice", "core", &twice, &s, NULL), 0);
    assert_int_equal(session_run(&cfg, NULL), 0);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, LEVEL);
    print_message("twice the work: %.3f (%.3f .. %.3f, n = %d)\n", e.value, e.ci.low, e.ci.high, e.n);
    assert_true(e.ci.known && e.ci.low > 1);
    result_fini(&r);
    harness_topology_fini(&t);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_names_of_one_setting_are_told_apart_as_rarely_as_promised),
        cmocka_unit_test(two_names_of_one_setting_with_a_worker_too),
        cmocka_unit_test(twice_the_work_is_always_told_apart),
    };
    return CASES(tests);
}
