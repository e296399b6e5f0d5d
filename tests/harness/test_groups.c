/* Arms that do not fit at once. */
#include <math.h>

#include "room.h"

static void arms_that_do_not_fit_at_once_come_in_groups_that_share_one(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", "sleep 0.002; t=2000000", "");
    room_add_subject(r, "c", "", "sleep 0.002; t=1500000", "");
    r->result.together_max = 2;
    r->cfg.invocations = 6;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    static const int arms[] = {0, 1, 0, 2}, first_block[] = {1, 1, 3, 3};
    for (size_t i = 0; i < r->result.ninvocations; i++) {
        const struct invocation *inv = &r->result.invocations[i];
        assert_int_equal(inv->ntrials, 4);
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(inv->trials[k].arm, arms[k]);
            assert_int_equal(room_turns_in_block(&inv->trials[k], first_block[k]), 2);
            assert_int_equal(room_turns_in_block(&inv->trials[k], first_block[k] + 1), 2);
            assert_int_equal(inv->trials[k].nturns, 6);
        }
    }
    struct estimate e = summary_ratio(&r->result, 1, 2, METRIC_COST_NS, 0.95); /* never in one group */
    assert_true(fabs(e.value - 60.0 / 45) < 1e-9 && e.n == 6 && e.ci.known);
}

static void a_failure_in_a_later_group_is_that_arms(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    room_add_subject(r, "c", "", "exit 3", "");
    r->result.together_max = 2;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_non_null(strstr(r->result.arms[2].failure, "exit code 3"));
    assert_null(r->result.arms[1].failure);
    assert_int_equal(room_count_void(&r->result), 2);
    assert_int_equal(r->result.invocations[2].ntrials, 2); /* the two that are left fit at once */
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        ROOM_CASE(arms_that_do_not_fit_at_once_come_in_groups_that_share_one),
        ROOM_CASE(a_failure_in_a_later_group_is_that_arms),
    };
    return CASES(tests);
}
