/* What the core says of a turn: figures, the times of each batch, what it waited for. */
#include <math.h>
#include <xxhash.h>

#include "talk.h"

/* XXH3 of the first n indices as they are delivered, as the totals show it. */
static void order_hash(const int64_t *order, size_t n, char out[24])
{
    snprintf(out, 24, "%016llx", (unsigned long long)XXH3_64bits(order, n * sizeof *order));
}

static void expect_order(const json_t *totals, const int64_t *order, size_t n)
{
    char want[24];
    size_t mark = 0;
    while ((size_t)1 << mark < n)
        mark++;
    order_hash(order, n, want);
    const char *got = json_string_value(
        json_array_get(json_object_get(json_object_get(totals, "extra"), "order_at"), mark));
    assert_non_null(got);
    assert_string_equal(got, want);
}

static void check_turn(const json_t *line, int batches, int batch_size)
{
    const json_t *turn = json_object_get(line, "turn");
    assert_int_equal(talk_number(turn, "batches"), batches);
    assert_int_equal(talk_number(turn, "samples"), batches * batch_size);
    assert_true(talk_number(turn, "wall_ns") > 0 && talk_number(turn, "cpu_ns") > 0 &&
                talk_number(turn, "item_ns") > 0);
    const json_t *items = json_object_get(turn, "items"), *pair;
    size_t i;
    json_int_t n = 0;
    json_array_foreach (json_object_get(items, "buckets"), i, pair) {
        n += json_integer_value(json_array_get(pair, 1));
    }
    assert_int_equal(n, batches * batch_size);
}

static void check_run(const struct talk_ask *a)
{
    struct talk t;
    talk_after_spec(a, talk_turns, &t);
    if (t.n != 4 || t.exit_code)
        fail_msg("%d workers (%s): exit %d after %d lines: %s", a->workers, a->backend, t.exit_code, t.n,
                 talk_error(&t) ? talk_error(&t) : "no error");
    const json_t *ready = json_object_get(t.line[0], "ready");
    if (!json_is_null(json_object_get(ready, "placement_mismatch")))
        fail_msg("%s", json_string_value(json_object_get(ready, "placement_mismatch")));
    size_t makers = json_array_size(
        json_object_get(json_object_get(ready, "placement"), a->workers ? "workers" : "inline"));
    assert_int_equal(makers, a->workers ? a->workers : 1);
    assert_int_equal(talk_number(ready, "work_flops"), 2 * 8 * 8 * 8);
    check_turn(t.line[1], 8, a->batch_size);
    check_turn(t.line[2], 4, a->batch_size);
    int64_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_order(json_object_get(t.line[3], "totals"), order, 8);
    talk_end(&t);
}

static void turns_are_answered_whatever_the_setting(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 2; workers++)
        for (int thread = 0; thread < (workers ? 2 : 1); thread++)
            for (int batch_size = 1; batch_size <= 3; batch_size += 2) {
                struct talk_ask a = talk_plain;
                a.workers = workers;
                a.backend = thread ? "thread" : "process";
                a.batch_size = batch_size;
                check_run(&a);
            }
}

/* [number, worker, started, finished, received, wait] of batch i of an answer. */
static void read_batch(const json_t *turn, size_t i, json_int_t v[6])
{
    const json_t *b = json_array_get(json_object_get(turn, "timeline"), i);
    for (size_t k = 0; k < 6; k++)
        v[k] = json_integer_value(json_array_get(b, k));
}

static void check_timeline(const json_t *line, int batches, int workers)
{
    const json_t *turn = json_object_get(line, "turn");
    json_int_t v[6], last = 0, wall = talk_number(turn, "wall_ns");
    assert_int_equal(json_array_size(json_object_get(turn, "timeline")), batches);
    for (int i = 0; i < batches; i++) {
        read_batch(turn, (size_t)i, v);
        json_int_t first[6];
        read_batch(turn, 0, first);
        assert_int_equal(v[0], first[0] + i); /* in order, none left out */
        assert_in_range(v[1] + 1, workers ? 1 : 0, workers);
        assert_true(v[2] <= v[3] && v[3] <= v[4]);
        assert_true(v[4] >= last && v[4] <= wall); /* one after the other, within the timed part */
        assert_true(v[5] >= 0 && v[5] <= v[4] - last);
        last = v[4];
    }
}

static void a_timeline_has_the_times_of_each_batch(void **state)
{
    (void)state;
    static const char asked[] = "{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n"
                                "{\"turn\": {\"warm_batches\": 1, \"batches\": 7, \"timeline\": true}}\n";
    for (int workers = 0; workers <= 2; workers++) {
        struct talk t;
        struct talk_ask a = talk_plain;
        a.workers = workers;
        talk_after_spec(&a, asked, &t);
        assert_int_equal(t.n, 4);
        check_timeline(t.line[2], 7, workers);
        assert_null(json_object_get(json_object_get(t.line[1], "turn"), "timeline"));
        talk_end(&t);
    }
}

static void a_timeline_without_end_is_refused(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&talk_plain,
                    "{\"turn\": {\"warm_batches\": 0, \"batches\": 1000000, \"timeline\": true}}\n", &t);
    talk_expect_error(&t, "a timeline of 1000000 batches: at most 4096");
    talk_end(&t);
}

static void a_turn_has_its_migrations_and_faults_or_the_reason(void **state)
{
    (void)state;
    static const char *const names[] = {"migrations", "page_faults"};
    struct talk t;
    struct talk_ask a = talk_plain;
    a.workers = 1;
    talk_after_spec(&a, talk_turns, &t);
    for (int i = 1; i <= 2; i++)
        for (size_t k = 0; k < 2; k++) {
            const json_t *turn = json_object_get(t.line[i], "turn"), *value = json_object_get(turn, names[k]),
                         *why = json_object_get(json_object_get(turn, "extra"), "unavailable");
            if (json_is_null(value))
                assert_true(json_string_length(json_object_get(why, names[k])) > 3);
            else
                assert_true(json_is_number(value) && json_number_value(value) >= 0 && !why);
        }
    talk_end(&t);
}

/* Batches that a worker made while the consumer was busy elsewhere must not be timed: short talk_turns once cost a
 * five-hundredth of an item. In a steady state with one worker a batch takes at least as long as its item. */
static void a_turn_is_not_made_of_batches_that_were_ready_before(void **state)
{
    (void)state;
    enum { TURNS = 40 };
    struct talk t;
    struct talk_ask a = talk_plain;
    char rest[TURNS * 64] = "";
    double wall = 0, items = 0;
    a.transform = "gemm=160";
    a.workers = 1;
    for (int i = 0; i < TURNS; i++)
        strcat(rest, "{\"turn\": {\"warm_batches\": 0, \"batches\": 1}}\n");
    talk_after_spec(&a, rest, &t);
    assert_int_equal(t.n, TURNS + 2);
    for (int i = 1; i <= TURNS; i++) {
        wall += (double)talk_number(json_object_get(t.line[i], "turn"), "wall_ns");
        items += (double)talk_number(json_object_get(t.line[i], "turn"), "item_ns");
    }
    print_message("wall over items: %.2f\n", wall / items);
    assert_true(wall > 0.5 * items);
    talk_end(&t);
}

static double wait_of(const json_t *turn, const char *cause)
{
    return json_number_value(json_object_get(json_object_get(turn, "wait_ns"), cause));
}

static double all_waits(const json_t *turn)
{
    const char *cause;
    json_t *value;
    double sum = 0;
    json_object_foreach (json_object_get(turn, "wait_ns"), cause, value) {
        sum += json_number_value(value);
    }
    return sum;
}

/* A group that may run for a tenth of each period, which is less than a busy machine leaves it: much of the waits for
 * workers is that, and all parts still add up to the wait. */
static void a_real_quota_shows_as_throttled_waits(void **state)
{
    (void)state;
    char folder[256];
    struct talk t;
    struct talk_ask a = talk_plain;
    if (group_with_quota(10000, folder, sizeof folder)) {
        print_message(
            "skipped: no CPU quota can be made here (needs root and a writable cgroup hierarchy)\n");
        skip();
    }
    a.workers = 2;
    a.transform = "gemm=256";
    talk_group = folder;
    talk_after_spec(&a, "{\"turn\": {\"warm_batches\": 0, \"batches\": 160}}\n{\"stop\": {}}\n", &t);
    talk_group = NULL;
    assert_int_equal(rmdir(folder), 0);
    if (t.exit_code == 126) {
        print_message("skipped: a process cannot be moved into %s\n", folder);
        skip();
    }
    assert_int_equal(t.n, 3);
    const json_t *turn = json_object_get(t.line[1], "turn");
    double waited = json_number_value(json_object_get(json_object_get(turn, "extra"), "waited_ns")),
           sum = all_waits(turn), throttled = wait_of(turn, "throttled");
    print_message("throttled: %.2f of the waits\n", throttled / sum);
    assert_true(fabs(sum - waited) <= 0.02 * waited);
    assert_true(throttled > 0.3 * sum);
    talk_end(&t);
}

int main(int argc, char **argv)
{
    talk_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_answered_whatever_the_setting),
        cmocka_unit_test(a_timeline_has_the_times_of_each_batch),
        cmocka_unit_test(a_timeline_without_end_is_refused),
        cmocka_unit_test(a_turn_has_its_migrations_and_faults_or_the_reason),
        cmocka_unit_test(a_turn_is_not_made_of_batches_that_were_ready_before),
        cmocka_unit_test(a_real_quota_shows_as_throttled_waits),
    };
    return CASES(tests);
}
