#include "results/summary.h"

#include <errno.h>

#include "base/counter_rng.h"
#include "summing.h"

static void an_arm_that_was_never_measured_says_why(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 6, 1, 1});
    for (size_t i = 0; i < 6; i++)
        building_absent(&r, i, 1);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->arms[1].standing, ARM_NOT_MEASURED);
    assert_string_equal(s->arms[1].note, "it was in no invocation");
    assert_true(isnan(s->arms[1].cost_ns.value) && isnan(s->arms[1].to_best.value));
    assert_false(s->arms[1].cost_ns.ci.known);
    assert_null(s->arms[0].note);
    assert_int_equal(s->choice.state, CHOICE_DECIDED);
    assert_int_equal(s->choice.arm, 0);
    summary_destroy(s);
    r.arms[1].failure = strdup("worker 0 died");
    s = summarise(&r, 0.95);
    assert_string_equal(s->arms[1].note, "worker 0 died");
    summary_destroy(s);
    result_fini(&r);
}

static void one_and_two_invocations_have_no_interval(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        struct result r = building_create((struct shape){2, n, 3, 2});
        struct summary *s = summarise(&r, 0.95);
        assert_false(s->arms[0].cost_ns.ci.known || s->arms[1].to_best.ci.known);
        assert_int_equal(s->arms[0].cost_ns.n, n);
        assert_true(near(s->arms[0].cost_ns.value, 1e6));
        assert_int_equal(s->choice.state, CHOICE_UNDECIDED);
        summary_destroy(s);
        result_fini(&r);
    }
}

static void a_step_between_the_halves_cancels_in_ratios_and_widens_the_cost(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 24, 2, 2});
    struct counter_rng rng;
    counter_rng_init(&rng, 9, 0, 0);
    for (size_t i = 0; i < 24; i++)
        for (size_t a = 0; a < 2; a++)
            building_scale(&r, i, a, (i < 12 ? 1 : 1.5) * exp(0.01 * counter_rng_normal(&rng)));
    struct summary *s = summarise(&r, 0.95);
    assert_true(s->arms[0].cost_ns.n_effective < 24);
    assert_true(!s->arms[0].cost_ns.ci.known || s->arms[0].cost_ns.ci.high / s->arms[0].cost_ns.ci.low > 1.4);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(e.n_effective == 24 && e.ci.high / e.ci.low < 1.05);
    summary_destroy(s);
    result_fini(&r);
}

static void a_worker_is_compared_with_the_main_process_on_all_cpus(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){4, 8, 2, 2});
    r.cpu_budget = 4;
    r.arms[0].setting = (struct setting){.workers = 0, .threads = 1};
    r.arms[1].setting = (struct setting){.workers = 0, .threads = 4};
    r.arms[2].setting = (struct setting){.workers = 1, .threads = 1};
    for (size_t i = 0; i < 8; i++)
        building_scale(&r, i, 2, 6);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->worker_arm, 2);
    assert_int_equal(s->main_arm, 1);
    assert_true(near(s->worker_to_main.value, 6) && s->worker_to_main.ci.known);
    summary_destroy(s);
    r.arms[1].setting.threads = 2; /* not all of the CPUs */
    s = summarise(&r, 0.95);
    assert_int_equal(s->main_arm, -1);
    assert_int_equal(s->worker_arm, -1);
    assert_true(isnan(s->worker_to_main.value) && !s->worker_to_main.ci.known);
    summary_destroy(s);
    result_fini(&r);
}

static void quantiles_of_items_leave_out_what_is_void(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){1, 2, 2, 1});
    for (size_t i = 0; i < 2; i++)
        for (int b = 0; b <= 2; b++) {
            struct turn *t = building_turn(&r, i, 0, b, 0);
            t->items = calloc(1, sizeof *t->items);
            for (uint64_t k = 1; k <= 100; k++)
                histogram_add(t->items, b == 1 ? k * 1000 : 1000000000);
        }
    building_turn(&r, 0, 0, 2, 0)->void_reason = strdup("steal");
    building_turn(&r, 1, 0, 2, 0)->void_reason = strdup("steal");
    struct summary *s = summarise(&r, 0.95);
    assert_true(s->arms[0].item_max_ns == 100000);
    assert_true(fabs(s->arms[0].item_p50_ns / 50000 - 1) < 0.04);
    assert_true(fabs(s->arms[0].item_p95_ns / 95000 - 1) < 0.04);
    assert_false(s->arms[0].item_p95_ci.known); /* two invocations, however many items */
    summary_destroy(s);
    result_fini(&r);
}

/* The lower limit of the excess over the best is corrected for three arms: 0.025 / 2 takes seven invocations; the upper
 * one is not: six are enough. */
static void the_excess_over_the_best_is_corrected_on_one_side(void **state)
{
    (void)state;
    for (size_t n = 6; n <= 7; n++) {
        struct result r = building_create((struct shape){3, n, 1, 1});
        for (size_t i = 0; i < n; i++)
            building_scale(&r, i, 0, 2);
        struct summary *s = summarise(&r, 0.95);
        struct estimate e = s->arms[0].to_best;
        assert_true(e.ci.known && near(e.value, 2) && near(e.ci.high, 2));
        assert_true(near(e.ci.low, n == 6 ? 1 : 2));
        summary_destroy(s);
        result_fini(&r);
    }
}

static void three_looks_need_seven_invocations_where_one_needs_six(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int looks;
        bool known;
    } cases[] = {{6, 1, true}, {6, 3, false}, {7, 3, true}, {5, 1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct result r = building_create((struct shape){2, cases[k].n, 1, 1});
        r.looks_planned = cases[k].looks;
        struct summary *s = summarise(&r, 0.95);
        for (int a = 0; a < 2; a++) {
            assert_int_equal(s->arms[a].cost_ns.ci.known, cases[k].known);
            assert_int_equal(s->arms[a].to_best.ci.known, cases[k].known);
            assert_true(s->arms[a].cost_ns.ci.level == 0.95);
        }
        summary_destroy(s);
        result_fini(&r);
    }
}

static void a_quantile_of_items_has_an_interval_over_invocations(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){1, 8, 1, 1});
    for (size_t i = 0; i < 8; i++) {
        struct turn *t = building_turn(&r, i, 0, 1, 0);
        t->items = calloc(1, sizeof *t->items);
        for (uint64_t k = 1; k <= 100; k++)
            histogram_add(t->items, k * 1000 * (1 + (i * 3) % 8));
    }
    struct summary *s = summarise(&r, 0.95);
    struct interval ci = s->arms[0].item_p50_ci; /* eight values: the first and the last */
    assert_true(ci.known && fabs(ci.low / 50000 - 1) < 0.04 && fabs(ci.high / 400000 - 1) < 0.04);
    summary_destroy(s);
    result_fini(&r);
}

static void figures_that_were_not_measured_stay_unknown(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 8, 1, 1});
    struct summary *s = summarise(&r, 0.95);
    assert_true(isnan(s->arms[0].overhead_ns.value) && !s->arms[0].overhead_ns.ci.known);
    assert_true(isnan(s->arms[0].first_batch_ns.value) && isnan(s->arms[0].item_p50_ns));
    assert_true(near(s->arms[0].start_ns.value, 5e6) && s->arms[0].start_ns.n == 8);
    assert_true(isnan(summary_ratio(&r, 0, 1, METRIC_OVERHEAD_NS, 0.95).value));
    assert_true(isnan(summary_ratio(&r, 0, 7, METRIC_COST_NS, 0.95).value));
    struct summary *none = s;
    assert_int_equal(summary_create(&r, 1.0, &none, NULL), -EINVAL);
    assert_null(none);
    summary_destroy(s);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(an_arm_that_was_never_measured_says_why),
        cmocka_unit_test(one_and_two_invocations_have_no_interval),
        cmocka_unit_test(a_step_between_the_halves_cancels_in_ratios_and_widens_the_cost),
        cmocka_unit_test(a_worker_is_compared_with_the_main_process_on_all_cpus),
        cmocka_unit_test(quantiles_of_items_leave_out_what_is_void),
        cmocka_unit_test(the_excess_over_the_best_is_corrected_on_one_side),
        cmocka_unit_test(three_looks_need_seven_invocations_where_one_needs_six),
        cmocka_unit_test(a_quantile_of_items_has_an_interval_over_invocations),
        cmocka_unit_test(figures_that_were_not_measured_stay_unknown),
    };
    return CASES(list);
}
