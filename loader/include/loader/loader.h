/* The loader: batches of a dataset, in sampler order whatever the worker count. After PyTorch's DataLoader.
 *
 *     struct loader *l; struct loader_iter *it; const struct batch *b;
 *     loader_create(&cfg, &l, &err);
 *     loader_iter_open(l, &it, &err);                      // one epoch
 *     while ((rc = loader_next(it, &b, &err)) == 0) { ...; loader_release(it, b); }   // rc == -ENODATA: the
 * end loader_iter_close(it); loader_destroy(l);
 */
#ifndef LOADER_LOADER_H
#define LOADER_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "loader/dataset.h"
#include "loader/worker_info.h"

struct loader;
struct loader_iter;
struct generator; /* loader/generator.h */
struct sampler;   /* loader/sampler.h */

enum loader_backend {
    LOADER_BACKEND_PROCESS, /* worker processes (fork) */
    LOADER_BACKEND_THREAD,  /* worker threads; the same order, seeds and draws */
};

enum loader_pin {
    LOADER_PIN_ACCELERATOR, /* register the slots with the accelerator's driver; without one: a warning, no pin */
    LOADER_PIN_MLOCK,       /* mlock, accelerator or not */
};

/* All-zero means: 0 workers, batches of 1, in dataset order, no time-out. Borrowed pointers stay the caller's
 * and must outlive the loader. */
struct loader_config {
    const struct dataset *dataset;
    int num_workers;    /* 0 = inline, in the consumer */
    int64_t batch_size; /* 0 = 1; LOADER_BATCHING_OFF = batching off */
    bool shuffle;
    bool drop_last;
    const struct sampler *sampler;       /* NULL = sequential, or random with shuffle */
    const struct sampler *batch_sampler; /* NULL = batches of batch_size off the sampler */
    struct generator *generator;         /* NULL = the loader's own, seeded with `seed` */
    uint64_t seed;
    int prefetch_factor; /* 0 = 2 with workers; must stay 0 without */
    bool persistent_workers;
    bool out_of_order; /* deliver batches as they get ready (in_order = False) */
    bool pin_memory;
    enum loader_pin pin_how;
    uint64_t timeout_ns;         /* 0 = none */
    enum loader_backend backend; /* of workers; ignored with 0 */
    int extra_slots;             /* batches the consumer may hold at once beyond the one in hand */
    bool item_times;             /* take the time of each sample: batch.item_ns */

    /* Runs in each worker after seeding, before any data (optional). A failure is reported with the worker's
     * first batch. */
    int (*worker_init)(void *arg, const struct worker_info *info, struct err *err);
    void *worker_init_arg;

    /* Told once each, in the consumer (optional): things a person should know that are no failure. */
    void (*warn)(void *arg, const char *text);
    void *warn_arg;
};

enum { LOADER_BATCHING_OFF = -1 };

/* Why the consumer waited for a batch. */
enum loader_wait {
    LOADER_WAIT_STARTUP,      /* its worker was not up yet */
    LOADER_WAIT_COMPUTE,      /* it was being made, and nothing else was ready */
    LOADER_WAIT_HEAD_OF_LINE, /* a later batch was ready, this one was not */
    LOADER_WAIT_HANDOFF,      /* it was finished but not here yet */
    LOADER_WAIT_PIN,          /* in the pin stage */
    LOADER_WAIT_CAUSES,
};

/* A borrowed batch, in place in the slot its worker wrote. Times are clock_now_ns(). */
struct batch {
    int64_t number;      /* 0, 1, ... in the epoch, in sampler order */
    int worker;          /* who made it; -1 = inline */
    int64_t worker_seed; /* base seed + worker; -1 = inline */
    int64_t samples;
    const int64_t *index; /* [samples] the sampler's indices (iterable: what the dataset set, or -1) */
    const unsigned char *data;
    const size_t *offset;    /* [samples + 1] into data: sample i is data[offset[i]] .. its bytes[i] bytes */
    const size_t *bytes;     /* [samples] */
    const uint64_t *item_ns; /* [samples] wall time in the dataset's hook; NULL unless cfg.item_times */
    uint64_t issued_ns, started_ns, finished_ns, received_ns;
    uint64_t wait_ns; /* how long loader_next waited for it; split by cause in loader_iter_stats */
};

/* Totals of an iterator since it was opened. */
struct loader_stats {
    int64_t batches, samples, bytes;
    uint64_t wait_ns[LOADER_WAIT_CAUSES];
    uint64_t startup_ns; /* loader_iter_open: from the call until every worker was up */
    uint64_t
        first_batch_ns; /* from the call of loader_iter_open until the first batch was here; 0 before that */
    int64_t head_of_line_waits, queue_full, queue_empty, futex_sleeps;
};

/* Checks everything that can be checked before a worker is started (LOADER.md A1 and the forecast of shared
 * memory). Owner:  the caller, until loader_destroy. Errors: -EINVAL with the reference's words,
 * -ENOMEM/-ENOSPC with the bytes needed and the bytes there. */
int loader_create(const struct loader_config *cfg, struct loader **out, struct err *err);
void loader_destroy(struct loader *l);

/* Batches of an epoch: -EOPNOTSUPP (err set) for an iterable without a length. */
int loader_len(const struct loader *l, int64_t *out, struct err *err);

/* Starts an epoch: draws the base seed, starts the workers (or resets persistent ones) and primes their
 * queues. Owner:  the caller, until loader_iter_close. With persistent workers one iterator at a time.
 * Errors: -EAGAIN/-EMFILE/-ENOMEM with the limit that was hit. */
int loader_iter_open(struct loader *l, struct loader_iter **out, struct err *err);

/* Ends all workers (persistent ones stay), also in the middle of an epoch. Never takes long, never fails. */
void loader_iter_close(struct loader_iter *it);

/* Next batch, in sampler order whatever the worker count.
 * Owner:   borrowed; valid until loader_release(it, *out) or loader_iter_close.
 * Errors:  -ENODATA end of the epoch, -ETIMEDOUT cfg.timeout_ns passed, -EPIPE a worker died, -ENOBUFS the
 * consumer holds all slots; any code of the dataset's hook (iteration can go on after that). Threads: one
 * consumer. */
int loader_next(struct loader_iter *it, const struct batch **out, struct err *err);
void loader_release(struct loader_iter *it, const struct batch *batch);

void loader_iter_stats(const struct loader_iter *it, struct loader_stats *out);

/* Batches that wait in their slots or are being made: those that a steady-state measurement takes untimed. */
int64_t loader_iter_outstanding(const struct loader_iter *it);

/* Process ids of the workers; returns how many there are (0 inline and with threads), writes at most max. */
int loader_iter_pids(const struct loader_iter *it, pid_t *pids, int max);

/* Whether pinning was asked for, and whether this iterator does it (false without an accelerator). */
bool loader_pin_memory(const struct loader *l);
bool loader_iter_pin_memory(const struct loader_iter *it);

/* Bytes of shared memory the slots and rings take: prefetch_factor * num_workers slots, one in hand, extra_slots, and
 * one more for each further worker, so that workers mostly get slots they wrote before. */
size_t loader_forecast_bytes(const struct loader *l);

#endif
