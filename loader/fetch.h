/* Makes one batch in a slot by calling the dataset's hooks: in a worker, or inline in the consumer. */
#ifndef LOADER_FETCH_H
#define LOADER_FETCH_H

#include "context.h"
#include "slots.h"

struct fetcher {
    const struct loader_config *cfg;
    const struct slot_layout *layout;
    struct loader__context *context;
    const _Atomic uint32_t *stop; /* may be NULL; set: give up between two samples */
    struct sample *samples;       /* get_many only: [batch_max] */
    void *replica;
    bool open, ended; /* iterable */
    int broken;       /* a negative errno with broken_err: every batch fails with it */
    struct err broken_err;
    bool broken_for_good; /* by the worker_init hook; else by open, which the next epoch tries again */
};

/* Allocates; opens nothing. -ENOMEM. */
int fetcher_init(struct fetcher *f, const struct loader_config *cfg, const struct slot_layout *layout,
                 struct loader__context *context, const _Atomic uint32_t *stop);
void fetcher_fini(struct fetcher *f);

/* (Re)opens the replica of an iterable for a new epoch; a failure is kept and told with the next batch. */
void fetcher_begin_epoch(struct fetcher *f);

/* Draws and drops `batches` batches of an iterable's replica: how a saved place in a stream is found again.
 */
void fetcher_skip(struct fetcher *f, int64_t batches, unsigned char *slot);

/* Fills the slot's head (all but the times) from its task. */
void fetch_batch(struct fetcher *f, unsigned char *slot);

#endif
