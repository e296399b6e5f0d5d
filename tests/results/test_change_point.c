/* Change points: what a step is and what is none, and how often noise is taken for one. */
#include "results/stats/change_point.h"

#include <errno.h>
#include <math.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

enum { MOST = 200 };

static void add_noise(double *x, size_t n, double sd, uint64_t sample)
{
    struct counter_rng rng;
    counter_rng_init(&rng, 11, 0, sample);
    for (size_t i = 0; i < n; i++)
        x[i] += sd * counter_rng_normal(&rng);
}

static size_t segments(const double *x, size_t n, size_t least, double magnitude,
                       struct stats_level_segment *s)
{
    size_t count;
    assert_int_equal(stats_change_points(x, n, least, magnitude, s, &count, NULL), 0);
    return count;
}

static void a_step_is_found_where_it_is(void **state)
{
    (void)state;
    struct stats_level_segment s[MOST];
    double x[40] = {0};
    for (int i = 25; i < 40; i++)
        x[i] = 0.10;
    add_noise(x, 40, 0.01, 1);
    assert_int_equal(segments(x, 40, 3, 0.05, s), 2);
    assert_int_equal(s[0].to, 25);
    assert_int_equal(s[1].from, 25);
    assert_true(fabs(s[1].median - s[0].median - 0.10) < 0.01);
}

static void a_single_spike_is_no_change(void **state)
{
    (void)state;
    struct stats_level_segment s[MOST];
    for (int at = 0; at < 40; at++) {
        double x[40] = {0};
        x[at] = 1.0; /* a hundred times the noise */
        add_noise(x, 40, 0.01, 2);
        assert_int_equal(segments(x, 40, 3, 0.05, s), 1);
    }
}

static void a_step_below_the_magnitude_is_no_change(void **state)
{
    (void)state;
    struct stats_level_segment s[MOST];
    double x[60] = {0};
    for (int i = 30; i < 60; i++)
        x[i] = 0.04;
    add_noise(x, 60, 0.002, 3);
    assert_int_equal(segments(x, 60, 3, 0.05, s), 1);
    assert_int_equal(segments(x, 60, 3, 0.03, s), 2);
}

static void up_and_down_again_are_two_changes(void **state)
{
    (void)state;
    struct stats_level_segment s[MOST];
    double x[60] = {0};
    for (int i = 20; i < 40; i++)
        x[i] = 0.2;
    add_noise(x, 60, 0.02, 4);
    assert_int_equal(segments(x, 60, 3, 0.05, s), 3);
    assert_in_range(s[1].from, 19, 21);
    assert_in_range(s[2].from, 39, 41);
}

static void values_without_noise_and_short_series_have_no_change(void **state)
{
    (void)state;
    struct stats_level_segment s[MOST];
    const double same[8] = {5, 5, 5, 5, 5, 5, 5, 5}, two[2] = {1, 9};
    assert_int_equal(segments(same, 8, 3, 0.05, s), 1);
    assert_int_equal(segments(two, 2, 3, 0.05, s), 1);
    assert_int_equal(segments(two, 1, 3, 0.05, s), 1);
    size_t count;
    assert_int_equal(stats_change_points(two, 0, 3, 0.05, s, &count, NULL), -ERANGE);
}

/* The rate that the header states: at most 1 of 100, for noise at which steps of the magnitude matter. */
static void noise_alone_is_rarely_a_change(void **state)
{
    (void)state;
    enum { REPEATS = 500 };
    const size_t lengths[] = {30, 100, 200};
    for (int l = 0; l < 3; l++) {
        int found = 0;
        for (uint64_t k = 0; k < REPEATS; k++) {
            struct stats_level_segment s[MOST];
            double x[MOST] = {0};
            add_noise(x, lengths[l], 0.05, 1000 * (uint64_t)(l + 1) + k);
            found += segments(x, lengths[l], 3, 0.02, s) > 1;
        }
        assert_in_range(found, 0, REPEATS / 100 + 5); /* 2 standard errors above 1 % */
    }
}

static void a_step_of_three_times_the_noise_is_nearly_always_found(void **state)
{
    (void)state;
    enum { REPEATS = 300 };
    int found = 0;
    for (uint64_t k = 0; k < REPEATS; k++) {
        struct stats_level_segment s[MOST];
        double x[30] = {0};
        for (int i = 24; i < 30; i++) /* six values after it */
            x[i] = 0.15;
        add_noise(x, 30, 0.05, 9000 + k);
        found += segments(x, 30, 3, 0.05, s) == 2 && s[1].from >= 22 && s[1].from <= 26;
    }
    assert_in_range(found, REPEATS * 90 / 100, REPEATS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_where_it_is),
        cmocka_unit_test(a_single_spike_is_no_change),
        cmocka_unit_test(a_step_below_the_magnitude_is_no_change),
        cmocka_unit_test(up_and_down_again_are_two_changes),
        cmocka_unit_test(values_without_noise_and_short_series_have_no_change),
        cmocka_unit_test(noise_alone_is_rarely_a_change),
        cmocka_unit_test(a_step_of_three_times_the_noise_is_nearly_always_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
