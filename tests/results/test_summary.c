#include "results/summary.h"

#include <errno.h>
#include <math.h>

#include "base/counter_rng.h"
#include "building.h"
#include "testing/cmocka.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static struct summary *summarise(const struct result *r, double level)
{
    struct summary *s = NULL;
    struct err err = {0};
    assert_int_equal(summary_create(r, level, &s, &err), 0);
    return s;
}

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
    struct result r = building_create((struct shape){2, 6, 2, 2});
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

static void nothing_usable_is_no_choice(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 6, 1, 1});
    for (size_t i = 0; i < 6; i++)
        r.invocations[i].void_reason = strdup("steal");
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_NONE);
    assert_int_equal(s->choice.arm, -1);
    assert_string_equal(s->arms[0].note, "steal");
    assert_int_equal(s->invocations_valid, 0);
    summary_destroy(s);
    result_fini(&r);
    r = (struct result){.alpha = 0.05};
    s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_NONE);
    summary_destroy(s);
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

static void identical_values_choose_the_smallest_arm(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){4, 12, 3, 1});
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_DECIDED);
    assert_int_equal(s->choice.arm, 0);
    assert_true(s->choice.more_ns == 0);
    for (int a = 0; a < 4; a++) {
        assert_int_equal(s->arms[a].standing, ARM_GOOD);
        assert_true(near(s->arms[a].to_best.value, 1) && near(s->arms[a].to_best.ci.high, 1));
        assert_true(s->arms[a].to_best.n == 12);
    }
    summary_destroy(s);
    result_fini(&r);
}

/* 0 workers is 30 % dearer, 1 is 3 %, 2 the best, 3 as 2. */
static struct result four_arms(size_t n, uint64_t seed, double noise)
{
    static const double factor[] = {1.30, 1.02, 1.0, 1.0};
    struct result r = building_create((struct shape){4, n, 3, 1});
    struct counter_rng rng;
    counter_rng_init(&rng, seed, 0, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < 4; a++)
            building_scale(&r, i, a, factor[a] * exp(noise * counter_rng_normal(&rng)));
    return r;
}

static void the_smallest_within_the_margin_is_chosen(void **state)
{
    (void)state;
    struct result r = four_arms(30, 3, 0.01);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_DECIDED);
    assert_int_equal(s->choice.arm, 1);
    assert_int_equal(s->arms[0].standing, ARM_WORSE);
    assert_true(s->arms[0].to_best.ci.low > 1.2 && s->arms[0].to_best.ci.high < 1.4);
    assert_true(s->choice.nopen == 2 && s->choice.open[0] == 2);
    summary_destroy(s);
    result_fini(&r);
}

static void noise_leaves_the_choice_open_and_says_what_it_would_take(void **state)
{
    (void)state;
    struct result r = four_arms(12, 5, 0.10);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_UNDECIDED);
    assert_true(s->choice.arm >= 0 && s->choice.nopen >= 1);
    assert_true(isnan(s->choice.more_ns) || s->choice.more_ns > 0);
    summary_destroy(s);
    result_fini(&r);
}

static void a_smaller_arm_that_is_open_leaves_a_tie(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 12, 1, 1});
    for (size_t i = 0; i < 12; i++)
        building_scale(&r, i, 0, i % 2 ? 1.03 : 1.2);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.state, CHOICE_TIED);
    assert_int_equal(s->choice.arm, 1);
    assert_int_equal(s->arms[0].standing, ARM_IN_RACE);
    assert_true(s->choice.nopen == 1 && s->choice.open[0] == 0);
    summary_destroy(s);
    result_fini(&r);
}

static void a_look_drops_the_worse_and_keeps_those_dropped_before(void **state)
{
    (void)state;
    struct result r = four_arms(30, 3, 0.01);
    r.looks_planned = 3;
    bool dropped[4];
    struct choice c;
    struct err err = {0};
    assert_int_equal(summary_look(&r, 1, dropped, &c, &err), 0);
    assert_true(dropped[0] && !dropped[1] && !dropped[2] && !dropped[3]);
    assert_int_equal(c.state, CHOICE_DECIDED);
    choice_fini(&c);
    r.dropped_at_look[3] = 1;
    for (size_t i = 12; i < 30; i++)
        building_absent(&r, i, 3);
    assert_int_equal(summary_look(&r, 2, dropped, &c, &err), 0);
    assert_true(dropped[0] && dropped[3] && !dropped[2]);
    choice_fini(&c);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->arms[3].standing, ARM_WORSE);
    assert_int_equal(s->arms[3].dropped_at_look, 1);
    assert_int_equal(s->arms[3].cost_ns.n, 12);
    assert_int_equal(summary_ratio(&r, 3, 2, METRIC_COST_NS, 0.95).n, 12); /* unequal numbers */
    assert_int_equal(s->arms[2].cost_ns.n, 30);
    summary_destroy(s);
    assert_int_equal(summary_look(&r, 4, dropped, &c, &err), -EINVAL);
    result_fini(&r);
}

static void too_few_invocations_decide_nothing(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){10, 10, 1, 1});
    r.looks_planned = 3; /* 0.05 / 3 / 2 / 9 needs 11 */
    bool dropped[10];
    struct choice c;
    assert_int_equal(summary_look(&r, 1, dropped, &c, NULL), 0);
    assert_int_equal(c.state, CHOICE_UNDECIDED);
    assert_true(c.arm >= 0 && c.nopen == 9);
    choice_fini(&c);
    result_fini(&r);
    r = building_create((struct shape){10, 11, 1, 1});
    r.looks_planned = 3;
    assert_int_equal(summary_look(&r, 1, dropped, &c, NULL), 0);
    assert_int_equal(c.state, CHOICE_DECIDED);
    choice_fini(&c);
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

/* An arm with a 70 % spread is not a regression: its interval holds 1. */
static void a_spread_of_70_percent_is_not_called_worse(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 11, 1, 1});
    for (size_t i = 0; i < 11; i++)
        building_scale(&r, i, 1, i % 2 ? 0.55 : 1.9);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->arms[1].standing, ARM_IN_RACE);
    struct estimate e = summary_ratio(&r, 1, 0, METRIC_COST_NS, 0.95);
    assert_true(e.ci.low < 1 && e.ci.high > 1);
    summary_destroy(s);
    result_fini(&r);
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

static void size_goes_by_workers_then_threads_then_cpu_time(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){3, 6, 1, 1});
    r.arms[0].setting = (struct setting){.workers = 2, .threads = 1};
    r.arms[1].setting = (struct setting){.workers = 1, .threads = 4};
    r.arms[2].setting = (struct setting){.workers = 1, .threads = 4};
    for (size_t i = 0; i < 6; i++)
        for (int b = 0; b <= 1; b++)
            building_turn(&r, i, 1, b, 0)->cpu_ns = 2e6;
    struct summary *s = summarise(&r, 0.95);
    assert_true(summary_compare_size(s, 0, 1) > 0 && summary_compare_size(s, 1, 0) < 0);
    assert_true(summary_compare_size(s, 2, 1) < 0);
    assert_int_equal(s->choice.arm, 2);
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

static void an_arm_that_failed_is_neither_chosen_nor_the_best(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){3, 12, 1, 1});
    for (size_t i = 0; i < 12; i++)
        building_scale(&r, i, 0, 0.2);
    r.arms[0].failure = strdup("worker 0 died");
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->choice.arm, 1);
    assert_int_equal(s->arms[0].standing, ARM_NOT_MEASURED);
    assert_string_equal(s->arms[0].note, "worker 0 died");
    assert_true(near(s->arms[2].to_best.ci.high, 1) && near(s->arms[0].cost_ns.value, 2e5));
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
        cmocka_unit_test(arms_of_two_groups_are_compared_through_the_one_they_share),
        cmocka_unit_test(an_arm_with_two_trials_in_an_invocation_counts_once),
        cmocka_unit_test(common_swings_of_invocation_and_block_cancel),
        cmocka_unit_test(the_warm_up_block_never_counts),
        cmocka_unit_test(a_void_block_is_void_for_all_arms_and_counted),
        cmocka_unit_test(a_cost_of_zero_or_infinity_or_nan_voids_its_block),
        cmocka_unit_test(an_arm_that_was_never_measured_says_why),
        cmocka_unit_test(nothing_usable_is_no_choice),
        cmocka_unit_test(one_and_two_invocations_have_no_interval),
        cmocka_unit_test(identical_values_choose_the_smallest_arm),
        cmocka_unit_test(the_smallest_within_the_margin_is_chosen),
        cmocka_unit_test(noise_leaves_the_choice_open_and_says_what_it_would_take),
        cmocka_unit_test(a_smaller_arm_that_is_open_leaves_a_tie),
        cmocka_unit_test(a_look_drops_the_worse_and_keeps_those_dropped_before),
        cmocka_unit_test(too_few_invocations_decide_nothing),
        cmocka_unit_test(unequal_numbers_in_two_arms_are_paired_where_both_were),
        cmocka_unit_test(costs_nine_orders_apart_are_compared),
        cmocka_unit_test(a_constant_against_a_clear_difference_is_a_difference),
        cmocka_unit_test(nine_equal_and_one_other_are_no_difference),
        cmocka_unit_test(a_spread_of_70_percent_is_not_called_worse),
        cmocka_unit_test(a_step_between_the_halves_cancels_in_ratios_and_widens_the_cost),
        cmocka_unit_test(a_worker_is_compared_with_the_main_process_on_all_cpus),
        cmocka_unit_test(size_goes_by_workers_then_threads_then_cpu_time),
        cmocka_unit_test(quantiles_of_items_leave_out_what_is_void),
        cmocka_unit_test(the_excess_over_the_best_is_corrected_on_one_side),
        cmocka_unit_test(three_looks_need_seven_invocations_where_one_needs_six),
        cmocka_unit_test(a_quantile_of_items_has_an_interval_over_invocations),
        cmocka_unit_test(an_arm_that_failed_is_neither_chosen_nor_the_best),
        cmocka_unit_test(figures_that_were_not_measured_stay_unknown),
    };
    return CASES(list);
}
