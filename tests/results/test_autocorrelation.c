#include "results/stats/autocorrelation.h"

#include <math.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

static void lag1_of_known_series(void **state)
{
    (void)state;
    double line[] = {1, 2, 3, 4, 5}, zigzag[] = {1, -1, 1, -1}, same[] = {4, 4, 4, 4};
    assert_true(fabs(stats_lag1(line, 5) - 0.4) < 1e-15); /* (2 + 0 + 0 + 2) / 10 */
    assert_true(fabs(stats_lag1(zigzag, 4) + 0.75) < 1e-15);
    assert_true(stats_lag1(same, 4) == 0);
    assert_true(isnan(stats_lag1(line, 2)));
}

/* All 24 orders of four values by hand: the sum of neighbours' products of the centred ranks -1.5 .. 1.5 is
 * largest, 1.25, in 1 2 3 4 and 4 3 2 1 and nowhere else: p = 2 / 24. */
static void p_is_the_share_of_orders_as_smooth(void **state)
{
    (void)state;
    double line[] = {10, 20, 30, 40}, p;
    assert_int_equal(stats_lag1_test(line, 4, &p, NULL), 0);
    /* 999 draws: four standard deviations of the binomial are 0.035 */
    assert_true(fabs(p - 2.0 / 24) < 0.035);
    double same[] = {3, 3, 3, 3, 3, 3};
    assert_int_equal(stats_lag1_test(same, 6, &p, NULL), 0);
    assert_true(p == 1);
    assert_int_equal(stats_lag1_test(line, 3, &p, NULL), 0);
    assert_true(p == 1);
}

static double rejected(double rho, size_t n, double level, int repeats, double *effective)
{
    int count = 0;
    *effective = 0;
    for (int k = 0; k < repeats; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, 77, 0, (uint64_t)k);
        double x[64], p;
        size_t m;
        x[0] = counter_rng_normal(&rng);
        for (size_t i = 1; i < n; i++)
            x[i] = rho * x[i - 1] + sqrt(1 - rho * rho) * counter_rng_normal(&rng);
        for (size_t i = 0; i < n; i++)
            x[i] = exp(3 * x[i]); /* ranks do not see it */
        stats_lag1_test(x, n, &p, NULL);
        count += p <= level;
        stats_effective_n(x, n, &m, NULL);
        *effective += (double)m / repeats;
    }
    return (double)count / repeats;
}

static void the_test_keeps_its_level_and_finds_what_is_there(void **state)
{
    (void)state;
    double effective;
    /* 400 repeats at 0.1: five standard deviations are 0.075 */
    double null = rejected(0, 24, 0.1, 400, &effective);
    assert_true(null > 0.025 && null < 0.175);
    assert_true(effective > 19);
    assert_true(rejected(0.7, 48, 0.1, 100, &effective) > 0.9);
    assert_true(effective < 16);
}

/* Of the 70 ways to choose the first half of eight, only two are as uneven as the lowest four: p = 2 / 70. */
static void halves_that_differ_are_found(void **state)
{
    (void)state;
    double step[] = {1, 2, 3, 4, 15, 16, 17, 18}, mixed[] = {1, 16, 3, 18, 15, 2, 17, 4}, p;
    assert_int_equal(stats_halves_test(step, 8, &p, NULL), 0);
    assert_true(fabs(p - 2.0 / 70) < 0.022); /* four standard deviations of 999 draws */
    assert_int_equal(stats_halves_test(mixed, 8, &p, NULL), 0);
    assert_true(p > 0.5);
    assert_int_equal(stats_halves_test(step, 3, &p, NULL), 0);
    assert_true(p == 1);
}

static void a_ramp_is_joined_until_nothing_is_left(void **state)
{
    (void)state;
    double x[32];
    for (int i = 0; i < 32; i++)
        x[i] = i;
    size_t n;
    assert_int_equal(stats_effective_n(x, 32, &n, NULL), 0);
    /* Of 5 groups 8 of the 120 orders are as smooth (0 in the middle, the pairs at the ends): p = 0.067. Of 6, 16 of 720. */
    assert_int_equal(n, 5);
    assert_int_equal(stats_effective_n(x, 0, &n, NULL), 0);
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(lag1_of_known_series),
        cmocka_unit_test(p_is_the_share_of_orders_as_smooth),
        cmocka_unit_test(the_test_keeps_its_level_and_finds_what_is_there),
        cmocka_unit_test(halves_that_differ_are_found),
        cmocka_unit_test(a_ramp_is_joined_until_nothing_is_left),
    };
    return CASES(list);
}
