#include "results/stats/scaling.h"

#include <errno.h>
#include <math.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

enum { POINTS = 6, INVOCATIONS = 12 };
static const int workers[POINTS] = {1, 2, 3, 4, 6, 8};

static double cost_ns(double lambda, double sigma, double kappa, double n)
{
    return 1e9 * (1 + sigma * (n - 1) + kappa * n * (n - 1)) / (lambda * n);
}

static void make(double sigma, double kappa, double noise, uint64_t seed, double *cost)
{
    struct counter_rng rng;
    counter_rng_init(&rng, seed, 0, 0);
    for (int i = 0; i < INVOCATIONS; i++) {
        double swing = exp(5 * noise * counter_rng_normal(&rng));
        for (int p = 0; p < POINTS; p++)
            cost[i * POINTS + p] =
                swing * cost_ns(1000, sigma, kappa, workers[p]) * exp(noise * counter_rng_normal(&rng));
    }
}

static void parameters_that_made_the_data_come_back(void **state)
{
    (void)state;
    double cost[INVOCATIONS * POINTS];
    make(0.05, 0.02, 0, 1, cost);
    struct stats_scaling s;
    struct err err = {0};
    assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, &err), 0);
    assert_true(fabs(s.lambda_per_s.value - 1000) < 1e-5 && s.n == INVOCATIONS);
    assert_true(fabs(s.sigma.value - 0.05) < 1e-8 && fabs(s.kappa.value - 0.02) < 1e-8);
    assert_true(fabs(s.peak_workers.value - sqrt(0.95 / 0.02)) < 1e-6 && !s.peak_beyond); /* 6.892 */
    double peak = s.peak_workers.value;
    assert_true(fabs(s.peak_rate_per_s - 1e9 / cost_ns(1000, 0.05, 0.02, peak)) < 1e-4);
    assert_true(fabs(stats_scaling_rate(&s, 4, NULL) - 1e9 / cost_ns(1000, 0.05, 0.02, 4)) < 1e-4);
}

static void intervals_hold_the_parameters_under_noise(void **state)
{
    (void)state;
    int covered[3] = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double cost[INVOCATIONS * POINTS];
        make(0.05, 0.02, 0.02, seed, cost);
        struct stats_scaling s;
        assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, NULL), 0);
        covered[0] += s.sigma.ci.known && s.sigma.ci.low <= 0.05 && s.sigma.ci.high >= 0.05;
        covered[1] += s.kappa.ci.low <= 0.02 && s.kappa.ci.high >= 0.02;
        covered[2] += s.peak_workers.ci.low <= sqrt(47.5) && s.peak_workers.ci.high >= sqrt(47.5);
    }
    /* 95 % of 200 less four standard deviations */
    for (int k = 0; k < 3; k++)
        assert_true(covered[k] >= 178);
}

static void a_peak_far_beyond_what_was_measured_is_told(void **state)
{
    (void)state;
    double cost[INVOCATIONS * POINTS];
    make(0.02, 0.0005, 0, 1, cost); /* peak at 44 workers, 8 measured */
    struct stats_scaling s;
    assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, NULL), 0);
    assert_true(s.peak_beyond && s.most_workers == 8);
    bool beyond;
    assert_true(fabs(s.peak_rate_per_s - stats_scaling_rate(&s, 16, &beyond)) < 1e-9 && !beyond);
    stats_scaling_rate(&s, 17, &beyond);
    assert_true(beyond);
    make(0.1, 0, 0, 1, cost); /* Amdahl: no peak at all, up to rounding in kappa */
    assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, NULL), 0);
    assert_true(s.peak_beyond);
}

/* Throughput that stays the same, grows with each worker, grows faster than that: no peak. That only falls: at one. */
static void curves_without_a_peak_inside_say_so(void **state)
{
    (void)state;
    static const struct {
        double sigma, kappa;
        bool beyond;
    } curves[] = {{1, 0, true}, {0, 0, true}, {-0.05, 0, true}, {1.5, 0.2, false}};
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
        double cost[INVOCATIONS * POINTS];
        make(curves[c].sigma, curves[c].kappa, 0, 1, cost);
        struct stats_scaling s;
        assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, NULL), 0);
        assert_true(fabs(s.sigma.value - curves[c].sigma) < 1e-6 &&
                    fabs(s.kappa.value - curves[c].kappa) < 1e-6);
        assert_true(s.peak_beyond == curves[c].beyond);
        assert_true(s.peak_beyond || s.peak_workers.value == 1);
    }
}

static void missing_points_are_left_out_and_too_few_are_refused(void **state)
{
    (void)state;
    double cost[INVOCATIONS * POINTS];
    make(0.05, 0.02, 0, 1, cost);
    cost[1] = NAN;
    for (int p = 0; p < 4; p++)
        cost[POINTS + p] = NAN; /* the second invocation has two points left */
    struct stats_scaling s;
    struct err err = {0};
    assert_int_equal(stats_scaling(workers, POINTS, cost, INVOCATIONS, 0.95, &s, &err), 0);
    assert_int_equal(s.n, INVOCATIONS - 1);
    assert_true(fabs(s.sigma.value - 0.05) < 1e-8);
    assert_int_equal(stats_scaling(workers, 3, cost, INVOCATIONS, 0.95, &s, &err), -EINVAL);
    static const int same[] = {2, 2, 2, 2}, zero[] = {0, 1, 2, 3};
    assert_int_equal(stats_scaling(same, 4, cost, 1, 0.95, &s, NULL), -EINVAL);
    assert_int_equal(stats_scaling(zero, 4, cost, 1, 0.95, &s, NULL), -EINVAL);
    assert_int_equal(stats_scaling(workers, POINTS, cost, 0, 0.95, &s, NULL), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(parameters_that_made_the_data_come_back),
        cmocka_unit_test(intervals_hold_the_parameters_under_noise),
        cmocka_unit_test(a_peak_far_beyond_what_was_measured_is_told),
        cmocka_unit_test(curves_without_a_peak_inside_say_so),
        cmocka_unit_test(missing_points_are_left_out_and_too_few_are_refused),
    };
    return CASES(list);
}
