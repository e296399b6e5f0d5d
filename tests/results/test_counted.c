/* Counters over invocations, and what follows from them, on fixed records: each figure has its value, or no value and the
 * reason of the part it lacks. */
#include "results/counted.h"

#include <math.h>
#include <string.h>

#include "building.h"
#include "testing/cmocka.h"

/* A counter of every trial of the arm; reason NULL: available. */
static void count(struct result *r, int arm, const char *name, double value, double share, const char *reason)
{
    for (size_t i = 0; i < r->ninvocations; i++) {
        struct trial *t = &r->invocations[i].trials[arm];
        t->counters = realloc(t->counters, (t->ncounters + 1) * sizeof *t->counters);
        t->counters[t->ncounters++] = (struct counter){.name = strdup(name),
                                                       .value = reason ? NAN : value,
                                                       .share = reason ? NAN : share,
                                                       .reason = reason ? strdup(reason) : NULL};
    }
}

/* One arm whose items take 1 ms and 2 Mflop: 2 GFLOP/s. */
static struct result make(void)
{
    struct result r = building_create((struct shape){.narms = 2, .ninvocations = 3, .blocks = 2, .turns = 2});
    for (size_t i = 0; i < r.ninvocations; i++)
        r.invocations[i].trials[1].work_flops = 2e6;
    r.environment = strdup("{\"cpu\":{\"peak\":{\"gflop_per_s\":10.0}}}");
    return r;
}

static void derive(const struct result *r, struct counted out[DERIVED_FIGURES])
{
    assert_int_equal(result_derived(r, 1, out, NULL), 0);
}

static void assert_value(const struct counted *c, double want)
{
    if (*c->reason || fabs(c->value - want) > 1e-9 * want)
        fail_msg("%g (%s) instead of %g", c->value, c->reason, want);
}

static void figures_follow_from_their_parts(void **state)
{
    (void)state;
    struct counted d[DERIVED_FIGURES];
    struct result r = make();
    count(&r, 1, "PAPI_TOT_CYC", 3e6, 1, NULL);
    count(&r, 1, "PAPI_TOT_INS", 6e6, 0.5, NULL);
    count(&r, 1, "PAPI_RES_STL", 6e5, 0.5, NULL);
    count(&r, 1, "PAPI_L2_TCM", 1000, 1, NULL);
    count(&r, 1, "PAPI_L3_TCM", 10, 1, NULL);
    count(&r, 1, "PAPI_FP_OPS", 1e6, 1, NULL);
    derive(&r, d);
    assert_value(&d[DERIVED_IPC], 2);
    assert_true(d[DERIVED_IPC].share == 0.5); /* of the part that was there the shortest */
    assert_value(&d[DERIVED_STALLED], 0.2);
    assert_value(&d[DERIVED_L2_MISSES], 1000);
    assert_value(&d[DERIVED_L3_MISSES], 10);
    assert_value(&d[DERIVED_GFLOP_PER_S], 2);
    assert_value(&d[DERIVED_COUNTED_GFLOP], 1);
    assert_value(&d[DERIVED_PEAK_SHARE], 0.2);
    r.arms[1].setting.threads = 2; /* twice the peak for one item */
    derive(&r, d);
    assert_value(&d[DERIVED_PEAK_SHARE], 0.1);
    result_fini(&r);
}

static void assert_lacks(const struct counted *c, const char *words)
{
    if (!isnan(c->value) || !strstr(c->reason, words))
        fail_msg("%g, '%s' instead of unavailable, '%s'", c->value, c->reason, words);
}

static void each_part_that_is_missing_is_named_and_nothing_is_0(void **state)
{
    (void)state;
    struct counted d[DERIVED_FIGURES];
    struct result r = make();
    count(&r, 1, "PAPI_TOT_CYC", 0, 0, "no PMU here");
    count(&r, 1, "PAPI_TOT_INS", 6e6, 1, NULL);
    count(&r, 1, "PAPI_RES_STL", 0, 0, "this CPU has no such event");
    derive(&r, d);
    assert_lacks(&d[DERIVED_IPC], "PAPI_TOT_CYC: no PMU here");
    assert_lacks(&d[DERIVED_STALLED], "PAPI_RES_STL: this CPU has no such event");
    assert_lacks(&d[DERIVED_L2_MISSES], "PAPI_L2_TCM: not in the record");
    assert_lacks(&d[DERIVED_COUNTED_GFLOP], "PAPI_FP_OPS: not in the record");
    assert_value(&d[DERIVED_GFLOP_PER_S], 2);
    result_fini(&r);
}

static void without_flops_or_peak_the_share_says_which(void **state)
{
    (void)state;
    struct counted d[DERIVED_FIGURES];
    struct result r = make();
    free(r.environment);
    r.environment = strdup("{\"cpu\":{\"peak\":{\"gflop_per_s\":null,\"unavailable\":\"no clock\"}}}");
    derive(&r, d);
    assert_lacks(&d[DERIVED_PEAK_SHARE], "peak: no clock");
    free(r.environment);
    r.environment = NULL;
    derive(&r, d);
    assert_lacks(&d[DERIVED_PEAK_SHARE], "peak: the environment tells none");
    for (size_t i = 0; i < r.ninvocations; i++)
        r.invocations[i].trials[1].work_flops = i ? 0 : NAN;
    derive(&r, d);
    assert_lacks(&d[DERIVED_GFLOP_PER_S], "flops: the transforms are not arithmetic");
    assert_lacks(&d[DERIVED_PEAK_SHARE], "flops:");
    r.ninvocations = 1;
    derive(&r, d);
    assert_lacks(&d[DERIVED_GFLOP_PER_S], "flops: the subject declares none");
    r.ninvocations = 3;
    result_fini(&r);
}

static void no_cycles_at_all_give_no_ratio(void **state)
{
    (void)state;
    struct counted d[DERIVED_FIGURES];
    struct result r = make();
    count(&r, 1, "PAPI_TOT_CYC", 0, 1, NULL);
    count(&r, 1, "PAPI_TOT_INS", 6e6, 1, NULL);
    derive(&r, d);
    assert_lacks(&d[DERIVED_IPC], "PAPI_TOT_CYC: it is 0");
    result_fini(&r);
}

static void invocations_that_are_void_do_not_count(void **state)
{
    (void)state;
    struct result r = make();
    count(&r, 1, "perf::page-faults", 5, 1, NULL);
    r.invocations[0].trials[1].counters[0].value = 700;
    r.invocations[0].void_reason = strdup("another tree ran");
    struct counted c = result_counted(&r, 1, "perf::page-faults", NULL);
    assert_value(&c, 5);
    result_fini(&r);
}

static void a_part_is_found_by_its_name(void **state)
{
    (void)state;
    struct result r = make();
    count(&r, 1, "perf::page-faults", 5, 1, NULL);
    for (size_t i = 0; i < r.ninvocations; i++) {
        struct counter *c = &r.invocations[i].trials[1].counters[0];
        c->part = calloc(2, sizeof *c->part);
        c->nparts = 2;
        c->part[0] = (struct counter_part){strdup("consumer"), 1, 1, NULL};
        c->part[1] = (struct counter_part){strdup("worker 0"), NAN, NAN, strdup("it ended")};
    }
    struct counted c = result_counted(&r, 1, "perf::page-faults", "consumer");
    assert_value(&c, 1);
    c = result_counted(&r, 1, "perf::page-faults", "worker 0");
    assert_lacks(&c, "it ended");
    c = result_counted(&r, 1, "perf::page-faults", "worker 1");
    assert_lacks(&c, "not told apart");
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_follow_from_their_parts),
        cmocka_unit_test(each_part_that_is_missing_is_named_and_nothing_is_0),
        cmocka_unit_test(without_flops_or_peak_the_share_says_which),
        cmocka_unit_test(no_cycles_at_all_give_no_ratio),
        cmocka_unit_test(invocations_that_are_void_do_not_count),
        cmocka_unit_test(a_part_is_found_by_its_name),
    };
    return CASES(tests);
}
