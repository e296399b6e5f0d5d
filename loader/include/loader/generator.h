/* Random generators whose draws equal the reference's bit for bit: the Mersenne Twister under PyTorch's CPU
 * generator, Python's `random` and NumPy's legacy generator.
 * Source: Matsumoto, Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998); LOADER facts in tests/golden. */
#ifndef LOADER_GENERATOR_H
#define LOADER_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { MT19937_WORDS = 624, GENERATOR_STATE_BYTES = 5056 };

/* The bare twister. Caller's storage, copied by assignment. */
struct mt19937 {
    uint32_t state[MT19937_WORDS];
    uint32_t next; /* word handed out next */
    int32_t left;  /* 1 = the state is used up and is twisted before the next word */
    uint64_t twists;
};

void mt19937_seed(struct mt19937 *m, uint32_t seed);
/* n > 0 words; as Python and NumPy seed. */
void mt19937_seed_array(struct mt19937 *m, const uint32_t *key, size_t n);
uint32_t mt19937_u32(struct mt19937 *m);
/* Uniform in [0, 1), 53 bits from two words: Python's random.random(), NumPy's legacy rand(). */
double mt19937_uniform(struct mt19937 *m);
/* Words drawn since it was seeded, and how to be there again. */
uint64_t mt19937_drawn(const struct mt19937 *m);
void mt19937_skip(struct mt19937 *m, uint64_t words);

/* PyTorch's CPU generator. Only the low 32 bits of the seed decide the stream, as there. */
struct generator {
    struct mt19937 mt;
    uint64_t initial_seed;
    double normal[3]; /* cached normals of the saved format: carried along, not used here */
    float normal_f32;
    int32_t normal_valid;
    uint8_t normal_f32_valid;
};

void generator_seed(struct generator *g, uint64_t seed);

uint32_t generator_u32(struct generator *g);
uint64_t generator_u64(struct generator *g); /* first word drawn is the high half */
/* Uniform in 0 .. 2^63 - 1: what a base seed is drawn with. */
int64_t generator_i64(struct generator *g);
float generator_uniform_f32(struct generator *g);  /* [0, 1), 24 bits */
double generator_uniform_f64(struct generator *g); /* [0, 1), 53 bits */
/* Uniform in [0, bound), bound > 0; two words a draw from 2^32 on, with the reference's modulo. */
int64_t generator_below(struct generator *g, int64_t bound);
/* A permutation of 0 .. n - 1 into out[n]. */
void generator_permutation(struct generator *g, int64_t n, int64_t *out);
/* k draws with replacement from weights[n] (finite, not negative, with a positive sum).
 * Errors: -EINVAL for such weights, -ENOMEM. */
int generator_multinomial(struct generator *g, const double *weights, int64_t n, int64_t k, int64_t *out,
                          struct err *err);

/* The reference's saved format, both ways (little-endian, as its machines write it).
 * Errors of load: -EINVAL with what is wrong; g is unchanged then. */
void generator_save(const struct generator *g, unsigned char out[GENERATOR_STATE_BYTES]);
int generator_load(struct generator *g, const unsigned char *in, size_t bytes, struct err *err);

#endif
