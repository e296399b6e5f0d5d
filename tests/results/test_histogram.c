#include "results/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter_rng.h"
#include "testing/cmocka.h"

static void every_value_lies_in_its_bucket_and_a_bucket_is_narrow(void **state)
{
    (void)state;
    for (int e = 0; e < 64; e++) {
        uint64_t around[] = {(UINT64_C(1) << e) - 1, UINT64_C(1) << e, (UINT64_C(1) << e) + 1};
        for (int i = 0; i < 3; i++) {
            size_t b = histogram_bucket(around[i]);
            assert_true(b < HISTOGRAM_BUCKETS);
            uint64_t low = histogram_low(b), high = histogram_high(b);
            assert_true(low <= around[i] && (around[i] < high || high == UINT64_MAX));
            assert_true((double)(high - low) <= fmax(1, (double)low / 32 * 1.001));
        }
    }
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
    for (size_t b = 0; b + 1 < HISTOGRAM_BUCKETS; b++) {
        assert_int_equal(histogram_bucket(histogram_low(b)), b);
        assert_int_equal(histogram_bucket(histogram_high(b) - 1), b);
    }
}

static void merging_is_exact(void **state)
{
    (void)state;
    struct histogram *all = calloc(3, sizeof *all), *left = all + 1, *right = all + 2;
    struct counter_rng rng;
    counter_rng_init(&rng, 5, 0, 0);
    for (int i = 0; i < 5000; i++) {
        uint64_t v = counter_rng_u64(&rng) >> counter_rng_below(&rng, 64);
        histogram_add(all, v);
        histogram_add(i % 3 ? left : right, v);
    }
    histogram_merge(left, right);
    assert_memory_equal(all, left, sizeof *all);
    free(all);
}

static void quantiles_are_within_the_width_of_a_bucket(void **state)
{
    (void)state;
    struct histogram *h = calloc(1, sizeof *h);
    for (uint64_t v = 1; v <= 100000; v++)
        histogram_add(h, v * 10);
    static const double p[] = {0.001, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        assert_true(fabs(histogram_quantile(h, p[i]) / (p[i] * 1e6) - 1) <= 1.0 / 32);
    assert_true(histogram_quantile(h, 1) == 1e6);
    free(h);
}

static void empty_has_no_quantile_and_one_value_is_all_of_them(void **state)
{
    (void)state;
    struct histogram *h = calloc(1, sizeof *h);
    assert_true(isnan(histogram_quantile(h, 0.5)));
    histogram_add(h, 1000003);
    assert_true(fabs(histogram_quantile(h, 0.01) / 1000003 - 1) < 0.032);
    assert_true(histogram_quantile(h, 0.99) <= 1000003);
    assert_true(histogram_quantile(h, 1) == 1000003);
    memset(h, 0, sizeof *h);
    histogram_add(h, UINT64_MAX);
    assert_true(histogram_quantile(h, 0.5) <= 0x1p64 && histogram_quantile(h, 0.5) > 0x1p63);
    free(h);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(every_value_lies_in_its_bucket_and_a_bucket_is_narrow),
        cmocka_unit_test(merging_is_exact),
        cmocka_unit_test(quantiles_are_within_the_width_of_a_bucket),
        cmocka_unit_test(empty_has_no_quantile_and_one_value_is_all_of_them),
    };
    return CASES(list);
}
