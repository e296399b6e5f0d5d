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

/* Makes `context` the calling thread's, returns the one before: give that back afterwards. */
struct loader__context *loader__context_enter(struct loader__context *context);

#endif
