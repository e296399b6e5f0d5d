/* Seeding of a worker's streams, and who is running on this thread: a worker, or the consumer inline. */
#include "loader/streams.h"

#include "context.h"

/* Which context a hook runs in. Thread-local because a hook has no other way to be told: the reference's
 * get_worker_info() and its global generators are the same kind of state. */
static _Thread_local struct loader__context *current;

struct loader__context *loader__context_enter(struct loader__context *context)
{
    struct loader__context *before = current;
    current = context;
    return before;
}

void loader__streams_drawn(const struct loader_streams *s, uint64_t out[LOADER_STREAMS])
{
    out[0] = mt19937_drawn(&s->torch.mt);
    out[1] = mt19937_drawn(&s->python);
    out[2] = mt19937_drawn(&s->numpy);
}

void loader__streams_go(struct loader_streams *s, const uint64_t drawn[LOADER_STREAMS])
{
    struct mt19937 *each[LOADER_STREAMS] = {&s->torch.mt, &s->python, &s->numpy};
    for (int i = 0; i < LOADER_STREAMS; i++)
        if (drawn[i] > mt19937_drawn(each[i]))
            mt19937_skip(each[i], drawn[i] - mt19937_drawn(each[i]));
}

const struct worker_info *loader_worker_info(void)
{
    return current && current->info.id >= 0 ? &current->info : NULL;
}

struct loader_streams *loader_streams(void)
{
    return current ? &current->streams : NULL;
}

void loader_sample_stream(struct counter_rng *out, int64_t index)
{
    counter_rng_init(out, current ? current->seed : 0, current ? current->epoch : 0, (uint64_t)index);
}

/* NumPy's SeedSequence over [worker id, low half, high half, 0] with a pool of four words.
 * Source: O'Neill, "Developing a seed_seq alternative" (2015), as NumPy and the reference use it. */
struct seed_hash {
    uint32_t factor, step;
};

static uint32_t hash_word(struct seed_hash *h, uint32_t value)
{
    value ^= h->factor;
    h->factor *= h->step;
    value *= h->factor;
    return value ^ value >> 16;
}

static uint32_t mix_words(uint32_t x, uint32_t y)
{
    uint32_t z = x * UINT32_C(0xca01f9dd) - y * UINT32_C(0x4973f715);
    return z ^ z >> 16;
}

void loader_numpy_seed(int64_t base_seed, int worker_id, uint32_t out[4])
{
    uint64_t base = (uint64_t)base_seed;
    uint32_t pool[4] = {(uint32_t)worker_id, (uint32_t)base, (uint32_t)(base >> 32), 0};
    struct seed_hash in = {UINT32_C(0x43b0d7e5), UINT32_C(0x931e8875)};
    for (int i = 0; i < 4; i++)
        pool[i] = hash_word(&in, pool[i]);
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++)
            if (from != to)
                pool[to] = mix_words(pool[to], hash_word(&in, pool[from]));
    struct seed_hash final = {UINT32_C(0x8b51f9dd), UINT32_C(0x58f38ded)};
    for (int i = 0; i < 4; i++)
        out[i] = hash_word(&final, pool[i]);
}

void loader_streams_seed(struct loader_streams *s, int64_t base_seed, int worker_id)
{
    uint64_t seed = (uint64_t)base_seed + (uint64_t)worker_id;
    uint32_t halves[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    loader_numpy_seed(base_seed, worker_id, words);
    generator_seed(&s->torch, seed);
    mt19937_seed_array(&s->python, halves, halves[1] ? 2 : 1);
    mt19937_seed_array(&s->numpy, words, 4);
}
