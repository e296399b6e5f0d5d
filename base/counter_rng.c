/* Philox-4x32-10, keyed by seed and epoch, counted by sample and block. */
#include "base/counter_rng.h"

#include <math.h>

#define ROUNDS 10

void counter_rng_block(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = UINT64_C(0xD2511F53) * c0;
        uint64_t p1 = UINT64_C(0xCD9E8D57) * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Finaliser of splitmix64: spreads seed and epoch over the key, so that (seed, epoch + 1) and (seed + 1,
 * epoch) have nothing in common. */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void counter_rng_init(struct counter_rng *rng, uint64_t seed, uint64_t epoch, uint64_t sample)
{
    uint64_t key = mix(mix(seed) ^ epoch);
    *rng = (struct counter_rng){.key = {(uint32_t)key, (uint32_t)(key >> 32)},
                                .counter = {0, 0, (uint32_t)sample, (uint32_t)(sample >> 32)},
                                .used = 4};
}

uint32_t counter_rng_u32(struct counter_rng *rng)
{
    if (rng->used == 4) {
        counter_rng_block(rng->key, rng->counter, rng->out);
        if (++rng->counter[0] == 0)
            rng->counter[1]++;
        rng->used = 0;
    }
    return rng->out[rng->used++];
}

uint64_t counter_rng_u64(struct counter_rng *rng)
{
    uint64_t high = counter_rng_u32(rng);
    return high << 32 | counter_rng_u32(rng);
}

double counter_rng_uniform(struct counter_rng *rng)
{
    return (double)(counter_rng_u64(rng) >> 11) * 0x1p-53;
}

uint32_t counter_rng_below(struct counter_rng *rng, uint32_t n)
{
    uint32_t reject = (uint32_t)(-n) % n; /* 2^32 mod n: below it the draw would favour small values */
    uint32_t draw;
    do
        draw = counter_rng_u32(rng);
    while (draw < reject);
    return draw % n;
}

double counter_rng_normal(struct counter_rng *rng)
{
    double u = 1.0 - counter_rng_uniform(rng); /* (0, 1] */
    double v = counter_rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
