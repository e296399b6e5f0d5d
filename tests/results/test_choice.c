#include "results/stats/choice.h"

#include <math.h>

#include "testing/cmocka.h"

static struct stats_limits pair(double low, double value, double high)
{
    return (struct stats_limits){.value = value, .low = low, .high = high, .sd = 0.02, .n = 12};
}

static void levels_split_over_looks_pairs_and_directions(void **state)
{
    (void)state;
    assert_true(fabs(stats_choice_alpha(0.05, 3, 10) - 0.05 / 3 / 2 / 9) < 1e-18);
    assert_true(stats_choice_alpha(0.05, 1, 1) == 0.025);
    assert_int_equal(stats_choice_smallest_n(0.05, 3, 10), 11);
    assert_int_equal(stats_choice_smallest_n(0.05, 3, 2), 7);
    assert_int_equal(stats_choice_smallest_n(0.05, 1, 2), 6);
}

static void limits_are_the_order_statistics(void **state)
{
    (void)state;
    double x[] = {8, 1, 7, 2, 6, 3, 5, 4};
    struct stats_limits l = stats_limits(x, 8, 0.05, 0.005);
    assert_true(l.value == 4.5 && l.low == 2 && l.high == 8 && l.n == 8);
    assert_true(fabs(l.sd - 3.5 / 1.349) < 1e-12);
    l = stats_limits(x, 3, 0.05, 0.05);
    assert_true(isinf(l.low) && isinf(l.high) && isnan(l.sd) && l.value == 2);
    assert_true(isnan(stats_limits(x, 0, 0.05, 0.05).value));
}

/* Arms 0, 1, 2; the margin is 0.05: 0 is worse than 2 for sure, 1 is good, 2 the best. */
static const struct {
    double low, value, high;
} three[9] = {{0, 0, 0}, {0.06, 0.1, 0.2},  {0.09, 0.12, 0.2},    {-0.2, -0.1, -0.06},
              {0, 0, 0}, {0.0, 0.02, 0.04}, {-0.2, -0.12, -0.09}, {-0.04, -0.02, 0.0},
              {0, 0, 0}};

static void fill(struct stats_limits *pairs)
{
    for (int i = 0; i < 9; i++)
        pairs[i] = pair(three[i].low, three[i].value, three[i].high);
}

static void worse_needs_one_other_and_good_needs_all(void **state)
{
    (void)state;
    struct stats_limits pairs[9];
    fill(pairs);
    bool in[] = {true, true, true}, worse[3], good[3];
    size_t size[] = {0, 0, 0};
    stats_choice_judge(pairs, in, size, 3, 0.05, worse, good);
    assert_true(worse[0] && !worse[1] && !worse[2]);
    assert_true(!good[0] && good[1] && good[2]);
    assert_int_equal(stats_choice_best(pairs, in, 3), 2);
    pairs[5].high = 0.05; /* not below the margin: open */
    stats_choice_judge(pairs, in, size, 3, 0.05, worse, good);
    assert_true(!worse[1] && !good[1]);
    bool two[] = {true, true, false}; /* out of the race: judged by nobody, judges nobody */
    stats_choice_judge(pairs, two, size, 3, 0.05, worse, good);
    assert_true(worse[0] && good[1] && !good[2] && !worse[2]);
    bool none[] = {false, false, false};
    assert_int_equal(stats_choice_best(pairs, none, 3), 3);
}

static void the_larger_of_two_is_out_when_it_is_slower_by_anything(void **state)
{
    (void)state;
    struct stats_limits pairs[4] = {pair(0, 0, 0), pair(-0.03, -0.02, -0.01), pair(0.01, 0.02, 0.03),
                                    pair(0, 0, 0)};
    bool in[] = {true, true}, out[2], good[2];
    size_t size[] = {0, 1};
    stats_choice_judge(pairs, in, size, 2, 0.05, out, good);
    assert_true(!out[0] && out[1] && good[0] && good[1]);
    assert_true(stats_choice_only_slower(pairs, in, size, 2, 1, 0.05)); /* not by the margin */
    assert_false(stats_choice_only_slower(pairs, in, size, 2, 1, 0.005));
    assert_false(stats_choice_only_slower(pairs, in, size, 2, 0, 0.05));
    pairs[2].low = pairs[1].high = 0; /* not surely */
    stats_choice_judge(pairs, in, size, 2, 0.05, out, good);
    assert_true(!out[0] && !out[1]);
    pairs[2].low = 0.01, pairs[1].high = -0.01;
    size[1] = 0; /* as large: the CPU time it takes may still speak for it */
    stats_choice_judge(pairs, in, size, 2, 0.05, out, good);
    assert_true(!out[1]);
    size[0] = 1; /* the slower one is smaller: within the margin it may be the one to use */
    stats_choice_judge(pairs, in, size, 2, 0.05, out, good);
    assert_true(!out[0] && !out[1]);
}

static void excess_over_the_best_is_bounded_by_all_others(void **state)
{
    (void)state;
    struct stats_limits pairs[9];
    fill(pairs);
    bool in[] = {true, true, true};
    struct stats_limits e = stats_choice_excess(pairs, in, 3, 0, 2);
    assert_true(e.value == 0.12 && e.low == 0.09 && e.high == 0.2 && e.n == 12);
    e = stats_choice_excess(pairs, in, 3, 2, 2);
    assert_true(e.value == 0 && e.low == 0 && e.high == 0 && e.n == 12);
    pairs[7].high = 0.01; /* arm 1 may be the best after all */
    e = stats_choice_excess(pairs, in, 3, 2, 2);
    assert_true(e.value == 0 && e.low == 0 && e.high == 0.01);
    pairs[1].high = INFINITY;
    assert_true(isinf(stats_choice_excess(pairs, in, 3, 0, 2).high));
}

static void what_a_decision_takes_grows_as_the_square_of_the_spread(void **state)
{
    (void)state;
    struct stats_limits pairs[4] = {pair(0, 0, 0), pair(-1, 0.0, 1), pair(-1, 0.0, 1), pair(0, 0, 0)};
    bool in[] = {true, true}, precedes[] = {false, false};
    size_t size[] = {0, 0};
    /* z(0.01) = 2.3263; 2.3263 * 1.2533 * 0.1 / 0.05 = 5.831; squared 34.003 */
    pairs[1].sd = 0.1;
    assert_true(stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01) == 35);
    pairs[1].sd = 0.2;
    double twice = stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01);
    assert_true(twice > 134 && twice < 139);
    pairs[1].sd = 0; /* the fewest a limit can come from: 2^-7 < 0.01 */
    assert_true(stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01) == 7);
    pairs[1].value = 0.05; /* on the margin: no number of invocations tells */
    assert_true(isinf(stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01)));
    pairs[1].value = 0;
    precedes[1] = true; /* arm 1 has to be dropped, but is as good */
    assert_true(isinf(stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01)));
    /* A larger one that is slower by 0.02 goes sooner by that than by being within 0.05 - 0.04 of it. */
    precedes[1] = false;
    size[1] = 1;
    pairs[1] = pair(-1, 0.04, 1);
    pairs[2] = pair(-1, 0.02, 1);
    pairs[1].sd = pairs[2].sd = 0.1;
    assert_true(stats_choice_needed_n(pairs, in, size, precedes, 2, 0, 0.05, 0.01) ==
                213); /* 14.578 squared */
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(levels_split_over_looks_pairs_and_directions),
        cmocka_unit_test(limits_are_the_order_statistics),
        cmocka_unit_test(worse_needs_one_other_and_good_needs_all),
        cmocka_unit_test(the_larger_of_two_is_out_when_it_is_slower_by_anything),
        cmocka_unit_test(excess_over_the_best_is_bounded_by_all_others),
        cmocka_unit_test(what_a_decision_takes_grows_as_the_square_of_the_spread),
    };
    return CASES(list);
}
