/* Where things lie in the memory that consumer and workers share: a block for each worker (two rings), then
 * the slots, each the room of one batch. */
#ifndef LOADER_SLOTS_H
#define LOADER_SLOTS_H

#include <stdint.h>

#include "context.h"
#include "loader/loader.h"
#include "ring.h"

enum slot_status {
    SLOT_BATCH = 0, /* negative: the error code of a batch that failed */
    SLOT_END = 1,   /* the worker's stream is at its end; samples: how many drop_last dropped */
};

/* Written by the worker. 56 bytes, so that a batch of one has its only `bytes` in the same cache line. */
struct slot_head {
    uint64_t started_ns, finished_ns;
    uint64_t drawn[LOADER_STREAMS]; /* words drawn from the worker's streams when the batch was done */
    int64_t samples;
    int32_t status;
    uint32_t unused;
    size_t bytes[];
};

/* Written by the consumer; of an iterable the worker writes the indices. */
struct slot_task {
    int64_t number, n;
    int64_t index[];
};

struct slot_layout {
    int64_t batch_max;
    size_t stride; /* room of a sample, a multiple of 64 bytes */
    size_t task_at, item_ns_at, err_at, data_at, slot_bytes;
    bool item_times;
};

/* What a worker and the consumer share besides slots; each ring is written by one of them only. */
struct worker_block {
    _Alignas(64) _Atomic uint64_t up_ns; /* 0 = not up yet */
    _Atomic uint64_t sleeps, starved;    /* how often it blocked; how often it found no task waiting */
    _Atomic int64_t working;             /* number of the batch being made, -1 = none */
    uint64_t drawn[LOADER_STREAMS];      /* when a resume was acknowledged */
};

/* First in the mapping. */
struct shared_head {
    _Alignas(64) _Atomic uint32_t stop;
    _Atomic uint64_t epoch;
};

struct shared_layout {
    struct slot_layout slot;
    int workers;
    uint32_t slots, ring_capacity;
    size_t block_bytes, slots_at, total_bytes;
};

/* 0, or -EOVERFLOW when the sizes do not fit into memory addresses. */
int shared_layout_init(struct shared_layout *out, const struct loader_config *cfg, int64_t batch_max);

static inline struct worker_block *shared_block(const struct shared_layout *l, unsigned char *map, int w)
{
    return (struct worker_block *)(void *)(map + sizeof(struct shared_head) + (size_t)w * l->block_bytes);
}

static inline struct ring *shared_tasks(struct worker_block *b)
{
    return (struct ring *)(void *)((unsigned char *)b + sizeof *b);
}

static inline struct ring *shared_results(const struct shared_layout *l, struct worker_block *b)
{
    return (struct ring *)(void *)((unsigned char *)b + sizeof *b + ring_bytes(l->ring_capacity));
}

static inline unsigned char *shared_slot(const struct shared_layout *l, unsigned char *map, uint32_t slot)
{
    return map + l->slots_at + slot * l->slot.slot_bytes;
}

static inline struct slot_head *slot_head(unsigned char *slot)
{
    return (struct slot_head *)(void *)slot;
}

static inline struct slot_task *slot_task(const struct slot_layout *l, unsigned char *slot)
{
    return (struct slot_task *)(void *)(slot + l->task_at);
}

static inline uint64_t *slot_item_ns(const struct slot_layout *l, unsigned char *slot)
{
    return l->item_times ? (uint64_t *)(void *)(slot + l->item_ns_at) : NULL;
}

static inline struct err *slot_err(const struct slot_layout *l, unsigned char *slot)
{
    return (struct err *)(void *)(slot + l->err_at);
}

#endif
