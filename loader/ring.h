/* A single-producer single-consumer ring of 32-bit values in shared memory.
 *
 * - The ring is never full: its owner bounds what is under way (tasks sent and not yet handed back) below the
 *   capacity. So the producer reads nothing the consumer writes, but for one flag.
 * - `tail` counts the values ever pushed and shares its cache line with the first entries: a hand-over moves
 *   one line. `head` is the consumer's own.
 * - Sleeping: the consumer sets `sleeping`, looks at `tail` once more, then blocks; the producer stores
 *   `tail`, then looks at `sleeping`. All four are sequentially consistent, so one of the two sees the other:
 *   no wake-up is lost. A consumer that blocks in the kernel on the value of `tail` (futex) is safe by the
 *   futex itself; one that blocks on a descriptor is safe because the producer writes to it after the store.
 */
#ifndef LOADER_RING_H
#define LOADER_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    _Alignas(64) _Atomic uint32_t tail;
    _Atomic uint32_t sleeping;
    _Atomic uint32_t entry[];
};

struct ring_reader {
    struct ring *ring;
    uint32_t mask, head;
};

/* capacity: a power of two. */
static inline size_t ring_bytes(uint32_t capacity)
{
    return (sizeof(struct ring) + capacity * sizeof(uint32_t) + 63) / 64 * 64;
}

/* True: the consumer sleeps, wake it. */
static inline bool ring_push(struct ring *r, uint32_t mask, uint32_t value)
{
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    atomic_store_explicit(&r->entry[tail & mask], value, memory_order_relaxed);
    atomic_store(&r->tail, tail + 1);
    return atomic_load(&r->sleeping) != 0;
}

static inline bool ring_ready(const struct ring_reader *r)
{
    return atomic_load_explicit(&r->ring->tail, memory_order_acquire) != r->head;
}

/* The look after `sleeping` was set. */
static inline bool ring_ready_after_all(const struct ring_reader *r)
{
    return atomic_load(&r->ring->tail) != r->head;
}

/* Only when ring_ready. */
static inline uint32_t ring_peek(const struct ring_reader *r)
{
    return atomic_load_explicit(&r->ring->entry[r->head & r->mask], memory_order_relaxed);
}

static inline uint32_t ring_pop(struct ring_reader *r)
{
    uint32_t value = ring_peek(r);
    r->head++;
    return value;
}

#endif
