/* Who runs a hook: what loader_worker_info, loader_streams and loader_sample_stream answer from. */
#ifndef LOADER_CONTEXT_H
#define LOADER_CONTEXT_H

#include "loader/streams.h"
#include "loader/worker_info.h"

struct loader__context {
    struct worker_info info; /* id -1: the consumer, inline */
    struct loader_streams streams;
    uint64_t seed, epoch; /* key of the per-sample stream */
};

/* Words drawn from each stream since it was seeded; and drawing on until so many have been. */
enum { LOADER_STREAMS = 3 };
void loader__streams_drawn(const struct loader_streams *s, uint64_t out[LOADER_STREAMS]);
void loader__streams_go(struct loader_streams *s, const uint64_t drawn[LOADER_STREAMS]);

/* Makes `context` the calling thread's, returns the one before: give that back afterwards. */
struct loader__context *loader__context_enter(struct loader__context *context);

#endif
