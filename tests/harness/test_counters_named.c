/* Events by name: what does not fit takes turns, and the share of each is exact. */
#include "counters_named.h"

#include <math.h>
#include <string.h>

#include "harness/counters.h"
#include "testing/cmocka.h"

/* A machine with four counters; of one kind of event there is none. */
struct machine {
    int used[COUNTERS_GROUPS_MAX], missing;
};

static int add(void *arg, int group, int event)
{
    struct machine *m = arg;
    if (event == m->missing)
        return -2;
    if (m->used[group] == 4)
        return -1;
    m->used[group]++;
    return 0;
}

static void eight_events_on_four_counters_take_turns_half_the_time_each(void **state)
{
    (void)state;
    struct machine m = {.missing = -1};
    struct counters_group group[COUNTERS_GROUPS_MAX] = {{0}};
    int ngroups = 0, of[8], turns[8] = {0};
    for (int e = 0; e < 8; e++)
        of[e] = counters_place(&ngroups, COUNTERS_GROUPS_MAX, add, &m, e);
    assert_int_equal(ngroups, 2);
    for (uint64_t window = 0; window < 10; window++)
        for (int e = 0; e < 8; e++)
            turns[e] += counters_has_turn(group, ngroups, of[e], window);
    for (int e = 0; e < 8; e++)
        assert_int_equal(turns[e], 5);
}

static void an_event_that_no_counter_takes_is_in_no_group(void **state)
{
    (void)state;
    struct machine m = {.missing = 1};
    int ngroups = 0;
    assert_int_equal(counters_place(&ngroups, COUNTERS_GROUPS_MAX, add, &m, 0), 0);
    assert_int_equal(counters_place(&ngroups, COUNTERS_GROUPS_MAX, add, &m, 1), -1);
    assert_int_equal(ngroups, 1);
}

static void groups_of_other_components_run_beside(void **state)
{
    (void)state;
    const struct counters_group group[] = {{.component = 0}, {.component = 1}, {.component = 0}};
    for (uint64_t window = 0; window < 4; window++) {
        assert_true(counters_has_turn(group, 3, 1, window));
        assert_int_equal(counters_has_turn(group, 3, 0, window) + counters_has_turn(group, 3, 2, window), 1);
    }
}

/* Whatever this machine can count: a value, or no value and the reason. Never a silent 0. */
static void each_name_has_a_value_or_a_reason(void **state)
{
    (void)state;
    struct harness_counters *c;
    int seen = 0;
    const struct harness_counters_ask ask = {.names = "PAPI_TOT_CYC,perf::INSTRUCTIONS,no_such_event"};
    assert_int_equal(harness_counters_open(&ask, &c, NULL), 0);
    for (int w = 0; w < 3; w++) {
        harness_counters_begin(c);
        for (volatile int i = 0; i < 100000; i++)
            ;
        harness_counters_end(c);
    }
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count n = harness_counters_get(c, i);
        if (!strcmp(n.name, "no_such_event")) {
            assert_true(isnan(n.value));
            assert_non_null(strstr(n.reason, "PAPI:"));
            seen++;
        } else if (n.reason) {
            assert_true(isnan(n.value) && strlen(n.reason) > 3);
        } else {
            assert_true(isfinite(n.value) && n.share > 0 && n.share <= 1);
        }
    }
    assert_int_equal(seen, 1);
    harness_counters_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_events_on_four_counters_take_turns_half_the_time_each),
        cmocka_unit_test(an_event_that_no_counter_takes_is_in_no_group),
        cmocka_unit_test(groups_of_other_components_run_beside),
        cmocka_unit_test(each_name_has_a_value_or_a_reason),
    };
    return CASES(tests);
}
