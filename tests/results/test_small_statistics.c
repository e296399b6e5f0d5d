/* Trimmed mean, proportions, Holm, two one-sided tests: each against published or closed-form values. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results/stats/holm.h"
#include "results/stats/proportion.h"
#include "results/stats/tost.h"
#include "results/stats/trimmed.h"
#include "testing/cmocka.h"

static bool within(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

/* Wilcox, "Introduction to Robust Estimation": the self-awareness data, 20 % trimmed: 282.7, se 56.1. */
static void trimmed_mean_of_the_self_awareness_data(void **state)
{
    (void)state;
    double x[] = {2611, 77,  87,  88,  114, 151, 210, 219, 246, 253,
                  262,  296, 299, 306, 376, 428, 515, 666, 1310};
    struct stats_trimmed t = stats_trimmed(x, 19, 0.95);
    assert_int_equal(t.kept, 13);
    assert_true(within(t.mean, 282.7, 0.05) && within(t.se, 56.1, 0.1));
    assert_true(t.ci.known && within(t.ci.low, 160.4, 0.3) && within(t.ci.high, 405.0, 0.3));
}

static void trimming_nothing_is_students_t(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4}; /* mean 2.5, s = 1.2910, t(3) = 3.1824 */
    struct stats_trimmed t = stats_trimmed(x, 4, 0.95);
    assert_true(t.mean == 2.5 && within(t.ci.high - 2.5, 3.18245 * 1.290994 / 2, 1e-4));
    double same[] = {7, 7, 7, 7, 7, 7};
    t = stats_trimmed(same, 6, 0.95);
    assert_true(t.mean == 7 && t.ci.low == 7 && t.ci.high == 7);
    assert_false(stats_trimmed(x, 1, 0.95).ci.known);
    assert_true(isnan(stats_trimmed(x, 0, 0.95).mean));
}

static void one_wild_value_does_not_move_the_trimmed_mean(void **state)
{
    (void)state;
    double a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, b[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e18};
    assert_true(stats_trimmed(a, 10, 0.95).mean == stats_trimmed(b, 10, 0.95).mean);
    assert_true(stats_trimmed(a, 10, 0.95).se == stats_trimmed(b, 10, 0.95).se);
}

static void clopper_and_pearsons_limits(void **state)
{
    (void)state;
    struct interval ci = stats_proportion(5, 10, 0.95);
    assert_true(within(ci.low, 0.1871, 5e-5) && within(ci.high, 0.8129, 5e-5));
    ci = stats_proportion(1, 10, 0.95);
    assert_true(within(ci.low, 0.0025, 5e-5) && within(ci.high, 0.4450, 5e-5));
    ci = stats_proportion(0, 10, 0.95); /* 1 - 0.025^(1/10) */
    assert_true(ci.low == 0 && within(ci.high, 1 - pow(0.025, 0.1), 1e-9));
    ci = stats_proportion(10, 10, 0.95);
    assert_true(ci.high == 1 && within(ci.low, pow(0.025, 0.1), 1e-9));
    assert_true(within(stats_proportion_upper(0, 300, 0.95), 1 - pow(0.05, 1.0 / 300), 1e-9));
    assert_true(stats_proportion_upper(0, 300, 0.95) < 0.01);
    assert_false(stats_proportion(0, 0, 0.95).known);
    assert_true(stats_proportion_upper(0, 0, 0.95) == 1);
}

static void holm_steps_down(void **state)
{
    (void)state;
    double p[] = {0.01, 0.04, 0.03, 0.005}, a[4];
    assert_int_equal(stats_holm(p, 4, a, NULL), 0);
    assert_true(within(a[0], 0.03, 1e-12) && within(a[1], 0.06, 1e-12) && within(a[2], 0.06, 1e-12) &&
                within(a[3], 0.02, 1e-12));
    double ones[] = {0.6, 0.9};
    stats_holm(ones, 2, ones, NULL);
    assert_true(ones[0] == 1 && ones[1] == 1);
    assert_int_equal(stats_holm(p, 0, a, NULL), 0);
}

static void the_sign_test_counts_binomially(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1};
    assert_true(within(stats_sign_test_above(x, 10, 0), 11.0 / 1024, 1e-12));
    assert_true(within(stats_sign_test_below(x, 10, 0), 1023.0 / 1024, 1e-12));
    double ties[] = {0, 0, 0, 0, 0, 0};
    assert_true(stats_sign_test_above(ties, 6, 0) == 1 && stats_sign_test_below(ties, 6, 0) == 1);
    assert_true(stats_sign_test_above(x, 0, 0) == 1);
}

static void no_difference_found_is_not_called_equal(void **state)
{
    (void)state;
    assert_int_equal(stats_tost(-0.2, 0.1, 0.05), STATS_NOTHING_FOUND);
    assert_int_equal(stats_tost(-0.04, 0.03, 0.05), STATS_EQUAL_WITHIN);
    assert_int_equal(stats_tost(-0.05, 0.03, 0.05), STATS_NOTHING_FOUND);
    assert_int_equal(stats_tost(0.01, 0.2, 0.05), STATS_DIFFERENT);
    assert_int_equal(stats_tost(0.01, 0.03, 0.05), STATS_DIFFERENT_WITHIN);
    assert_int_equal(stats_tost(-0.3, -0.1, 0.05), STATS_DIFFERENT);
    assert_int_equal(stats_tost(0, 0.2, 0.05), STATS_NOTHING_FOUND); /* an interval that holds 0 */
    assert_int_equal(stats_tost(-INFINITY, INFINITY, 0.05), STATS_NOTHING_FOUND);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(trimmed_mean_of_the_self_awareness_data),
        cmocka_unit_test(trimming_nothing_is_students_t),
        cmocka_unit_test(one_wild_value_does_not_move_the_trimmed_mean),
        cmocka_unit_test(clopper_and_pearsons_limits),
        cmocka_unit_test(holm_steps_down),
        cmocka_unit_test(the_sign_test_counts_binomially),
        cmocka_unit_test(no_difference_found_is_not_called_equal),
    };
    return CASES(list);
}
