/* Which arms stay in the race, and which is chosen. */
#include "race.h"

#include <errno.h>

#include "base/counter_rng.h"
#include "summing.h"

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

/* 1 worker is best, 2 are 2 % slower: within the margin, but larger. */
static void a_larger_arm_that_is_slower_leaves_the_race(void **state)
{
    (void)state;
    static const double factor[] = {1.30, 1.0, 1.02};
    struct result r = building_create((struct shape){3, 20, 3, 1});
    for (size_t i = 0; i < 20; i++)
        for (size_t a = 0; a < 3; a++)
            building_scale(&r, i, a, factor[a] * (1 + 1e-3 * (double)((i + a) % 3)));
    r.looks_planned = 3;
    bool dropped[3];
    struct choice c;
    assert_int_equal(summary_look(&r, 1, dropped, &c, NULL), 0);
    assert_true(dropped[0] && !dropped[1] && dropped[2]);
    assert_true(c.state == CHOICE_DECIDED && c.arm == 1 && c.nopen == 0);
    choice_fini(&c);
    struct summary *s = summarise(&r, 0.95);
    assert_int_equal(s->arms[0].standing, ARM_WORSE);
    assert_int_equal(s->arms[2].standing, ARM_SLOWER);
    assert_string_equal(summary_standing_word(s->arms[2].standing), "slower");
    summary_destroy(s);
    r.arms[2].setting.workers = r.arms[1].setting.workers; /* of one size: CPU time is the last word */
    s = summarise(&r, 0.95);
    assert_int_equal(s->arms[2].standing, ARM_GOOD);
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

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(nothing_usable_is_no_choice),
        cmocka_unit_test(identical_values_choose_the_smallest_arm),
        cmocka_unit_test(the_smallest_within_the_margin_is_chosen),
        cmocka_unit_test(a_larger_arm_that_is_slower_leaves_the_race),
        cmocka_unit_test(noise_leaves_the_choice_open_and_says_what_it_would_take),
        cmocka_unit_test(a_smaller_arm_that_is_open_leaves_a_tie),
        cmocka_unit_test(a_look_drops_the_worse_and_keeps_those_dropped_before),
        cmocka_unit_test(too_few_invocations_decide_nothing),
        cmocka_unit_test(a_spread_of_70_percent_is_not_called_worse),
        cmocka_unit_test(size_goes_by_workers_then_threads_then_cpu_time),
        cmocka_unit_test(an_arm_that_failed_is_neither_chosen_nor_the_best),
    };
    return CASES(list);
}
