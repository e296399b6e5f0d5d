#include "results/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

static void a_turn_starts_with_every_figure_unknown(void **state)
{
    (void)state;
    struct turn t = result_turn_unknown();
    const double figures[] = {t.wall_ns,
                              t.seen_ns,
                              t.untimed_ns,
                              t.cost_ns,
                              t.item_ns,
                              t.cpu_ns,
                              t.overhead_ns,
                              t.steal_ns,
                              t.other_cpu_ns,
                              t.voluntary_switches,
                              t.migrations,
                              t.page_faults,
                              t.involuntary_switches};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_true(isnan(figures[i]));
    for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
        assert_true(isnan(t.wait_ns[c]));
    assert_null(t.void_reason);
    assert_null(t.items);
}

static void every_cause_of_waiting_has_its_own_name(void **state)
{
    (void)state;
    for (int a = 0; a < RESULT_WAIT_CAUSES; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(result_wait_names[a], result_wait_names[b]);
}

/* Under AddressSanitizer this is the proof that nothing is left. */
static void fini_frees_all_and_can_be_called_again(void **state)
{
    (void)state;
    struct result r = {.narms = 1, .ninvocations = 1};
    r.path = strdup("x");
    r.damage = strdup("last line cut off");
    r.arms = calloc(1, sizeof *r.arms);
    r.arms->name = strdup("a");
    r.arms->setting.affinity = strdup("none");
    r.dropped_at_look = calloc(1, sizeof *r.dropped_at_look);
    r.invocations = calloc(1, sizeof *r.invocations);
    struct invocation *inv = r.invocations;
    inv->void_reason = strdup("placement did not hold");
    inv->cpus = calloc(2, sizeof *inv->cpus);
    inv->ncpus = 2;
    inv->trials = calloc(1, sizeof *inv->trials);
    inv->ntrials = 1;
    inv->trials->extra = strdup("{}");
    inv->trials->counters = calloc(1, sizeof *inv->trials->counters);
    inv->trials->ncounters = 1;
    inv->trials->counters->name = strdup("PAPI_TOT_INS");
    inv->trials->counters->reason = strdup("no such event here");
    inv->trials->order_hash = strdup("00");
    inv->trials->turns = calloc(1, sizeof *inv->trials->turns);
    inv->trials->nturns = 1;
    inv->trials->turns[0] = result_turn_unknown();
    inv->trials->turns[0].items = calloc(1, sizeof(struct histogram));
    inv->trials->turns[0].extra = strdup("{}");
    inv->trials->turns[0].void_reason = strdup("another tree ran");
    result_fini(&r);
    assert_null(r.arms);
    assert_int_equal(r.ninvocations, 0);
    result_fini(&r);
    result_fini(NULL);
}

static void an_arm_is_found_by_its_whole_name(void **state)
{
    (void)state;
    struct arm arms[] = {{.name = (char *)"w1"}, {.name = (char *)"w16"}};
    const struct result r = {.arms = arms, .narms = 2};
    assert_int_equal(result_arm_named(&r, "w1"), 0);
    assert_int_equal(result_arm_named(&r, "w16"), 1);
    assert_int_equal(result_arm_named(&r, "w"), -1);
}

/* The race took arm 1 out before the last invocation; the first one is void. */
static void a_void_invocation_has_no_trial_of_any_arm(void **state)
{
    (void)state;
    struct trial trials[3][2] = {{{.arm = 0}, {.arm = 1}}, {{.arm = 1}, {.arm = 0}}, {{.arm = 0}}};
    struct invocation invocations[] = {
        {.void_reason = (char *)"a placement did not hold", .trials = trials[0], .ntrials = 2},
        {.trials = trials[1], .ntrials = 2},
        {.trials = trials[2], .ntrials = 1}};
    const struct result r = {.invocations = invocations, .ninvocations = 3};
    assert_null(result_trial_of(&invocations[0], 0));
    assert_ptr_equal(result_trial_of(&invocations[1], 0), &trials[1][1]);
    assert_null(result_trial_of(&invocations[2], 1));
    assert_ptr_equal(result_first_trial(&r, 0), &trials[1][1]);
    assert_null(result_first_trial(&r, 2));
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_turn_starts_with_every_figure_unknown),
        cmocka_unit_test(every_cause_of_waiting_has_its_own_name),
        cmocka_unit_test(fini_frees_all_and_can_be_called_again),
        cmocka_unit_test(an_arm_is_found_by_its_whole_name),
        cmocka_unit_test(a_void_invocation_has_no_trial_of_any_arm),
    };
    return CASES(list);
}
