/* One epoch under way: the consumer's books on tasks, slots and workers. */
#ifndef LOADER_ITER_H
#define LOADER_ITER_H

#include "fetch.h"
#include "loader/sampler.h"
#include "page_lock.h"
#include "pool.h"
#include "wait.h"

struct loader {
    struct loader_config cfg; /* with the defaults filled in */
    struct generator own, *generator;
    struct sampler *made[2];     /* the samplers it made itself, inner first */
    const struct sampler *order; /* read once a batch; NULL for an iterable */
    int64_t batch_max;
    struct shared_layout layout;
    uint64_t seed, epoch; /* epoch: iterators opened so far */
    int64_t len_told;     /* iterable: samples that loader_len said there are; -1 = not asked */
    unsigned told;        /* bit set of enum loader_told */
    struct loader__context inline_context;
    struct pool *pool; /* persistent workers between two epochs */
    struct loader_iter *persistent_iter;
    struct loader_state *restored; /* what the next iterator starts from; NULL = the loader as it is */
    uint64_t (*persistent_drawn)[LOADER_STREAMS]; /* [workers] when the last epoch ended; NULL = unknown */
};

enum loader_told {
    TOLD_CPUS = 1,
    TOLD_LENGTH = 2,
    TOLD_REPLICA_DROPPED = 4,
    TOLD_ALL_DROPPED = 8,
    TOLD_NO_ACCELERATOR = 16,
};

struct iter_worker {
    int64_t tasks; /* sent and not yet handed back */
    int64_t batches;
    int64_t answers;                         /* batches and failures that the consumer has had */
    uint64_t drawn[LOADER_STREAMS];          /* after the last of them */
    uint64_t drawn_at_start[LOADER_STREAMS]; /* when the epoch began */
    bool ended;
};

struct iter_slot {
    struct batch batch;
    uint64_t issued_ns;
    int worker;
    bool held; /* the consumer has it */
};

struct loader_state;

struct loader_iter {
    struct loader *l;
    struct pool *pool; /* NULL = inline */
    unsigned char *map;
    const struct shared_layout *layout;
    void *order; /* the sampler's epoch */
    bool order_ended;
    struct err order_err; /* why it ended early */
    int order_code;
    int64_t sent, delivered, outstanding;
    int64_t dropped; /* iterable: samples that drop_last dropped */
    uint64_t epoch;
    int64_t base_seed;

    struct iter_worker *worker; /* [max(workers, 1)] */
    int next_worker;
    int last_worker;        /* whose batch or failure the consumer had last */
    struct iter_slot *slot; /* [slots] */
    uint32_t *free_slot, *fifo;
    uint32_t n_free, n_held, fifo_at, fifo_n;
    size_t *offset; /* [batch_max + 1] */

    struct fetcher fetcher;        /* inline only */
    struct page_lock *inline_lock; /* inline and pinned only */

    struct spinner spinner;
    struct loader_stats stats;
    uint64_t open_ns, now_ns, checked_ns;
    uint64_t call_ns, waited_ns, slept_ns; /* of this call of loader_next */
    struct err failed;                     /* a worker died: every later call says so */

    struct generator at_start, sampler_at_start; /* before the base seed was drawn */
    bool sampler_has_own, drew_base_seed;
    int64_t *pending; /* resumed: numbers below `sent_before` that are still to come, in order */
    int64_t n_pending, sent_before;
};

/* Reads the next batch's indices into a free slot's task. 1 done, 0 the order is at its end (or broken:
 * order_code), with the slot still free. */
int iter__read_order(struct loader_iter *it, uint32_t slot);
/* A free slot: one that `worker` wrote last, else one that nobody wrote, else any. */
uint32_t iter__take_free(struct loader_iter *it, int worker);
void iter__give_free(struct loader_iter *it, uint32_t slot);

/* Sends the next task to the next worker, if there is one to send. */
void iter__put(struct loader_iter *it);

/* Waits for a value in worker w's ring (w < 0: in any), counting why. Errors: -ETIMEDOUT, -EPIPE. */
int iter__await(struct loader_iter *it, int w, struct err *err);

/* The consumer has had the slot's batch or failure: what a saved state counts. */
void iter__note_answer(struct loader_iter *it, uint32_t slot, int worker);

/* The slot's batch, ready for the consumer. */
const struct batch *iter__deliver(struct loader_iter *it, uint32_t slot, int worker);

int iter__next_inline(struct loader_iter *it, const struct batch **out, struct err *err);
int iter__next_worked(struct loader_iter *it, const struct batch **out, struct err *err);

/* The end of an epoch: warnings that only now can be given. Returns the code of loader_next. */
int iter__end(struct loader_iter *it, struct err *err);

/* Copies the draws and answers of a state into the books (and the workers' starts). */
int iter__restore(struct loader_iter *it, const struct loader_state *state, struct err *err);

void loader__warn(struct loader *l, enum loader_told what, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
