#include "results/stats/power.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "results/stats/order_statistic.h"
#include "testing/cmocka.h"

enum { POOL = 2000, DRAWS = 4000 };

static double smallest(const double *x, const size_t *group, size_t ngroups, const size_t *look_n, int looks)
{
    double out = NAN;
    const struct stats_power_pool pool = {.ln_ratios = x, .group = group, .ngroups = ngroups};
    assert_int_equal(stats_power_smallest(&pool, look_n, looks, 0.01, 0.95, DRAWS, 1, &out, NULL), 0);
    return out;
}

/* Uniform on -1 .. 1: the r-th smallest of n is a Beta(r, n - r + 1) variable (David and Nagaraja, section 2.3). */
static void one_look_at_uniform_ratios_agrees_with_the_beta_distribution(void **state)
{
    (void)state;
    double x[POOL];
    size_t group[POOL];
    for (int i = 0; i < POOL; i++) {
        x[i] = (2 * i + 1.0) / POOL - 1;
        group[i] = 1;
    }
    static const size_t sizes[] = {12, 48, 300};
    for (int k = 0; k < 3; k++) {
        size_t n = sizes[k], r = stats_median_rank(n, 0.01);
        double exact = 1 - 2 * gsl_cdf_beta_Pinv(0.05, (double)r, (double)(n - r + 1));
        assert_true(fabs(smallest(x, group, POOL, &n, 1) - exact) < 0.02);
    }
}

static void more_invocations_find_less_and_a_second_look_costs_level(void **state)
{
    (void)state;
    double x[POOL];
    size_t group[POOL], few = 24, many = 96, both[] = {24, 96};
    for (int i = 0; i < POOL; i++) {
        x[i] = gsl_cdf_gaussian_Pinv((i + 0.5) / POOL, 0.01);
        group[i] = 1;
    }
    double at_24 = smallest(x, group, POOL, &few, 1), at_96 = smallest(x, group, POOL, &many, 1);
    double with_looks = smallest(x, group, POOL, both, 2);
    assert_true(at_96 < 0.6 * at_24);
    assert_true(with_looks > at_96 && with_looks < at_24);
}

/* What all invocations of a session share does not average out over them. */
static void groups_stay_whole(void **state)
{
    (void)state;
    double x[POOL];
    size_t group[POOL / 10], alone[POOL], n = 40;
    for (int i = 0; i < POOL; i++) {
        x[i] = gsl_cdf_gaussian_Pinv((i / 10 + 0.5) / (POOL / 10), 0.01);
        alone[i] = 1;
        group[i / 10] = 10;
    }
    assert_true(smallest(x, group, POOL / 10, &n, 1) > 1.5 * smallest(x, alone, POOL, &n, 1));
}

static void without_noise_any_effect_is_found_and_too_few_find_none(void **state)
{
    (void)state;
    double x[20] = {0};
    size_t group[] = {10, 10}, n = 12, few = 3;
    assert_true(smallest(x, group, 2, &n, 1) == 0);
    assert_true(isinf(smallest(x, group, 2, &few, 1)));
}

static void nothing_to_draw_from_is_an_error(void **state)
{
    (void)state;
    double x[1] = {0}, out;
    size_t n = 12, none[] = {1, 0};
    struct err err = {0};
    struct stats_power_pool pool = {.ln_ratios = x, .group = none};
    assert_int_equal(stats_power_smallest(&pool, &n, 1, 0.01, 0.95, 10, 0, &out, NULL), -EINVAL);
    pool.ngroups = 2;
    assert_int_equal(stats_power_smallest(&pool, &n, 1, 0.01, 0.95, 10, 0, &out, &err), -EINVAL);
    assert_string_equal(err.text, "group 1 of 2 has no invocation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_look_at_uniform_ratios_agrees_with_the_beta_distribution),
        cmocka_unit_test(more_invocations_find_less_and_a_second_look_costs_level),
        cmocka_unit_test(groups_stay_whole),
        cmocka_unit_test(without_noise_any_effect_is_found_and_too_few_find_none),
        cmocka_unit_test(nothing_to_draw_from_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
