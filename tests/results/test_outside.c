/* Time beside what is timed: builds that are honest, whatever they cost, and builds that are not. */
#include "results/outside.h"

#include "building.h"
#include "testing/cmocka.h"

enum { INVOCATIONS = 5, BLOCKS = 2, TURNS = 2, BATCHES = 10 };

/* What a build does, of a turn: the time that it tells, and the one that passed. */
struct told {
    double wall_ns, seen_ns;
};

static struct result make(struct told baseline, struct told candidate)
{
    struct result r = building_create((struct shape){2, INVOCATIONS, BLOCKS, TURNS});
    for (size_t i = 0; i < INVOCATIONS; i++)
        for (size_t a = 0; a < 2; a++)
            for (size_t n = 0; n < r.invocations[i].trials[a].nturns; n++) {
                struct turn *t = &r.invocations[i].trials[a].turns[n];
                t->batches = BATCHES;
                t->wall_ns = a ? candidate.wall_ns : baseline.wall_ns;
                t->seen_ns = a ? candidate.seen_ns : baseline.seen_ns;
                t->cost_ns = t->wall_ns / BATCHES;
            }
    return r;
}

static void expect(struct result *r, int arm, double want, size_t times)
{
    double x[INVOCATIONS];
    size_t n;
    assert_int_equal(result_outside_excess(r, arm, !arm, x, &n, NULL), 0);
    assert_int_equal(n, times);
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i] - want) > 1e-9)
            fail_msg("excess of arm %d: %g where %g should be", arm, x[i], want);
}

static void expect_both(struct told baseline, struct told candidate, double of_baseline, double of_candidate)
{
    struct result r = make(baseline, candidate);
    expect(&r, 0, of_baseline, INVOCATIONS);
    expect(&r, 1, of_candidate, INVOCATIONS);
    result_fini(&r);
}

static void honest_builds_have_no_excess_however_fast_they_are(void **state)
{
    (void)state;
    expect_both((struct told){5e6, 6e6}, (struct told){5e6, 6e6}, 0, 0);
    /* twice as slow, with what is outside as it was, or slower too */
    expect_both((struct told){5e6, 6e6}, (struct told){10e6, 11e6}, 0, -0.2);
    expect_both((struct told){5e6, 6e6}, (struct told){10e6, 12e6}, -0.1, 0);
}

/* A batch that is taken untimed takes the same, however many are timed behind it. */
static void turns_of_unequal_numbers_of_batches_are_held_against_each_other(void **state)
{
    (void)state;
    struct result r = make((struct told){5e6, 5.5e6}, (struct told){6e6, 6.5e6});
    for (size_t i = 0; i < INVOCATIONS; i++)
        for (size_t n = 0; n < r.invocations[i].trials[1].nturns; n++)
            r.invocations[i].trials[1].turns[n].batches = BATCHES * 6 / 5;
    expect(&r, 0, 0, INVOCATIONS);
    expect(&r, 1, 0, INVOCATIONS);
    result_fini(&r);
}

static void time_that_is_not_told_is_excess_of_who_hides_it(void **state)
{
    (void)state;
    /* of 5 ms only 3.5 are told: 1.5 of the other's 5 */
    expect_both((struct told){5e6, 6e6}, (struct told){3.5e6, 6e6}, (1e6 - 2.5e6 * 5 / 3.5) / 3.5e6, 0.3);
    /* slower by a quarter, told as if it were not */
    expect_both((struct told){5e6, 6e6}, (struct told){5e6, 7.25e6}, -0.25, 0.25);
    /* the baseline does so: the candidate would look slow */
    expect_both((struct told){2.5e6, 6e6}, (struct told){5e6, 6e6}, 0.5, (1e6 - 3.5e6 * 2) / 2.5e6);
}

static void turns_that_do_not_count_say_nothing(void **state)
{
    (void)state;
    struct result r = make((struct told){5e6, 6e6}, (struct told){5e6, 6e6});
    for (size_t i = 0; i < INVOCATIONS; i++) {
        building_turn(&r, i, 1, 0, 0)->seen_ns = 50e6; /* the warm-up */
        building_turn(&r, i, 1, 1, 0)->seen_ns = 50e6;
        building_turn(&r, i, 1, 1, 0)->void_reason = strdup("sleeping trials used 9 % of a CPU meanwhile");
    }
    r.invocations[2].void_reason = strdup("a: it broke");
    building_absent(&r, 3, 0);
    expect(&r, 1, 0, INVOCATIONS - 2);
    result_fini(&r);
}

/* Files of before have no seen_ns. */
static void without_the_harness_s_own_clock_there_is_nothing_to_tell(void **state)
{
    (void)state;
    struct result r = make((struct told){5e6, NAN}, (struct told){5e6, 6e6});
    expect(&r, 1, 0, 0);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_builds_have_no_excess_however_fast_they_are),
        cmocka_unit_test(turns_of_unequal_numbers_of_batches_are_held_against_each_other),
        cmocka_unit_test(time_that_is_not_told_is_excess_of_who_hides_it),
        cmocka_unit_test(turns_that_do_not_count_say_nothing),
        cmocka_unit_test(without_the_harness_s_own_clock_there_is_nothing_to_tell),
    };
    return CASES(tests);
}
