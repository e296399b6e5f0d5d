/* Which part of a stream a replica takes. An iterable-style dataset that does not ask yields everything in every
 * worker: each sample comes once for each of them. */
#ifndef LOADER_SHARD_H
#define LOADER_SHARD_H

#include <stddef.h>
#include <stdint.h>

#include "loader/worker_info.h"

enum loader_shard {
    LOADER_SHARD_NONE,       /* all of it: the duplication */
    LOADER_SHARD_STRIDE,     /* id, id + num_workers, ... */
    LOADER_SHARD_CONTIGUOUS, /* half-open ranges of ceil(total / num_workers) */
    LOADER_SHARDS,
};

/* at, at + step, ... below end. */
struct loader_range {
    int64_t at, end, step;
};

/* The part of start <= i < end that the worker takes; all of it inline (info NULL, or its id negative). */
struct loader_range loader_shard_range(enum loader_shard how, int64_t start, int64_t end,
                                       const struct worker_info *info);

/* By file: writes into out[n] the numbers of the files that are the worker's, ascending, and returns how many.
 * With sizes the larger files are dealt first, each to the worker with the least so far (ties: the lowest id);
 * without (NULL) file i goes to worker i % num_workers. Needs scratch[num_workers] with sizes. */
size_t loader_shard_files(size_t n, const int64_t *size_bytes, const struct worker_info *info,
                          int64_t *scratch, size_t *out);

/* "none", "stride", "contiguous". */
extern const char *const loader_shard_names[LOADER_SHARDS];

#endif
