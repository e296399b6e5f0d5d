/* PyTorch's CPU generator: which words of the twister become which draw, and the format its state is saved
 * in.
 */
#include "loader/generator.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void generator_seed(struct generator *g, uint64_t seed)
{
    *g = (struct generator){.initial_seed = seed};
    mt19937_seed(&g->mt, (uint32_t)seed);
}

uint32_t generator_u32(struct generator *g)
{
    return mt19937_u32(&g->mt);
}

uint64_t generator_u64(struct generator *g)
{
    uint64_t high = mt19937_u32(&g->mt);
    return high << 32 | mt19937_u32(&g->mt);
}

int64_t generator_i64(struct generator *g)
{
    return (int64_t)(generator_u64(g) & INT64_MAX);
}

float generator_uniform_f32(struct generator *g)
{
    return (float)(generator_u32(g) & 0xffffff) * 0x1p-24F;
}

double generator_uniform_f64(struct generator *g)
{
    return (double)(generator_u64(g) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

int64_t generator_below(struct generator *g, int64_t bound)
{
    uint64_t range = (uint64_t)bound;
    if (range >> 32)
        return (int64_t)(generator_u64(g) % range);
    return generator_u32(g) % (uint32_t)range;
}

/* From this length on the reference draws 64 bits an element. */
#define LONG_PERMUTATION (UINT32_MAX / 20)

static void permute_long(struct generator *g, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t z = (int64_t)(generator_u64(g) % (uint64_t)(i + 1));
        out[i] = out[z];
        out[z] = i;
    }
}

/* The swap partners of a block are drawn first, so that their cache lines are on the way when they are
 * needed: a permutation beyond the cache is bound by misses. */
static void permute_short(struct generator *g, uint32_t n, int64_t *out)
{
    enum { AHEAD = 64 };
    uint32_t partner[AHEAD];
    for (uint32_t i = 0; i < n; i++)
        out[i] = i;
    for (uint32_t i = 0; i + 1 < n;) {
        uint32_t block = n - 1 - i < AHEAD ? n - 1 - i : AHEAD;
        for (uint32_t j = 0; j < block; j++) {
            partner[j] = i + j + mt19937_u32(&g->mt) % (n - i - j);
            __builtin_prefetch(&out[partner[j]], 1);
        }
        for (uint32_t j = 0; j < block; j++, i++) {
            int64_t kept = out[i];
            out[i] = out[partner[j]];
            out[partner[j]] = kept;
        }
    }
}

void generator_permutation(struct generator *g, int64_t n, int64_t *out)
{
    if (n < (int64_t)LONG_PERMUTATION)
        permute_short(g, (uint32_t)n, out);
    else
        permute_long(g, n, out);
}

/* Cumulative distribution of the weights; its last entry is 1 whatever the rounding. */
static int cumulate(const double *weights, int64_t n, double *cumulative, struct err *err)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(weights[i]) || weights[i] < 0)
            return err_set(err, -EINVAL, "weight %lld is %g: weights must be finite and not negative",
                           (long long)i, weights[i]);
        sum += weights[i];
        cumulative[i] = sum;
    }
    if (!(sum > 0) || !isfinite(sum))
        return err_set(err, -EINVAL, "the sum of the weights is %g: it must be positive and finite", sum);
    for (int64_t i = 0; i < n; i++)
        cumulative[i] /= sum;
    cumulative[n - 1] = 1;
    return 0;
}

static int64_t first_at_least(const double *cumulative, int64_t n, double u)
{
    int64_t low = 0, high = n;
    while (high > low) {
        int64_t middle = low + (high - low) / 2;
        if (cumulative[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int generator_multinomial(struct generator *g, const double *weights, int64_t n, int64_t k, int64_t *out,
                          struct err *err)
{
    if (n <= 0)
        return err_set(err, -EINVAL, "no weights to draw from");
    double *cumulative = malloc((size_t)n * sizeof *cumulative);
    if (!cumulative)
        return err_set(err, -ENOMEM, "no memory for %lld weights", (long long)n);
    int rc = cumulate(weights, n, cumulative, err);
    for (int64_t i = 0; !rc && i < k; i++)
        out[i] = first_at_least(cumulative, n, generator_uniform_f64(g));
    free(cumulative);
    return rc;
}

/* Field offsets of the saved format: initial seed, left, seeded, next, 624 words of 64 bits, three doubles,
 * a valid mark; then a float and its valid mark. Gaps are zero. */
enum {
    AT_SEED = 0,
    AT_LEFT = 8,
    AT_SEEDED = 12,
    AT_NEXT = 16,
    AT_WORDS = 24,
    AT_NORMAL = AT_WORDS + MT19937_WORDS * 8,
    AT_NORMAL_VALID = AT_NORMAL + 24,
    AT_NORMAL_F32 = AT_NORMAL_VALID + 8,
    AT_NORMAL_F32_VALID = AT_NORMAL_F32 + 4,
};

static void put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t take(const unsigned char *in, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)in[i] << (8 * i);
    return value;
}

void generator_save(const struct generator *g, unsigned char out[GENERATOR_STATE_BYTES])
{
    memset(out, 0, GENERATOR_STATE_BYTES);
    put(out + AT_SEED, g->initial_seed, 8);
    put(out + AT_LEFT, (uint32_t)g->mt.left, 4);
    put(out + AT_SEEDED, 1, 4);
    put(out + AT_NEXT, g->mt.next, 8);
    for (int i = 0; i < MT19937_WORDS; i++)
        put(out + AT_WORDS + (size_t)8 * (size_t)i, g->mt.state[i], 8);
    memcpy(out + AT_NORMAL, g->normal, sizeof g->normal);
    put(out + AT_NORMAL_VALID, (uint32_t)g->normal_valid, 4);
    memcpy(out + AT_NORMAL_F32, &g->normal_f32, sizeof g->normal_f32);
    out[AT_NORMAL_F32_VALID] = g->normal_f32_valid;
}

int generator_load(struct generator *g, const unsigned char *in, size_t bytes, struct err *err)
{
    if (bytes != GENERATOR_STATE_BYTES)
        return err_set(err, -EINVAL, "a generator state has %d bytes, this one has %zu",
                       GENERATOR_STATE_BYTES, bytes);
    uint64_t left = take(in + AT_LEFT, 4), next = take(in + AT_NEXT, 8);
    if (take(in + AT_SEEDED, 4) != 1)
        return err_set(err, -EINVAL, "the generator state says that it was never seeded");
    if (left < 1 || left > MT19937_WORDS || next > MT19937_WORDS ||
        (left > 1 && left + next != MT19937_WORDS + 1))
        return err_set(err, -EINVAL, "the generator state is damaged: %llu words left, next is word %llu",
                       (unsigned long long)left, (unsigned long long)next);
    struct generator loaded = {.initial_seed = take(in + AT_SEED, 8)};
    for (int i = 0; i < MT19937_WORDS; i++) {
        uint64_t word = take(in + AT_WORDS + (size_t)8 * (size_t)i, 8);
        if (word >> 32)
            return err_set(err, -EINVAL, "the generator state is damaged: word %d exceeds 32 bits", i);
        loaded.mt.state[i] = (uint32_t)word;
    }
    loaded.mt.left = (int32_t)left;
    loaded.mt.next = (uint32_t)next;
    memcpy(loaded.normal, in + AT_NORMAL, sizeof loaded.normal);
    loaded.normal_valid = (int32_t)take(in + AT_NORMAL_VALID, 4);
    memcpy(&loaded.normal_f32, in + AT_NORMAL_F32, sizeof loaded.normal_f32);
    loaded.normal_f32_valid = in[AT_NORMAL_F32_VALID];
    *g = loaded;
    return 0;
}
