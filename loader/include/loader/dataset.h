/* What a loader loads from: a map-style dataset answers for an index, an iterable-style one is a stream that
 * each replica (worker) opens for itself. After PyTorch's Dataset and IterableDataset. */
#ifndef LOADER_DATASET_H
#define LOADER_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct worker_info;

/* Where one sample goes. The loader sets data and capacity (a piece of the batch's slot); the hook writes the
 * sample there and sets bytes (at most capacity, 0 is allowed). */
struct sample {
    void *data;
    size_t capacity;
    size_t bytes;
    int64_t index; /* map-style: the index asked for; iterable: the hook may set it (an identity for traces),
                      else -1 */
};

/* A plain struct of hooks; the caller owns it and `self`, and keeps both alive longer than the loader.
 * Map-style: len and get. Iterable-style: open, next, close. Never both.
 * Hooks return 0 or a negative errno with err set; they run in a worker process or thread, or inline in the
 * consumer. */
struct dataset {
    const char *name; /* required; for messages */
    void *self;
    size_t sample_bytes_max; /* room that a slot keeps for each sample */

    int64_t (*len)(void *self);                                                 /* map: required */
    int (*get)(void *self, int64_t index, struct sample *out, struct err *err); /* map: required */
    int (*get_many)(void *self, const int64_t *index, size_t n,
                    struct sample *out, /* optional, NULL = get in */
                    struct err *err);   /* turn; map only          */
    int (*open)(void *self, const struct worker_info *info, void **replica,
                struct err *err); /* iterable: required */
    int (*next)(void *replica, struct sample *out,
                struct err *err); /* iterable: required; 1 a sample, 0 the end */
    void (*close)(void *replica); /* iterable: optional, NULL = nothing to do */
};

#endif
