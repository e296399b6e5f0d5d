/* Sessions of two sides: against Student's published example and by simulation. */
#include <math.h>

#include "base/counter_rng.h"
#include "results/stats/pooled.h"
#include "testing/cmocka.h"

/* Student's sleep data (1908), as two independent groups: difference 1.58, pooled t = 1.8608, df 18,
 * one-sided p = 0.03959, 95 % interval -0.2039 to 3.3639 (R: t.test(extra ~ group, var.equal = TRUE)). */
static const double group1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
                    group2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void students_sleep_data_give_the_published_figures(void **state)
{
    (void)state;
    struct stats_pooled p = stats_pooled(group1, 10, group2, 10, 0);
    assert_true(fabs(p.difference - 1.58) < 1e-12);
    assert_true(p.df == 18);
    assert_true(fabs(p.difference / p.se - 1.8608) < 5e-5);
    assert_true(fabs(stats_pooled_above(&p, 0) - 0.03959) < 5e-6);
    assert_true(fabs(stats_pooled_lower(&p, 0.025) + 0.2039) < 5e-5);
    assert_true(fabs(stats_pooled_upper(&p, 0.025) - 3.3639) < 5e-5);
}

static void one_session_a_side_cannot_be_known(void **state)
{
    (void)state;
    double x = 1, y = 2;
    struct stats_pooled p = stats_pooled(&x, 1, &y, 1, 0);
    assert_true(p.df == 0 && isnan(p.se));
    assert_true(stats_pooled_above(&p, 0) == 1);
    assert_true(isinf(stats_pooled_upper(&p, 0.01)) && isinf(stats_pooled_lower(&p, 0.01)));
}

static void an_assumed_spread_stands_in_for_one_session_a_side_only(void **state)
{
    (void)state;
    double x = 0, y = 0.3;
    struct stats_pooled p = stats_pooled(&x, 1, &y, 1, 0.1);
    assert_true(isinf(p.df) && fabs(p.se - 0.1 * sqrt(2)) < 1e-12);
    assert_true(fabs(stats_pooled_above(&p, 0) - 0.016947) < 1e-6); /* Q(0.3 / 0.141421) = Q(2.1213) */
    p = stats_pooled(group1, 10, &y, 1, 100);
    assert_true(p.df == 9 && p.sd < 2);
}

/* Equal sides whose sessions scatter: the one-sided test at 1 % errs in about 1 % of 20,000 (3 standard errors). */
static void false_alarms_stay_at_alpha_when_sessions_scatter(void **state)
{
    (void)state;
    enum { REPEATS = 20000 };
    int alarms = 0;
    for (uint64_t k = 0; k < REPEATS; k++) {
        struct counter_rng rng;
        double x[4], y[2];
        counter_rng_init(&rng, 7, 0, k);
        for (int i = 0; i < 4; i++)
            x[i] = 0.05 * counter_rng_normal(&rng);
        for (int i = 0; i < 2; i++)
            y[i] = 0.05 * counter_rng_normal(&rng);
        struct stats_pooled p = stats_pooled(x, 4, y, 2, 0);
        alarms += stats_pooled_above(&p, 0) <= 0.01;
    }
    assert_in_range(alarms, 157, 243);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(students_sleep_data_give_the_published_figures),
        cmocka_unit_test(one_session_a_side_cannot_be_known),
        cmocka_unit_test(an_assumed_spread_stands_in_for_one_session_a_side_only),
        cmocka_unit_test(false_alarms_stay_at_alpha_when_sessions_scatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
