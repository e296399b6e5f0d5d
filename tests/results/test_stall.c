/* The choice by stall: the smallest setting that keeps the consumer waiting for at most a share of its time. */
#include <math.h>

#include "base/counter_rng.h"
#include "building.h"
#include "results/summary.h"
#include "testing/cmocka.h"

enum { ARMS = 3, INVOCATIONS = 16 };

/* Arm a has a + 1 workers and waits for stall[a], give or take `spread` of it, in each invocation. */
static struct result make(const double stall[ARMS], double spread, double max_stall)
{
    struct result r = building_create((struct shape){ARMS, INVOCATIONS, 2, 1});
    struct counter_rng rng;
    counter_rng_init(&rng, 3, 0, 0);
    r.max_stall = max_stall;
    r.looks_planned = 1;
    r.alpha = 0.05;
    for (size_t a = 0; a < ARMS; a++) {
        r.arms[a].setting.workers = (int)a + 1;
        r.arms[a].setting.threads = 1;
        for (size_t i = 0; i < INVOCATIONS; i++)
            for (int b = 1; b <= 2; b++)
                building_turn(&r, i, a, b, 0)->stall_ratio =
                    stall[a] * (1 + spread * (counter_rng_uniform(&rng) - 0.5));
    }
    return r;
}

static struct choice choose(const struct result *r, bool dropped[ARMS])
{
    struct choice c;
    struct err err = {0};
    assert_int_equal(summary_look(r, 1, dropped, &c, &err), 0);
    return c;
}

static void the_smallest_setting_below_the_limit_is_chosen(void **state)
{
    (void)state;
    struct result r = make((double[]){0.30, 0.05, 0.01}, 0.2, 0.10);
    bool dropped[ARMS];
    struct choice c = choose(&r, dropped);
    assert_int_equal(c.state, CHOICE_DECIDED);
    assert_int_equal(c.arm, 1);
    assert_true(dropped[0]);
    assert_false(dropped[1] || dropped[2]);
    choice_fini(&c);
    result_fini(&r);
}

static void a_setting_at_the_limit_is_not_decided(void **state)
{
    (void)state;
    struct result r = make((double[]){0.30, 0.10, 0.01}, 0.5, 0.10);
    bool dropped[ARMS];
    struct choice c = choose(&r, dropped);
    assert_int_not_equal(c.state, CHOICE_DECIDED);
    assert_false(dropped[1]);
    choice_fini(&c);
    result_fini(&r);
}

static void where_all_wait_too_long_none_is_recommended(void **state)
{
    (void)state;
    struct result r = make((double[]){0.30, 0.25, 0.20}, 0.1, 0.10);
    bool dropped[ARMS];
    struct choice c = choose(&r, dropped);
    assert_true(dropped[0] && dropped[1] && dropped[2]);
    assert_int_equal(c.state, CHOICE_NONE);
    assert_int_equal(c.arm, -1);
    choice_fini(&c);
    result_fini(&r);
}

static void a_subject_that_does_not_tell_is_never_recommended(void **state)
{
    (void)state;
    struct result r = make((double[]){NAN, 0.05, 0.01}, 0.2, 0.10);
    bool dropped[ARMS];
    struct choice c = choose(&r, dropped);
    assert_true(dropped[0]);
    assert_int_equal(c.arm, 1);
    choice_fini(&c);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_smallest_setting_below_the_limit_is_chosen),
        cmocka_unit_test(a_setting_at_the_limit_is_not_decided),
        cmocka_unit_test(where_all_wait_too_long_none_is_recommended),
        cmocka_unit_test(a_subject_that_does_not_tell_is_never_recommended),
    };
    return CASES(cases);
}
