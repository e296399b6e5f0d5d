#include "base/counter_rng.h"

#include <math.h>

#include "testing/cmocka.h"

/* Vectors of the Random123 distribution (kat_vectors, philox4x32 10). */
static void block_matches_the_published_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint32_t out[4];
        counter_rng_block(vectors[i].key, vectors[i].counter, out);
        assert_memory_equal(out, vectors[i].out, sizeof out);
    }
}

static void a_sample_draws_the_same_whatever_was_drawn_before(void **state)
{
    (void)state;
    struct counter_rng a, b;
    counter_rng_init(&a, 42, 3, 7);
    for (int i = 0; i < 100; i++)
        counter_rng_u32(&a);
    counter_rng_init(&a, 42, 3, 8);
    counter_rng_init(&b, 42, 3, 8);
    for (int i = 0; i < 10; i++)
        assert_int_equal(counter_rng_u32(&a), counter_rng_u32(&b));
    counter_rng_init(&b, 42, 4, 8);
    assert_int_not_equal(counter_rng_u64(&a), counter_rng_u64(&b));
}

static void draws_have_the_mean_and_spread_they_should(void **state)
{
    (void)state;
    struct counter_rng r;
    counter_rng_init(&r, 1, 0, 0);
    enum { N = 100000 };
    double u = 0, z = 0, zz = 0;
    for (int i = 0; i < N; i++) {
        double x = counter_rng_uniform(&r), y = counter_rng_normal(&r);
        assert_true(x >= 0 && x < 1);
        assert_true(counter_rng_below(&r, 3) < 3);
        u += x;
        z += y;
        zz += y * y;
    }
    /* five standard errors */
    assert_true(fabs(u / N - 0.5) < 5 * 0.2887 / sqrt(N));
    assert_true(fabs(z / N) < 5 / sqrt(N));
    assert_true(fabs(zz / N - 1) < 5 * sqrt(2.0 / N));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(block_matches_the_published_vectors),
        cmocka_unit_test(a_sample_draws_the_same_whatever_was_drawn_before),
        cmocka_unit_test(draws_have_the_mean_and_spread_they_should),
    };
    return CASES(cases);
}
