/* The random streams a transform may draw from inside a dataset's hook. A worker has three, seeded with base
 * seed + id as the reference seeds torch, Python's random and NumPy; besides, each sample has one that does
 * not depend on the worker at all. */
#ifndef LOADER_STREAMS_H
#define LOADER_STREAMS_H

#include <stdint.h>

#include "base/counter_rng.h"
#include "loader/generator.h"

struct loader_streams {
    struct generator torch; /* torch.rand: generator_uniform_f32 */
    struct mt19937 python;  /* random.random(): mt19937_uniform */
    struct mt19937 numpy;   /* np.random.rand(): mt19937_uniform */
};

/* As a worker seeds them. A worker_init hook may seed them anew. */
void loader_streams_seed(struct loader_streams *s, int64_t base_seed, int worker_id);

/* The four words NumPy is seeded with. */
void loader_numpy_seed(int64_t base_seed, int worker_id, uint32_t out[4]);

/* The streams of whoever runs the hook (a worker, or the consumer when it loads inline); NULL outside of
 * hooks.
 * Owner:   borrowed, valid during the hook. */
struct loader_streams *loader_streams(void);

/* A stream that depends on the loader's seed, the epoch and the sample's index only: the same draws whatever
 * the worker count. Outside of hooks: seed 0, epoch 0. */
void loader_sample_stream(struct counter_rng *out, int64_t index);

#endif
