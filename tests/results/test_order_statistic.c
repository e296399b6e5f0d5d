#include "results/stats/order_statistic.h"

#include <math.h>
#include <stdbool.h>

#include "testing/cmocka.h"

static void ranks_are_those_of_the_published_table(void **state)
{
    (void)state;
    /* Two-sided 95 % ranks of the median (Conover, table A3; also R's qbinom(0.025, n, 0.5)). */
    static const struct {
        size_t n, rank;
    } table[] = {{5, 0},  {6, 1},  {7, 1},  {8, 1},  {9, 2},   {10, 2},  {11, 2},  {12, 3},
                 {15, 4}, {17, 5}, {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(stats_median_rank(table[i].n, 0.025), table[i].rank);
    assert_int_equal(stats_median_rank(0, 0.025), 0);
}

static void smallest_n_is_6_8_and_11(void **state)
{
    (void)state;
    assert_int_equal(stats_median_smallest_n(0.05 / 2), 6);
    assert_int_equal(stats_median_smallest_n(0.01 / 2), 8);
    assert_int_equal(stats_median_smallest_n(0.001 / 2), 11);
    assert_int_equal(stats_median_smallest_n(0.05 / 3 / 2 / 9), 11);
    assert_int_equal(stats_median_smallest_n(0.5), 1);
    for (double alpha = 0.4; alpha > 1e-6; alpha /= 1.37) {
        size_t n = stats_median_smallest_n(alpha);
        assert_int_equal(stats_median_rank(n, alpha), 1);
        if (n > 1)
            assert_int_equal(stats_median_rank(n - 1, alpha), 0);
    }
}

/* Exact coverage: of all 2^n sign patterns, those in which the rank-th value lies above the median. */
static void a_limit_is_wrong_as_often_as_it_says_and_no_better_one_exists(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 14; n++) {
        for (double alpha = 0.3; alpha > 1e-4; alpha *= 0.6) {
            size_t r = stats_median_rank(n, alpha);
            size_t wrong = 0, wrong_next = 0;
            for (unsigned pattern = 0; pattern < 1u << n; pattern++) {
                unsigned below = (unsigned)__builtin_popcount(pattern);
                wrong += r > 0 && below <= r - 1;
                wrong_next += below <= r;
            }
            assert_true(ldexp((double)wrong, -(int)n) <= alpha);
            assert_true(ldexp((double)wrong_next, -(int)n) > alpha);
        }
    }
}

static void the_interval_of_the_median_is_the_second_and_ninth_of_ten(void **state)
{
    (void)state;
    double x[] = {5, 3, 9, 1, 10, 2, 8, 4, 7, 6};
    assert_true(stats_median(x, 10) == 5.5);
    struct interval ci = stats_median_interval(x, 10, 0.95);
    assert_true(ci.known && ci.low == 2 && ci.high == 9 && ci.level == 0.95);
    assert_true(stats_median_lower(x, 10, 0.025) == 2);
    assert_true(stats_median_upper(x, 10, 0.025) == 9);
}

static void too_few_values_give_no_interval(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5};
    for (size_t n = 0; n <= 5; n++) {
        assert_false(stats_median_interval(x, n, 0.95).known);
        assert_true(isnan(stats_median_interval(x, n, 0.95).low));
        assert_true(isinf(stats_median_lower(x, n, 0.025)) && isinf(stats_median_upper(x, n, 0.025)));
    }
    assert_true(isnan(stats_median(x, 0)));
    assert_true(stats_median(x, 1) == 1);
    assert_true(stats_median(x, 2) == 1.5);
}

static void identical_values_and_huge_ones_keep_their_place(void **state)
{
    (void)state;
    double same[] = {7, 7, 7, 7, 7, 7, 7};
    struct interval ci = stats_median_interval(same, 7, 0.95);
    assert_true(ci.known && ci.low == 7 && ci.high == 7);
    double huge[] = {0x1p63, 0x1p53, 0x1p53 + 2, 1e-3, 1, 1e9};
    assert_true(stats_median(huge, 6) == (1e9 + 0x1p53) / 2);
    ci = stats_median_interval(huge, 6, 0.95);
    assert_true(ci.low == 1e-3 && ci.high == 0x1p63);
    double nine[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 1000};
    ci = stats_median_interval(nine, 10, 0.95);
    assert_true(ci.low == 3 && ci.high == 3);
}

static void fewer_effective_values_widen_the_interval(void **state)
{
    (void)state;
    double x[24];
    for (int i = 0; i < 24; i++)
        x[i] = i + 1;
    struct interval full = stats_median_interval_effective(x, 24, 24, 0.95);
    struct interval half = stats_median_interval_effective(x, 24, 12, 0.95);
    struct interval quarter = stats_median_interval_effective(x, 24, 6, 0.95);
    assert_true(full.low == 7 && full.high == 18);
    assert_true(half.low == 5 && half.high == 20);
    assert_true(quarter.low == 3 && quarter.high == 22);
    assert_false(stats_median_interval_effective(x, 24, 3, 0.95).known);
}

static void quantile_ranks_hold_what_the_binomial_says(void **state)
{
    (void)state;
    size_t low, high;
    stats_quantile_ranks(10, 0.5, 0.95, &low, &high);
    assert_int_equal(low, 2);
    assert_int_equal(high, 9);
    /* Bin(100, 0.9): P(X <= 83) = 0.0206, P(X <= 84) = 0.0399; P(X >= 96) = 0.0237, P(X >= 95) = 0.0576 */
    stats_quantile_ranks(100, 0.9, 0.95, &low, &high);
    assert_int_equal(low, 84);
    assert_int_equal(high, 96);
    stats_quantile_ranks(20, 0.99, 0.95, &low, &high);
    assert_int_equal(high, 21);
    stats_quantile_ranks(0, 0.5, 0.95, &low, &high);
    assert_true(low == 0 && high == 1);
}

static void quantiles_interpolate(void **state)
{
    (void)state;
    double x[] = {1, 2, 4, 8};
    assert_true(stats_quantile_sorted(x, 4, 0) == 1);
    assert_true(stats_quantile_sorted(x, 4, 1) == 8);
    assert_true(stats_quantile_sorted(x, 4, 0.5) == 3);
    assert_true(fabs(stats_quantile_sorted(x, 4, 0.25) - 1.75) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(ranks_are_those_of_the_published_table),
        cmocka_unit_test(smallest_n_is_6_8_and_11),
        cmocka_unit_test(a_limit_is_wrong_as_often_as_it_says_and_no_better_one_exists),
        cmocka_unit_test(the_interval_of_the_median_is_the_second_and_ninth_of_ten),
        cmocka_unit_test(too_few_values_give_no_interval),
        cmocka_unit_test(identical_values_and_huge_ones_keep_their_place),
        cmocka_unit_test(fewer_effective_values_widen_the_interval),
        cmocka_unit_test(quantile_ranks_hold_what_the_binomial_says),
        cmocka_unit_test(quantiles_interpolate),
    };
    return CASES(list);
}
