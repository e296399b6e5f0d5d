/* Saving and resuming: the resumed run goes on as the unbroken one would have, draws included.
 *
 * A state is a text of lines (versioned, safe in JSON). It holds what the consumer has had, not what was
 * prefetched. What it does not hold: the loader's configuration (make the same loader again), a dataset's own
 * memory, draws that a hook seeded itself.
 *
 * A map-style loader can be resumed with another worker count at the end of an epoch, or in its middle as
 * long as no transform drew from a worker's streams (the per-sample stream is fine): the batches do not
 * depend on the workers. A stream's order does, so there the counts must be equal; its replicas are opened
 * anew and read past what was had. */
#ifndef LOADER_STATE_H
#define LOADER_STATE_H

#include "loader/loader.h"

/* Between two epochs (no iterator open).
 * Owner:  the caller frees *out. Errors: -ENOMEM; -EBUSY when persistent workers were left in mid-epoch. */
int loader_save(const struct loader *l, char **out, struct err *err);

/* At any point of an epoch, as often as wanted; the epoch goes on.
 * Owner:  the caller frees *out. Errors: -ENOMEM, -EPIPE after a worker died. */
int loader_iter_save(const struct loader_iter *it, char **out, struct err *err);

/* The next loader_iter_open goes on from the state; the loader's generator is set. Persistent workers are
 * started anew.
 * Errors: -EINVAL (damaged, or another configuration), -EBUSY (an iterator is open), -EOPNOTSUPP with the
 * reason when this worker count cannot give the same run. The loader is unchanged then. */
int loader_restore(struct loader *l, const char *state, struct err *err);

#endif
