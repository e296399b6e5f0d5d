/* A counter-based random generator: the n-th draw of a stream is a pure function of its key, so a sample's
 * draws do not depend on which worker made it or in which order. Source: Salmon, Moraes, Dror, Shaw,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11 (Philox-4x32-10). */
#ifndef BASE_COUNTER_RNG_H
#define BASE_COUNTER_RNG_H

#include <stdint.h>

struct counter_rng {
    uint32_t key[2];
    uint32_t counter[4]; /* [0], [1]: block number; [2], [3]: sample index */
    uint32_t out[4];
    unsigned used; /* words of `out` already handed out; 4 = none left */
};

/* The stream of one sample in one epoch of a run seeded with `seed`. */
void counter_rng_init(struct counter_rng *rng, uint64_t seed, uint64_t epoch, uint64_t sample);

uint32_t counter_rng_u32(struct counter_rng *rng);
uint64_t counter_rng_u64(struct counter_rng *rng);

/* Uniform in [0, 1), 53 bits. */
double counter_rng_uniform(struct counter_rng *rng);

/* Uniform in [0, n), without bias; n > 0. */
uint32_t counter_rng_below(struct counter_rng *rng, uint32_t n);

/* Standard normal (Box-Muller, one value a call). */
double counter_rng_normal(struct counter_rng *rng);

/* One Philox-4x32-10 block: what the published test vectors check. */
void counter_rng_block(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

#endif
