#include "results/stats/components.h"

#include <math.h>
#include <stdbool.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

static bool within(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

/* Calcium in turnip greens: 4 plants, 3 leaves each, 2 determinations each (Snedecor and Cochran, section 13.10;
 * also the example of SAS's NESTED procedure): 0.365223, 0.161060, 0.006654. */
static void components_of_the_turnip_greens(void **state)
{
    (void)state;
    static const double calcium[] = {3.28, 3.09, 3.52, 3.48, 2.88, 2.80, 2.46, 2.44, 1.87, 1.92, 2.19, 2.19,
                                     2.77, 2.66, 3.74, 3.44, 2.55, 2.55, 3.78, 3.87, 4.07, 4.12, 3.31, 3.31};
    struct stats_nested x[24];
    for (int i = 0; i < 24; i++)
        x[i] = (struct stats_nested){i / 6, i / 2, 1e6 + calcium[i]};
    struct stats_components c = stats_components(x, 24);
    assert_true(within(c.invocation, 0.365223, 1e-5) && within(c.block, 0.161060, 1e-5));
    assert_true(within(c.turn, 0.006654, 1e-5));
    assert_true(c.block_known && c.turn_known && c.invocations == 4);
    assert_true(c.blocks_mean == 3 && c.turns_mean == 2);
}

static void unequal_numbers_give_the_components_back(void **state)
{
    (void)state;
    double inv = 0, block = 0, turn = 0;
    enum { REPEATS = 400 };
    for (int k = 0; k < REPEATS; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, 4, 0, (uint64_t)k);
        struct stats_nested x[200];
        size_t n = 0;
        for (int i = 0; i < 12; i++) {
            double at = 3 * counter_rng_normal(&rng);
            for (int b = 0; b < 1 + i % 4; b++) {
                double in = at + 2 * counter_rng_normal(&rng);
                for (int t = 0; t < 1 + (i + b) % 3; t++)
                    x[n++] = (struct stats_nested){i, b, in + counter_rng_normal(&rng)};
            }
        }
        struct stats_components c = stats_components(x, n);
        inv += c.invocation / REPEATS;
        block += c.block / REPEATS;
        turn += c.turn / REPEATS;
    }
    /* 9, 4, 1; truncation at 0 pushes the first two up a little */
    assert_true(within(inv, 9, 0.9) && within(block, 4, 0.5) && within(turn, 1, 0.06));
}

static void a_level_without_replication_is_not_known(void **state)
{
    (void)state;
    struct stats_nested x[6];
    for (int i = 0; i < 6; i++)
        x[i] = (struct stats_nested){i, 0, i};
    struct stats_components c = stats_components(x, 6);
    assert_true(within(c.invocation, 3.5, 1e-12) && !c.block_known && !c.turn_known); /* variance of 0 .. 5 */
    assert_true(c.block == 0 && c.turn == 0);
    c = stats_components(x, 1);
    assert_true(c.invocation == 0 && c.invocations == 1);
    assert_int_equal(stats_components(x, 0).invocations, 0);
}

static void the_plan_follows_the_square_root_rule(void **state)
{
    (void)state;
    struct stats_components c = {
        .invocation = 1, .block = 4, .invocations = 10, .blocks_mean = 1, .turns_mean = 1};
    struct stats_price price = {.start_ns = 9, .block_ns = 0, .turn_ns = 1};
    struct stats_plan plan = stats_plan(&c, &price, 100);
    assert_int_equal(plan.blocks, 6); /* sqrt(4 / 1 * 9 / 1) */
    assert_int_equal(plan.turns, 1);
    assert_true(within(plan.gain, 50.0 / 25, 1e-12)); /* (1 + 4) (9 + 1) against (1 + 4 / 6) (9 + 6) */
    c.turn = 16;
    price.block_ns = 4;
    plan = stats_plan(&c, &price, 100);
    assert_int_equal(plan.turns, 4);  /* sqrt(16 / 4 * 4 / 1) */
    assert_int_equal(plan.blocks, 3); /* sqrt((4 + 4) / 1 * 9 / 8) */
    c.invocation = 0;
    assert_int_equal(stats_plan(&c, &price, 20).blocks, 20);
}

static void the_next_minute_goes_where_the_variance_is(void **state)
{
    (void)state;
    struct stats_price price = {.start_ns = 1, .block_ns = 1, .turn_ns = 1};
    struct stats_components c = {.invocations = 8, .blocks_mean = 4, .turns_mean = 2};
    c.invocation = 1;
    assert_int_equal(stats_plan_next(&c, &price), STATS_LEVEL_INVOCATION);
    c.invocation = 0;
    c.block = 1;
    price.start_ns = 100;
    assert_int_equal(stats_plan_next(&c, &price), STATS_LEVEL_BLOCK);
    c.block = 0;
    c.turn = 1;
    price.block_ns = 100;
    assert_int_equal(stats_plan_next(&c, &price), STATS_LEVEL_TURN);
    assert_true(within(stats_plan_variance(&c, 8, 4, 2), 1.0 / 64, 1e-15));
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(components_of_the_turnip_greens),
        cmocka_unit_test(unequal_numbers_give_the_components_back),
        cmocka_unit_test(a_level_without_replication_is_not_known),
        cmocka_unit_test(the_plan_follows_the_square_root_rule),
        cmocka_unit_test(the_next_minute_goes_where_the_variance_is),
    };
    return CASES(list);
}
