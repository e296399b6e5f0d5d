/* What --verbose tells, of results made by hand: each thing once, when it is known. */
#include "narrate.h"

#include <stdio.h>

#include "../results/building.h"
#include "testing/cmocka.h"

struct tale {
    struct result result;
    struct narrate narrate;
    struct text said;
};

/* Three settings, the last surely worse; all is measured. */
static int set_up(void **state)
{
    struct tale *t = *state = calloc(1, sizeof *t);
    t->result = building_create((struct shape){.narms = 3, .ninvocations = 12, .blocks = 2, .turns = 2});
    for (size_t a = 0; a < 3; a++) {
        char name[16];
        snprintf(name, sizeof name, "setting %zu", a);
        t->result.arms[a].name = strdup(name);
        t->result.arms[a].workload = (struct workload){.data = strdup("x"), .transform = strdup("y")};
    }
    for (size_t i = 0; i < t->result.ninvocations; i++)
        building_scale(&t->result, i, 2, 3);
    t->narrate = (struct narrate){.result = &t->result, .race = true};
    return 0;
}

static int tear_down(void **state)
{
    struct tale *t = *state;
    narrate_fini(&t->narrate);
    result_fini(&t->result);
    text_fini(&t->said);
    free(t);
    return 0;
}

/* What is said at a step with so many invocations in the result, the one in hand included. */
static const char *at(struct tale *t, const char *step, size_t ninvocations)
{
    struct session_progress p = {.step = step, .arm = "", .look = 1, .looks = 3, .planned = 11};
    size_t all = t->result.ninvocations;
    text_fini(&t->said);
    t->result.ninvocations = ninvocations;
    narrate_add(&t->narrate, step ? &p : NULL, &t->said);
    t->result.ninvocations = all;
    return text_get(&t->said);
}

static void a_void_block_is_told_once_and_when_its_invocation_is_over(void **state)
{
    struct tale *t = *state;
    building_turn(&t->result, 1, 0, 2, 0)->void_reason = strdup("sleeping trials used 3 % of a CPU");
    assert_string_equal(at(t, "start", 1), "look 1 of 3 comes at 11 invocations\n");
    assert_string_equal(at(t, "turn", 2), "");
    assert_string_equal(at(t, "invocation", 2), "invocation 1: block 2 does not count: sleeping trials used "
                                                "3 % of a CPU, in the turn of setting 0\n");
    assert_string_equal(at(t, "start", 3), "");
}

static void of_a_void_invocation_the_draw_is_told_and_who_is_out(void **state)
{
    struct tale *t = *state;
    struct invocation *inv = &t->result.invocations[0];
    at(t, "start", 1);
    inv->void_reason = strdup("setting 1: placement did not hold");
    inv->cpus = calloc(2, sizeof *inv->cpus);
    inv->ncpus = 2;
    inv->cpus[0] = 1;
    t->result.arms[1].failure = strdup("placement did not hold");
    assert_string_equal(at(t, "start", 2),
                        "invocation 0, which is void, had for the positions of the plan the CPUs 1,0\n"
                        "setting 1 is out of the session: placement did not hold\n");
    assert_string_equal(at(t, "turn", 2), "");
}

static void a_look_tells_who_leaves_who_stays_and_by_how_much(void **state)
{
    struct tale *t = *state;
    const char *said = at(t, "look", 12);
    assert_non_null(strstr(said, "look 1 of 3, at 12 invocations:\n"));
    assert_non_null(strstr(said, "  stays: setting 0: good, lowest cost so far\n"));
    assert_non_null(strstr(said, "  stays: setting 1: good, x 1.000 (95 % CI 1.000 .. 1.000, n = 12)\n"));
    assert_non_null(strstr(said, "  leaves: setting 2: worse, x 3.000 (95 % CI 3.000 .. 3.000, n = 12)\n"));
    t->result.dropped_at_look[2] = 1;
    assert_null(strstr(at(t, "look", 12), "setting 2")); /* who left is no longer looked at */
}

static void the_pilots_choice_is_told_when_it_is_made(void **state)
{
    struct tale *t = *state;
    assert_null(strstr(at(t, "invocation", 3), "ilot"));
    t->result.pilot = (struct pilot){.invocations = 3,
                                     .invocation_variance = 1,
                                     .block_variance = 1,
                                     .turn_variance = 2,
                                     .start_ns = 5e6,
                                     .block_ns = 2e6,
                                     .turn_ns = 1e6,
                                     .target_ns = 25e6,
                                     .gain = 1.5,
                                     .blocks = 4};
    const char *said = at(t, "start", 4);
    assert_non_null(strstr(said, "25 % of the variance lies between invocations"));
    assert_non_null(strstr(said, "so 4 blocks an invocation"));
    assert_non_null(strstr(said, "by 1.50\n"));
    assert_string_equal(at(t, "turn", 4), "");
}

static void at_the_end_what_is_left_is_told(void **state)
{
    struct tale *t = *state;
    at(t, "start", 11);
    building_turn(&t->result, 11, 2, 1, 0)->void_reason = strdup("the last");
    assert_non_null(strstr(at(t, NULL, 12), "invocation 11: block 1 does not count: the last"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_void_block_is_told_once_and_when_its_invocation_is_over, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_a_void_invocation_the_draw_is_told_and_who_is_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_look_tells_who_leaves_who_stays_and_by_how_much, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_pilots_choice_is_told_when_it_is_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(at_the_end_what_is_left_is_told, set_up, tear_down),
    };
    return CASES(tests);
}
