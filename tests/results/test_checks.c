/* Checks before believing: each finds what it is for, and all leave a plain session alone. */
#include <math.h>

#include "base/counter_rng.h"
#include "building.h"
#include "results/checks.h"
#include "results/stats/design.h"
#include "testing/cmocka.h"

enum { N = 24, BLOCKS = 4, ARMS = 3 };

/* Noise of 2 % an invocation and 1 % a turn, slots as a design gives them. */
static struct result plain(uint64_t seed)
{
    struct result r = building_create((struct shape){ARMS, N, BLOCKS, 1});
    struct counter_rng rng;
    counter_rng_init(&rng, seed, 0, 0);
    struct stats_design design = {.seed = seed, .blocks = BLOCKS};
    static const int arms[ARMS] = {0, 1, 2};
    for (size_t i = 0; i < N; i++) {
        r.invocations[i].fixed_work_before_ns = r.invocations[i].fixed_work_after_ns =
            1e6 * exp(0.05 * counter_rng_normal(&rng));
        for (size_t a = 0; a < ARMS; a++)
            building_scale(&r, i, a, exp(0.02 * counter_rng_normal(&rng)));
        for (int b = 0; b <= BLOCKS; b++) {
            int order[ARMS];
            stats_design_block(&design, (int)i, b, arms, ARMS, order);
            for (int s = 0; s < ARMS; s++) {
                struct turn *t = building_turn(&r, i, (size_t)order[s], b, 0);
                t->slot = s;
                t->cost_ns *= exp(0.01 * counter_rng_normal(&rng));
                t->steal_ns = 1e4;
            }
        }
    }
    return r;
}

static struct session_check run(const struct result *r, enum session_check_kind kind, bool *unfit)
{
    static struct session_check out[SESSION_CHECKS];
    assert_int_equal(summary_checks(r, out, unfit, NULL), 0);
    return out[kind];
}

static void a_plain_session_is_fit(void **state)
{
    (void)state;
    int unfit_sessions = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct result r = plain(seed);
        struct session_check out[SESSION_CHECKS];
        bool unfit;
        assert_int_equal(summary_checks(&r, out, &unfit, NULL), 0);
        for (int k = 0; k < SESSION_CHECKS; k++)
            assert_true(isfinite(out[k].value) && out[k].name && out[k].text);
        unfit_sessions += unfit;
        result_fini(&r);
    }
    assert_true(unfit_sessions <= 12); /* two tests at 1 % each: mean 4, four standard deviations more */
}

static void ratios_that_remember_are_found(void **state)
{
    (void)state;
    struct result r = plain(1);
    for (size_t i = 0; i < N; i++)
        building_scale(&r, i, 1, i / 4 % 2 ? 1.2 : 1);
    bool unfit;
    assert_true(run(&r, CHECK_NEIGHBOURS, &unfit).failed && unfit);
    result_fini(&r);
}

static void a_step_between_the_halves_is_found(void **state)
{
    (void)state;
    struct result r = plain(2);
    for (size_t i = N / 2; i < N; i++)
        building_scale(&r, i, 2, 1.2);
    bool unfit;
    assert_true(run(&r, CHECK_HALVES, &unfit).failed && unfit);
    result_fini(&r);
    r = plain(2); /* a step that all arms share is not one of the ratios */
    for (size_t i = N / 2; i < N; i++)
        for (size_t a = 0; a < ARMS; a++)
            building_scale(&r, i, a, 1.5);
    assert_false(run(&r, CHECK_HALVES, &unfit).failed);
    result_fini(&r);
}

/* A session of two pairs as a gate has them: arms 0 and 1 in the first half, 2 and 3 in the second. */
static void a_pair_of_its_own_is_checked_too(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){4, 2 * N, 1, 1});
    struct counter_rng rng;
    counter_rng_init(&rng, 5, 0, 0);
    for (size_t i = 0; i < 2 * N; i++)
        for (size_t a = 0; a < 4; a++) {
            bool late = i >= N + N / 2;
            building_scale(&r, i, a, exp(0.02 * counter_rng_normal(&rng)) * (a == 3 && late ? 1.2 : 1));
            if (a / 2 != i / N)
                building_absent(&r, i, a);
        }
    bool unfit;
    assert_true(run(&r, CHECK_HALVES, &unfit).failed && unfit);
    result_fini(&r);
}

static void an_effect_of_the_slot_is_measured(void **state)
{
    (void)state;
    struct result r = plain(3);
    bool unfit;
    assert_false(run(&r, CHECK_SLOT, &unfit).failed);
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < ARMS; a++)
            for (int b = 1; b <= BLOCKS; b++) {
                struct turn *t = building_turn(&r, i, a, b, 0);
                t->cost_ns *= t->slot == 0 ? 1.3 : 1;
            }
    struct session_check c = run(&r, CHECK_SLOT, &unfit);
    /* ln 1.3 = 0.262 in one slot of three: 0.175 above the block's mean */
    assert_true(c.failed && fabs(c.value - expm1(log(1.3) * 2 / 3)) < 0.02);
    result_fini(&r);
}

static void spread_steal_and_fixed_work_have_ceilings(void **state)
{
    (void)state;
    struct result r = plain(4);
    bool unfit;
    assert_true(fabs(run(&r, CHECK_STEAL, &unfit).value - 1e-3) < 1e-9 && !unfit);
    for (size_t i = 0; i < N; i++) {
        building_scale(&r, i, 1, i % 2 ? 4 : 1);
        r.invocations[i].fixed_work_after_ns *= i % 2 ? 3 : 1;
        for (size_t a = 0; a < ARMS; a++)
            building_turn(&r, i, a, 1, 0)->steal_ns = 5e6;
    }
    assert_true(run(&r, CHECK_SPREAD, &unfit).failed);
    assert_true(run(&r, CHECK_STEAL, &unfit).failed);
    r.invocations[0].fixed_work_before_ns = NAN;
    assert_true(run(&r, CHECK_FIXED_WORK, &unfit).value > 0.2);
    result_fini(&r);
}

static void too_little_to_tell_is_not_a_failure(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){2, 3, 2, 1});
    struct session_check out[SESSION_CHECKS];
    bool unfit;
    for (size_t i = 0; i < 3; i++)
        r.invocations[i].fixed_work_before_ns = r.invocations[i].fixed_work_after_ns = NAN;
    assert_int_equal(summary_checks(&r, out, &unfit, NULL), 0);
    assert_false(unfit);
    for (int k = 0; k < SESSION_CHECKS; k++)
        assert_true(isnan(out[k].value) && !out[k].failed);
    result_fini(&r);
    r = (struct result){0};
    assert_int_equal(summary_checks(&r, out, &unfit, NULL), 0);
    assert_false(unfit);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_plain_session_is_fit),
        cmocka_unit_test(ratios_that_remember_are_found),
        cmocka_unit_test(a_step_between_the_halves_is_found),
        cmocka_unit_test(a_pair_of_its_own_is_checked_too),
        cmocka_unit_test(an_effect_of_the_slot_is_measured),
        cmocka_unit_test(spread_steal_and_fixed_work_have_ceilings),
        cmocka_unit_test(too_little_to_tell_is_not_a_failure),
    };
    return CASES(list);
}
