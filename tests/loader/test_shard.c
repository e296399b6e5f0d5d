#include "loader/shard.h"

#include "loader/range.h"
#include "testing/cmocka.h"

static void the_shares_of_a_range_are_disjoint_and_complete(void **state)
{
    (void)state;
    for (int how = LOADER_SHARD_STRIDE; how < LOADER_SHARDS; how++)
        for (int64_t n = 0; n < 30; n++)
            for (int workers = 1; workers < 9; workers++) {
                int seen[64] = {0};
                for (int w = 0; w < workers; w++) {
                    struct worker_info info = {.id = w, .num_workers = workers};
                    struct loader_range r = loader_shard_range((enum loader_shard)how, 5, 5 + n, &info);
                    for (int64_t i = r.at; i < r.end; i += r.step)
                        seen[i]++;
                }
                for (int64_t i = 0; i < 64; i++)
                    assert_int_equal(seen[i], i >= 5 && i < 5 + n);
            }
}

static void contiguous_shares_are_half_open_ranges_of_the_rounded_up_length(void **state)
{
    (void)state;
    const int64_t expected[4][2] = {{3, 5}, {5, 7}, {7, 9}, {9, 10}};
    for (int w = 0; w < 4; w++) {
        struct worker_info info = {.id = w, .num_workers = 4};
        struct loader_range r = loader_shard_range(LOADER_SHARD_CONTIGUOUS, 3, 10, &info);
        assert_int_equal(r.at, expected[w][0]);
        assert_int_equal(r.end, expected[w][1]);
        assert_int_equal(r.step, 1);
    }
    struct worker_info last = {.id = 1999999999, .num_workers = 2000000000};
    struct loader_range far = loader_shard_range(LOADER_SHARD_CONTIGUOUS, 0, INT64_MAX, &last);
    assert_int_equal(far.end, INT64_MAX); /* no product overflows */
}

static void inline_and_unsharded_is_everything(void **state)
{
    (void)state;
    struct worker_info one = {.id = 1, .num_workers = 4}, consumer = {.id = -1};
    const struct worker_info *const whole[] = {NULL, &consumer};
    for (int i = 0; i < 2; i++)
        for (int how = 0; how < LOADER_SHARDS; how++) {
            struct loader_range r = loader_shard_range((enum loader_shard)how, 2, 9, whole[i]);
            assert_true(r.at == 2 && r.end == 9 && r.step == 1);
        }
    struct loader_range r = loader_shard_range(LOADER_SHARD_NONE, 2, 9, &one);
    assert_true(r.at == 2 && r.end == 9 && r.step == 1);
}

static void files_are_dealt_whole_and_the_largest_first(void **state)
{
    (void)state;
    const int64_t size[6] = {10, 70, 30, 40, 30, 20};
    int seen[6] = {0};
    int64_t load[3] = {0}, scratch[3];
    for (int w = 0; w < 3; w++) {
        struct worker_info info = {.id = w, .num_workers = 3};
        size_t mine[6], n = loader_shard_files(6, size, &info, scratch, mine);
        for (size_t i = 0; i < n; i++) {
            seen[mine[i]]++;
            load[w] += size[mine[i]];
            assert_true(i == 0 || mine[i] > mine[i - 1]);
        }
    }
    for (int i = 0; i < 6; i++)
        assert_int_equal(seen[i], 1);
    /* 70 | 40 | 30, then 30 to the 30, 20 to the 40, 10 to the 60s' first */
    assert_int_equal(load[0], 70);
    assert_int_equal(load[1], 70);
    assert_int_equal(load[2], 60);
}

static void files_without_sizes_go_round(void **state)
{
    (void)state;
    struct worker_info info = {.id = 1, .num_workers = 3};
    size_t mine[8];
    assert_int_equal(loader_shard_files(8, NULL, &info, NULL, mine), 3);
    assert_true(mine[0] == 1 && mine[1] == 4 && mine[2] == 7);
    assert_int_equal(loader_shard_files(8, NULL, NULL, NULL, mine), 8);
}

static void a_range_is_read_from_its_words(void **state)
{
    (void)state;
    struct range_data d;
    assert_int_equal(range_data_init(&d, "range-map:12", NULL), 0);
    assert_true(!d.stream && d.end == 12 && d.dataset.len(d.dataset.self) == 12);
    assert_int_equal(range_data_init(&d, "range-iter:3:10:contiguous", NULL), 0);
    assert_true(d.stream && d.start == 3 && d.end == 10 && d.shard == LOADER_SHARD_CONTIGUOUS);
    assert_int_equal(range_data_init(&d, "range-iter:3:10", NULL), 0);
    assert_int_equal(d.shard, LOADER_SHARD_NONE);
    const char *const bad[] = {"",    "range-map",        "range-map:-1",          "range-map:1:2",
                               "map", "range-iter:3:2",   "range-iter:1:2:x",      "range-iter:1:2:none:",
                               "a:b", "range-iter::1:no", "range-map:99999999999", "range-map: 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(range_data_init(&d, bad[i], NULL) < 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_shares_of_a_range_are_disjoint_and_complete),
        cmocka_unit_test(contiguous_shares_are_half_open_ranges_of_the_rounded_up_length),
        cmocka_unit_test(inline_and_unsharded_is_everything),
        cmocka_unit_test(files_are_dealt_whole_and_the_largest_first),
        cmocka_unit_test(files_without_sizes_go_round),
        cmocka_unit_test(a_range_is_read_from_its_words),
    };
    return CASES(cases);
}
