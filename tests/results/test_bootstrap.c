#include "results/stats/bootstrap.h"

#include <math.h>
#include <stdbool.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

static double mean_of(const size_t *pick, size_t n, const void *data)
{
    const double *x = data;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[pick[i]];
    return sum / (double)n;
}

static double never(const size_t *pick, size_t n, const void *data)
{
    (void)pick, (void)n, (void)data;
    return NAN;
}

/* For a mean of normal values the studentised statistic has Student's distribution, so the interval has to come
 * near t's: mean +- t(23) s / sqrt(24). */
static void a_mean_of_normal_values_comes_near_students_interval(void **state)
{
    (void)state;
    enum { N = 24 };
    double x[N], mean = 0, ss = 0;
    for (int i = 0; i < N; i++) { /* normal scores: (i - 0.375) / (n + 0.25), by bisection of erf */
        double p = (i + 0.625) / (N + 0.25), low = -6, high = 6;
        while (high - low > 1e-12) {
            double middle = (low + high) / 2;
            *(0.5 * erfc(-middle / sqrt(2)) < p ? &low : &high) = middle;
        }
        x[i] = 10 + low;
    }
    for (int i = 0; i < N; i++)
        mean += x[i] / N;
    for (int i = 0; i < N; i++)
        ss += (x[i] - mean) * (x[i] - mean);
    double reach = 2.0687 * sqrt(ss / (N - 1) / N), value;
    struct interval ci;
    assert_int_equal(stats_bootstrap_t((struct stats_statistic){mean_of, x}, N, 0.95, 1, &value, &ci, NULL),
                     0);
    assert_true(ci.known && fabs(value - mean) < 1e-12);
    assert_true(fabs((mean - ci.low) / reach - 1) < 0.06);
    assert_true(fabs((ci.high - mean) / reach - 1) < 0.06);
}

static void scale_and_shift_go_through_and_the_seed_decides(void **state)
{
    (void)state;
    double x[15], y[15], vx, vy;
    for (int i = 0; i < 15; i++) {
        x[i] = (i * i) % 17;
        y[i] = 4 * x[i] - 100;
    }
    struct interval cx, cy, other;
    stats_bootstrap_t((struct stats_statistic){mean_of, x}, 15, 0.9, 7, &vx, &cx, NULL);
    stats_bootstrap_t((struct stats_statistic){mean_of, y}, 15, 0.9, 7, &vy, &cy, NULL);
    assert_true(fabs(cy.low - (4 * cx.low - 100)) < 1e-8 && fabs(cy.high - (4 * cx.high - 100)) < 1e-8);
    stats_bootstrap_t((struct stats_statistic){mean_of, x}, 15, 0.9, 8, &vx, &other, NULL);
    assert_true(other.low != cx.low && fabs(other.low - cx.low) < 0.5);
}

static void few_equal_or_impossible_invocations_have_no_interval(void **state)
{
    (void)state;
    double same[20], v;
    for (int i = 0; i < 20; i++)
        same[i] = 3;
    struct interval ci;
    assert_int_equal(stats_bootstrap_t((struct stats_statistic){mean_of, same}, 20, 0.95, 1, &v, &ci, NULL),
                     0);
    assert_true(!ci.known && v == 3);
    same[0] = 4;
    stats_bootstrap_t((struct stats_statistic){mean_of, same}, 11, 0.95, 1, &v, &ci, NULL);
    assert_false(ci.known);
    stats_bootstrap_t((struct stats_statistic){never, same}, 20, 0.95, 1, &v, &ci, NULL);
    assert_true(!ci.known && isnan(v));
    stats_bootstrap_t((struct stats_statistic){mean_of, same}, 0, 0.95, 1, &v, &ci, NULL);
    assert_true(!ci.known && isnan(v));
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_mean_of_normal_values_comes_near_students_interval),
        cmocka_unit_test(scale_and_shift_go_through_and_the_seed_decides),
        cmocka_unit_test(few_equal_or_impossible_invocations_have_no_interval),
    };
    return CASES(list);
}
