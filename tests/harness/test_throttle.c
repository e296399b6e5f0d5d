/* Waits for workers that were kept from running: moved, never added. */
#include "throttle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/cmocka.h"

static double sum(const double w[RESULT_WAIT_CAUSES])
{
    double total = 0;
    for (int i = 0; i < RESULT_WAIT_CAUSES; i++)
        total += w[i];
    return total;
}

static void the_parts_add_up_to_the_wait(void **state)
{
    (void)state;
    for (double held = 0; held < 1e9; held = held * 3 + 1e5) {
        double w[RESULT_WAIT_CAUSES] = {[RESULT_WAIT_STARTUP] = 1e5,
                                        [RESULT_WAIT_COMPUTE] = 7e6,
                                        [RESULT_WAIT_HEAD_OF_LINE] = 2e6,
                                        [RESULT_WAIT_HANDOFF] = 3e5};
        double before = sum(w);
        harness_throttle_split(w, 5e6, held);
        assert_true(fabs(sum(w) - before) < 1e-9 * before);
        for (int i = 0; i < RESULT_WAIT_CAUSES; i++)
            assert_true(w[i] >= 0);
    }
}

static void half_the_wanted_time_is_half_the_wait_for_workers(void **state)
{
    (void)state;
    double w[RESULT_WAIT_CAUSES] = {[RESULT_WAIT_COMPUTE] = 8,
                                    [RESULT_WAIT_HEAD_OF_LINE] = 2,
                                    [RESULT_WAIT_HANDOFF] = 6,
                                    [RESULT_WAIT_PIN] = 4};
    harness_throttle_split(w, 6, 6);
    assert_true(w[RESULT_WAIT_THROTTLED] == 8 && w[RESULT_WAIT_COMPUTE] == 4 && w[RESULT_WAIT_PIN] == 4);
}

static void nothing_held_is_nothing_throttled_and_unknown_is_unknown(void **state)
{
    (void)state;
    double w[RESULT_WAIT_CAUSES] = {[RESULT_WAIT_COMPUTE] = 8};
    harness_throttle_split(w, 6, 0);
    assert_true(w[RESULT_WAIT_THROTTLED] == 0 && w[RESULT_WAIT_COMPUTE] == 8);
    harness_throttle_split(w, 6, NAN);
    assert_true(isnan(w[RESULT_WAIT_THROTTLED]) && w[RESULT_WAIT_COMPUTE] == 8);
}

static void the_statistics_lie_beside_the_quota(void **state)
{
    (void)state;
    struct harness_throttle t;
    harness_throttle_init(&t, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us");
    assert_string_equal(t.stat, "/sys/fs/cgroup/cpu/a/cpu.stat");
    harness_throttle_init(&t, "");
    assert_string_equal(t.stat, "");
    assert_true(harness_throttle_ns(&t) >= 0); /* steal alone */
}

static void both_versions_of_the_statistics_are_read(void **state)
{
    (void)state;
    struct harness_throttle none = {""}, t;
    char path[] = "/tmp/loaderbench-throttle-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    strcpy(t.stat, path);
    static const char v1[] = "nr_periods 3\nnr_throttled 2\nthrottled_time 5000000000000000\n";
    assert_int_equal(write(fd, v1, sizeof v1 - 1), sizeof v1 - 1);
    assert_true(fabs(harness_throttle_ns(&t) - harness_throttle_ns(&none) - 5e15) < 1e12);
    static const char v2[] = "usage_usec 1\nthrottled_usec 7000000000000\n";
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, v2, sizeof v2 - 1, 0), sizeof v2 - 1);
    assert_true(fabs(harness_throttle_ns(&t) - harness_throttle_ns(&none) - 7e15) < 1e12);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_add_up_to_the_wait),
        cmocka_unit_test(half_the_wanted_time_is_half_the_wait_for_workers),
        cmocka_unit_test(nothing_held_is_nothing_throttled_and_unknown_is_unknown),
        cmocka_unit_test(the_statistics_lie_beside_the_quota),
        cmocka_unit_test(both_versions_of_the_statistics_are_read),
    };
    return CASES(tests);
}
