/* What bounds a loader: each sentence from the figures that justify it. */
#include "results/bound.h"

#include <math.h>
#include <string.h>

#include "testing/cmocka.h"

/* An arm on two CPUs with a cost of 100 ns a sample. */
struct figures {
    int workers;
    double item, cpu, compute, head_of_line, handoff, throttled;
};

static void check(struct figures f, enum bound want, const char *words)
{
    struct arm arm = {.name = (char *)"x", .setting = {.workers = f.workers, .threads = 1}};
    struct result r = {.arms = &arm, .narms = 1, .cpu_budget = 2};
    struct arm_summary a = {.standing = ARM_GOOD};
    struct summary s = {.result = &r, .arms = &a};
    struct text t = {0};
    a.cost_ns.value = 100;
    a.item_ns.value = f.item;
    a.cpu_ns.value = f.cpu;
    a.wait_ns[RESULT_WAIT_COMPUTE].value = f.compute;
    a.wait_ns[RESULT_WAIT_HEAD_OF_LINE].value = f.head_of_line;
    a.wait_ns[RESULT_WAIT_HANDOFF].value = f.handoff;
    a.wait_ns[RESULT_WAIT_THROTTLED].value = f.throttled;
    a.wait_ns[RESULT_WAIT_PIN].value = NAN; /* not told by the subject */
    assert_int_equal(result_bound(&s, 0), want);
    result_bound_text(&s, 0, &t);
    if (!strstr(text_get(&t), words))
        fail_msg("'%s' does not say '%s'", text_get(&t), words);
    text_fini(&t);
}

static void busy_cpus_bound_and_more_workers_cannot_help(void **state)
{
    (void)state;
    check((struct figures){.workers = 2, .item = 196, .cpu = 197, .compute = 95}, BOUND_CPUS,
          "1.97 of 2 CPUs are busy, workers are in items 98 % of the time: more workers than 2 CPUs cannot "
          "help");
    check((struct figures){.workers = 4, .item = 390, .cpu = 199, .compute = 60, .head_of_line = 35},
          BOUND_CPUS, "cannot help"); /* waiting for a CPU is inside an item's time */
}

static void one_busy_worker_leaves_cpus(void **state)
{
    (void)state;
    check((struct figures){.workers = 1, .item = 98, .cpu = 101, .compute = 97}, BOUND_WORKERS,
          "1 worker is in items 98 % of the time, 1.01 of 2 CPUs are busy: more workers can help");
}

static void the_main_process_computes(void **state)
{
    (void)state;
    check((struct figures){.workers = 0, .item = 99, .cpu = 100}, BOUND_MAIN, "workers can help");
    check((struct figures){.workers = 0, .item = 99, .cpu = 198}, BOUND_MAIN, "1.98 of 2 CPUs are busy");
    check((struct figures){.workers = 0, .item = 20, .cpu = 100}, BOUND_LOADER, "only 20 %");
}

static void tiny_samples_are_bound_by_the_handoff(void **state)
{
    (void)state;
    check((struct figures){.workers = 2, .item = 4, .cpu = 195, .compute = 10, .handoff = 75}, BOUND_HANDOFF,
          "no workers at all");
    check((struct figures){.workers = 2, .item = 4, .cpu = 60, .compute = 20, .handoff = 10}, BOUND_LOADER,
          "workers are in items 2 %");
}

static void one_slow_sample_blocks_ready_batches(void **state)
{
    (void)state;
    check((struct figures){.workers = 4, .item = 120, .cpu = 40, .compute = 10, .head_of_line = 80},
          BOUND_HEAD_OF_LINE, "for 80 % of the time ready batches wait");
}

static void workers_that_keep_up_are_bound_by_the_consumer(void **state)
{
    (void)state;
    check((struct figures){.workers = 2, .item = 60, .cpu = 110, .compute = 3}, BOUND_CONSUMER,
          "waits only 3 %");
}

static void a_quota_is_told_before_compute(void **state)
{
    (void)state;
    check((struct figures){.workers = 2, .item = 196, .cpu = 50, .compute = 20, .throttled = 60},
          BOUND_THROTTLED, "60 %");
}

static void an_arm_that_was_not_measured_is_not_explained(void **state)
{
    (void)state;
    struct arm arm = {.name = (char *)"x"};
    struct result r = {.arms = &arm, .narms = 1, .cpu_budget = 2};
    struct arm_summary a = {.standing = ARM_NOT_MEASURED};
    struct summary s = {.result = &r, .arms = &a};
    assert_int_equal(result_bound(&s, 0), BOUND_UNKNOWN);
    a.standing = ARM_GOOD;
    a.cost_ns.value = 100;
    a.item_ns.value = NAN;
    assert_int_equal(result_bound(&s, 0), BOUND_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_cpus_bound_and_more_workers_cannot_help),
        cmocka_unit_test(one_busy_worker_leaves_cpus),
        cmocka_unit_test(the_main_process_computes),
        cmocka_unit_test(tiny_samples_are_bound_by_the_handoff),
        cmocka_unit_test(one_slow_sample_blocks_ready_batches),
        cmocka_unit_test(workers_that_keep_up_are_bound_by_the_consumer),
        cmocka_unit_test(a_quota_is_told_before_compute),
        cmocka_unit_test(an_arm_that_was_not_measured_is_not_explained),
    };
    return CASES(tests);
}
