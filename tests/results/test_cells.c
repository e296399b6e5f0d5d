/* Which turns count, and how two arms are paired: ratios of results with known answers. */
#include "cells.h"

#include "base/counter_rng.h"
#include "summing.h"

static void a_known_ratio_comes_back_with_its_order_statistics(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 10, 3, 2});
    for (size_t i = 0; i < 10; i++)
        building_scale(&r, i, 1, 1.01 + 0.01 * (double)((i * 7) % 10)); /* 1.01 .. 1.10 shuffled */
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, sqrt(1.05 * 1.06)));
    assert_true(e.ci.known && near(e.ci.low, 1.02) && near(e.ci.high, 1.09));
    assert_int_equal(e.n, 10);
    e = summary_ratio(&r, 0, 1, METRIC_COST_NS, 0.95);
    assert_true(near(e.ci.low, 1 / 1.09) && near(e.ci.high, 1 / 1.02));
    r.looks_planned = 3; /* 0.05 / 3: the first and the last of ten */
    e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.ci.low, 1.01) && near(e.ci.high, 1.10) && e.ci.level == 0.95);
    r.looks_planned = 0; /* not known: as three */
    e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.ci.low, 1.01) && near(e.ci.high, 1.10));
    result_fini(&r);
}

/* ln 1.01 .. ln 1.10 less the two smallest and the two largest; t(5) = 2.5706, and winsorised squares by hand. */
static void the_trimmed_mean_of_the_same_ratios_stands_beside_it(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 10, 3, 2});
    for (size_t i = 0; i < 10; i++)
        building_scale(&r, i, 1, 1.01 + 0.01 * (double)((i * 7) % 10));
    double mean = 0, middle = 0, squares = 0;
    for (int i = 3; i <= 8; i++)
        mean += log(1 + i / 100.0) / 6;
    for (int i = 1; i <= 10; i++)
        middle += log(1 + (i < 3 ? 3 : i > 8 ? 8 : i) / 100.0) / 10;
    for (int i = 1; i <= 10; i++)
        squares += pow(log(1 + (i < 3 ? 3 : i > 8 ? 8 : i) / 100.0) - middle, 2);
    double reach = 2.570582 * sqrt(squares / 9) / (0.6 * sqrt(10));
    struct estimate e = summary_ratio_trimmed(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, exp(mean)) && e.n == 10 && e.ci.level == 0.95);
    assert_true(fabs(log(e.ci.low) - (mean - reach)) < 1e-7 && fabs(log(e.ci.high) - (mean + reach)) < 1e-7);
    result_fini(&r);
}

static void common_swings_of_invocation_and_block_cancel(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 8, 4, 2});
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, 0);
    for (size_t i = 0; i < 8; i++) {
        for (int b = 1; b <= 4; b++) {
            double swing = exp(counter_rng_normal(&rng));
            for (size_t a = 0; a < 2; a++)
                for (int t = 0; t < 2; t++)
                    building_turn(&r, i, a, b, t)->cost_ns *= swing;
        }
        building_scale(&r, i, 1, 1.07);
    }
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(e.ci.known && near(e.ci.low, 1.07) && near(e.ci.high, 1.07));
    result_fini(&r);
}

static void the_warm_up_block_never_counts(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 6, 1, 2}); /* of two blocks no median hides one */
    for (size_t i = 0; i < 6; i++)
        building_turn(&r, i, 1, 0, 0)->cost_ns = 1e12;
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, 1) && near(e.ci.high, 1));
    result_fini(&r);
}

static void a_void_block_is_void_for_all_arms_and_counted(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){3, 7, 3, 1});
    for (size_t i = 0; i < 7; i++) {
        building_turn(&r, i, 0, 2, 0)->void_reason = strdup("another tree ran");
        building_turn(&r, i, 1, 2, 0)->cost_ns *= 100;
        building_turn(&r, i, 2, 2, 0)->cost_ns /= 100;
    }
    r.invocations[6].void_reason = strdup("a placement did not hold");
    building_scale(&r, 6, 1, 1000);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->blocks_void, 6);
    assert_int_equal(s->invocations_valid, 6);
    assert_int_equal(s->invocations_void, 1);
    assert_int_equal(s->arms[1].cost_ns.n, 6);
    assert_true(near(s->arms[1].cost_ns.ci.high, 1e6));
    assert_true(near(summary_ratio(&r, 1, 2, METRIC_COST_NS, 0.95).ci.high, 1));
    summary_destroy(s);
    result_fini(&r);
}

static void a_cost_of_zero_or_infinity_or_nan_voids_its_block(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, INFINITY, NAN};
    for (size_t k = 0; k < 4; k++) {
        struct result r = building_create((struct shape){2, 6, 2, 2});
        for (size_t i = 0; i < 6; i++)
            building_turn(&r, i, 1, 1, 1)->cost_ns = bad[k];
        struct summary *s = summarise(&r, 0.95);
        assert_int_equal(s->blocks_void, 6);
        assert_true(near(s->arms[1].to_best.value, 1) && near(s->arms[0].cost_ns.value, 1e6));
        summary_destroy(s);
        result_fini(&r);
    }
}

/* The second arm was in the first 7 of 12 invocations only: the ratio rests on those, each cost on its own. */
static void unequal_numbers_in_two_arms_are_paired_where_both_were(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 12, 2, 2});
    for (size_t i = 0; i < 12; i++) {
        building_scale(&r, i, 0, i < 7 ? 1 : 3); /* a swing that the second arm did not see */
        building_scale(&r, i, 1, 1.5);
    }
    for (size_t i = 7; i < 12; i++)
        building_absent(&r, i, 1);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, 1.5) && near(e.ci.low, 1.5) && near(e.ci.high, 1.5));
    assert_int_equal(e.n, 7);
    struct summary *s = summarise(&r, 0.95);
    assert_true(s->arms[0].cost_ns.n == 12 && s->arms[1].cost_ns.n == 7);
    assert_int_equal(s->arms[1].standing, ARM_WORSE);
    summary_destroy(s);
    result_fini(&r);
}

static void costs_nine_orders_apart_are_compared(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 8, 2, 2});
    for (size_t i = 0; i < 8; i++)
        building_scale(&r, i, 1, 1e9);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, 1e9) && near(e.ci.low, 1e9));
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.arm, 0);
    assert_int_equal(s->arms[1].standing, ARM_WORSE);
    assert_true(near(s->arms[1].rate_per_s.value, 1e-6));
    summary_destroy(s);
    result_fini(&r);
}

/* A constant 78.8 against values of 114 to 115: the test that called it "no change" used ranks alone. */
static void a_constant_against_a_clear_difference_is_a_difference(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 6, 1, 1});
    for (size_t i = 0; i < 6; i++) {
        building_scale(&r, i, 0, 78.8);
        building_scale(&r, i, 1, 114 + (double)i / 5);
    }
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(e.ci.known && e.ci.low > 1.44 && e.ci.high < 1.46);
    result_fini(&r);
}

static void nine_equal_and_one_other_are_no_difference(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 10, 1, 1});
    building_scale(&r, 4, 1, 3);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(near(e.value, 1) && near(e.ci.low, 1) && near(e.ci.high, 1));
    result_fini(&r);
}

/* Arm 0 has a trial in each of two groups, arm 1 is in the first (block 1), arm 2 in the second (block 2). The whole
 * second group runs three times as slow, and each factor of a chained ratio has noise of its own. */
static struct result grouped(size_t n, struct counter_rng *rng)
{
    struct result r = building_create((struct shape){4, n, 2, 1});
    for (size_t i = 0; i < n; i++) {
        struct trial *t = r.invocations[i].trials;
        static const int arms[] = {0, 1, 0, 2}, blocks[] = {1, 1, 2, 2};
        static const double costs[] = {1e6, 1.2e6, 3e6, 1.5 * 3e6};
        for (size_t k = 0; k < 4; k++) {
            t[k].arm = arms[k];
            t[k].nturns = 2;
            t[k].turns[1].block = blocks[k];
            t[k].turns[1].cost_ns = costs[k] * exp(0.02 * counter_rng_normal(rng));
        }
    }
    return r;
}

static void arms_of_two_groups_are_compared_through_the_one_they_share(void **state)
{
    (void)state;
    struct counter_rng rng;
    counter_rng_init(&rng, 11, 0, 0);
    int covered = 0;
    enum { SESSIONS = 400, N = 24 };
    double width = 0, direct = 0;
    for (int k = 0; k < SESSIONS; k++) {
        struct result r = grouped(N, &rng);
        struct estimate e = summary_ratio(&r, 2, 1, METRIC_COST_NS, 0.95);
        assert_int_equal(e.n, N);
        covered += e.ci.low <= 1.25 && 1.25 <= e.ci.high;
        width += log(e.ci.high / e.ci.low);
        e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
        direct += log(e.ci.high / e.ci.low);
        result_fini(&r);
    }
    /* 95 % promised: 365 of 400 has a chance of 1 in 1,000; two factors of noise are the square root of 2 wider */
    assert_true(covered >= 365);
    assert_true(fabs(width / direct - sqrt(2)) < 0.1);
}

static void an_arm_with_two_trials_in_an_invocation_counts_once(void **state)
{
    (void)state;
    struct counter_rng rng;
    counter_rng_init(&rng, 12, 0, 0);
    struct result r = grouped(8, &rng);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->arms[0].cost_ns.n, 8);
    assert_int_equal(s->arms[0].start_ns.n, 8);
    assert_int_equal(s->arms[3].standing, ARM_NOT_MEASURED);
    assert_true(s->arms[2].to_best.value > 1.4 && s->arms[2].to_best.n == 8);
    summary_destroy(s);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_known_ratio_comes_back_with_its_order_statistics),
        cmocka_unit_test(the_trimmed_mean_of_the_same_ratios_stands_beside_it),
        cmocka_unit_test(common_swings_of_invocation_and_block_cancel),
        cmocka_unit_test(the_warm_up_block_never_counts),
        cmocka_unit_test(a_void_block_is_void_for_all_arms_and_counted),
        cmocka_unit_test(a_cost_of_zero_or_infinity_or_nan_voids_its_block),
        cmocka_unit_test(unequal_numbers_in_two_arms_are_paired_where_both_were),
        cmocka_unit_test(costs_nine_orders_apart_are_compared),
        cmocka_unit_test(a_constant_against_a_clear_difference_is_a_difference),
        cmocka_unit_test(nine_equal_and_one_other_are_no_difference),
        cmocka_unit_test(arms_of_two_groups_are_compared_through_the_one_they_share),
        cmocka_unit_test(an_arm_with_two_trials_in_an_invocation_counts_once),
    };
    return CASES(list);
}
