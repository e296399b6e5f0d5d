/* The pilot: what its invocations say decides how many blocks the others have. */
#include "room.h"

/* A session of three arms whose turns take what `each` says, its blocks left to the pilot. */
static const struct pilot *run_pilot(struct room *r, const char *each)
{
    room_add_subject(r, "a", "", each, "");
    room_add_subject(r, "b", "", each, "");
    room_add_subject(r, "c", "", each, "");
    r->cfg.invocations = 5;
    r->cfg.blocks = 0;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    const struct pilot *p = &r->result.pilot;
    assert_int_equal(p->invocations, 3);
    assert_true(p->start_ns > 0 && p->turn_ns > 0);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct trial *t = &r->result.invocations[i].trials[k];
            assert_int_equal(room_turns_in_block(t, 1), i < 3 ? 2 : 1); /* there and back in the pilot */
            if (i >= 3)
                assert_int_equal(t->nturns, p->blocks + 1);
        }
    return p;
}

static void noise_between_turns_makes_the_pilot_ask_for_more_blocks(void **state)
{
    const struct pilot *p = run_pilot(*state, "t=$((900000 + n * 7 % 5 * 30000))");
    assert_true(p->turn_variance > 0 && p->invocation_variance == 0);
    assert_int_equal(p->blocks, 8);
}

static void noise_between_starts_makes_the_pilot_ask_for_more_starts(void **state)
{
    const struct pilot *p = run_pilot(*state, "t=$((900000 + $$ % 7 * 15000))");
    assert_true(p->turn_variance < 1e-12 && p->block_variance < 1e-12 && p->invocation_variance > 0);
    assert_int_equal(p->blocks, 1);
}

static void a_number_of_blocks_that_was_asked_for_needs_no_pilot(void **state)
{
    struct room *r = *state;
    room_add_subject(r, "a", "", ":", "");
    room_add_subject(r, "b", "", ":", "");
    r->cfg.invocations = 4;
    if (room_run(r))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->result.pilot.invocations, 0);
    assert_int_equal(room_turns_in_block(&r->result.invocations[3].trials[0], 2), 2);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        ROOM_CASE(noise_between_turns_makes_the_pilot_ask_for_more_blocks),
        ROOM_CASE(noise_between_starts_makes_the_pilot_ask_for_more_starts),
        ROOM_CASE(a_number_of_blocks_that_was_asked_for_needs_no_pilot),
    };
    return CASES(tests);
}
