#include <errno.h>
#include <math.h>

#include "base/counter_rng.h"
#include "building.h"
#include "results/summary.h"
#include "testing/cmocka.h"

static void shares_of_variance_come_back(void **state)
{
    (void)state;
    enum { N = 60, BLOCKS = 6, TURNS = 2 };
    struct result r = building_create((struct shape){2, N, BLOCKS, TURNS});
    struct counter_rng rng;
    counter_rng_init(&rng, 2, 0, 0);
    for (size_t i = 0; i < N; i++) {
        double inv = 0.3 * counter_rng_normal(&rng);
        for (int b = 1; b <= BLOCKS; b++) {
            double block = inv + 0.2 * counter_rng_normal(&rng);
            for (int t = 0; t < TURNS; t++)
                building_turn(&r, i, 1, b, t)->cost_ns *= exp(block + 0.1 * counter_rng_normal(&rng));
        }
    }
    struct effort e;
    assert_int_equal(summary_effort(&r, 1, &e, NULL), 0);
    /* 0.09, 0.04, 0.01: a variance of 60 values has a standard error of about a fifth */
    assert_true(fabs(e.components.invocation - 0.09) < 0.06 && fabs(e.components.block - 0.04) < 0.015);
    assert_true(fabs(e.components.turn - 0.01) < 0.004 && e.components.invocations == N);
    /* two starts of 5 ms and a warm-up block of two turns of 10 ms each; a turn of both */
    assert_true(fabs(e.price.start_ns - 5e7) < 1 && fabs(e.price.turn_ns - 2e7) < 1);
    assert_int_equal(e.next, STATS_LEVEL_INVOCATION);
    assert_int_equal(summary_effort(&r, 0, &e, NULL), 0); /* all costs equal */
    assert_true(e.components.invocation == 0 && e.components.block == 0 && e.components.turn == 0);
    result_fini(&r);
}

/* Two arms, 8 invocations; a trial takes 5 ms to start and four turns of 10 ms. */
static void an_arm_that_leaves_early_spares_its_share_of_the_grid(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 8, 1, 2});
    struct grid_time g = summary_grid_time(&r);
    assert_true(g.spent_ns == 16 * 45e6 && g.grid_ns == g.spent_ns);
    r.dropped_at_look[1] = 1;
    for (size_t i = 2; i < 8; i++)
        building_absent(&r, i, 1);
    for (size_t i = 0; i < 2; i++)
        r.invocations[i].trials[1].start_ns = 15e6; /* its own mean counts, not that of all */
    g = summary_grid_time(&r);
    assert_true(g.spent_ns == 8 * 45e6 + 2 * 55e6 && g.grid_ns == 8 * 45e6 + 8 * 55e6);
    r.invocations[7].void_reason = strdup("steal");
    g = summary_grid_time(&r);
    assert_true(g.spent_ns == 7 * 45e6 + 2 * 55e6 && g.grid_ns == 7 * 45e6 + 7 * 55e6);
    r.arms[1].failure = strdup("it died");
    g = summary_grid_time(&r);
    assert_true(g.spent_ns == 7 * 45e6 && g.grid_ns == g.spent_ns);
    result_fini(&r);
}

/* Swings of a factor of two that all arms of a block share are no variance of a comparison; with one arm they are. */
static void the_next_minute_is_told_in_words(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){1, 8, 2, 2});
    struct text t = {0};
    assert_false(summary_effort_text(&r, 0, &t)); /* nothing varies */
    for (size_t i = 0; i < 8; i++)
        building_scale(&r, i, 0, i % 2 ? 1.5 : 1);
    assert_true(summary_effort_text(&r, 0, &t));
    assert_string_equal(text_get(&t),
                        "more invocations (of the variance of its cost 100 % lies between invocations, "
                        "0 % between blocks, 0 % between turns)");
    text_fini(&t);
    assert_false(summary_effort_text(&r, 1, &t));
    for (size_t i = 0; i < 8; i++)
        for (int b = 1; b <= 2; b++) {
            building_scale(&r, i, 0, 1);
            building_turn(&r, i, 0, b, 0)->cost_ns = 1e6;
            building_turn(&r, i, 0, b, 1)->cost_ns = 2e6;
        }
    assert_true(summary_effort_text(&r, 0, &t));
    assert_non_null(strstr(text_get(&t), "more blocks in each invocation ("));
    text_fini(&t);
    result_fini(&r);
}

static void digits_end_where_the_interval_begins(void **state)
{
    (void)state;
    const struct {
        double low, high;
        int digits;
    } rows[] = {{0.91, 1.09, 3},       {0.5, 1.5, 2}, {0.1, 1.9, 2},
                {0.99999, 1.00001, 4}, {1, 1, 3},     {0.991, 1.009, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct interval ci = {.low = rows[i].low, .high = rows[i].high, .known = true};
        assert_int_equal(summary_digits(1, &ci), rows[i].digits);
    }
    struct interval none = {.known = false};
    assert_int_equal(summary_digits(1, &none), 3);
    struct interval about_zero = {.low = -1, .high = 1, .known = true};
    assert_int_equal(summary_digits(0, &about_zero), 2);
    assert_int_equal(summary_ratio_decimals(1.3, 1.1, 1.5), 2);
    assert_int_equal(summary_ratio_decimals(1.003, 1.002, 1.004), 3); /* two would be 1.00 .. 1.00 */
    assert_int_equal(summary_ratio_decimals(1.9, 0.2, 40), 2);
    assert_int_equal(summary_ratio_decimals(123.4567, 123.4566, 123.4568), 1);
    assert_int_equal(summary_ratio_decimals(12.3, 12.2, 12.4), 2);
    assert_int_equal(summary_ratio_decimals(1e9, 1e9, 1e9), 0);
    assert_int_equal(summary_ratio_decimals(1.3, NAN, INFINITY), 2);
}

static void what_a_block_shares_is_no_variance_of_comparisons(void **state)
{
    (void)state;
    enum { ARMS = 3, N = 60, BLOCKS = 4 };
    struct result r = building_create((struct shape){ARMS, N, BLOCKS, 2});
    struct counter_rng rng;
    counter_rng_init(&rng, 5, 0, 0);
    for (size_t i = 0; i < N; i++)
        for (int b = 1; b <= BLOCKS; b++) {
            double shared = 0.7 * counter_rng_normal(&rng);
            for (size_t a = 0; a < ARMS; a++)
                for (int t = 0; t < 2; t++)
                    building_turn(&r, i, a, b, t)->cost_ns *= exp(shared + 0.1 * counter_rng_normal(&rng));
        }
    const bool all[ARMS] = {true, true, true}, one[ARMS] = {true}, none[ARMS] = {false};
    struct stats_components c;
    assert_int_equal(summary_components(&r, all, &c, NULL), 0);
    assert_true(fabs(c.turn - 0.01) < 0.002 && c.block < 0.002 && c.invocation < 0.002);
    assert_true(c.invocations == N && c.turn_known && c.turns_mean == 2);
    assert_int_equal(summary_components(&r, one, &c, NULL), 0);
    assert_true(fabs(c.block - 0.49) < 0.15);
    assert_int_equal(summary_components(&r, none, &c, NULL), 0);
    assert_int_equal(c.invocations, 0);
    result_fini(&r);
}

static void what_is_void_or_missing_is_left_out(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 3, 2, 1});
    building_turn(&r, 0, 0, 1, 0)->void_reason = strdup("steal");
    building_turn(&r, 0, 1, 1, 0)->cost_ns = 1e9;
    struct effort e;
    assert_int_equal(summary_effort(&r, 1, &e, NULL), 0);
    assert_true(e.components.invocations == 3 && e.components.invocation == 0);
    building_absent(&r, 0, 1);
    building_absent(&r, 1, 1);
    assert_int_equal(summary_effort(&r, 1, &e, NULL), 0);
    assert_true(e.components.invocations == 0 && e.price.turn_ns == 0);
    assert_int_equal(summary_effort(&r, 2, &e, NULL), -EINVAL);
    assert_int_equal(summary_effort(&r, -1, &e, NULL), -EINVAL);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(shares_of_variance_come_back),
        cmocka_unit_test(an_arm_that_leaves_early_spares_its_share_of_the_grid),
        cmocka_unit_test(the_next_minute_is_told_in_words),
        cmocka_unit_test(digits_end_where_the_interval_begins),
        cmocka_unit_test(what_a_block_shares_is_no_variance_of_comparisons),
        cmocka_unit_test(what_is_void_or_missing_is_left_out),
    };
    return CASES(list);
}
