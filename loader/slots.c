/* Sizes and offsets of the shared memory, with every sum and product checked. */
#include "slots.h"

#include <errno.h>

enum { SLOT_ALIGN = 128 }; /* two lines: some CPUs fetch lines in pairs */

static bool add_up(size_t *at, size_t count, size_t size, size_t align)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(*at, bytes, at) ||
        __builtin_add_overflow(*at, align - 1, at))
        return false;
    *at = *at / align * align;
    return true;
}

static bool lay_out_slot(struct slot_layout *l, size_t sample_bytes_max)
{
    size_t n = (size_t)l->batch_max, at = 0;
    if (!add_up(&l->stride, 1, sample_bytes_max, 64))
        return false;
    bool fits = add_up(&at, n, sizeof(size_t), 1) && add_up(&at, 1, sizeof(struct slot_head), 64);
    l->task_at = at;
    fits = fits && add_up(&at, n, sizeof(int64_t), 1) && add_up(&at, 1, sizeof(struct slot_task), 64);
    l->item_ns_at = at;
    fits = fits && add_up(&at, l->item_times ? n : 0, sizeof(uint64_t), 64);
    l->err_at = at;
    fits = fits && add_up(&at, 1, sizeof(struct err), 64);
    l->data_at = at;
    fits = fits && add_up(&at, n, l->stride, SLOT_ALIGN);
    l->slot_bytes = at;
    return fits;
}

int shared_layout_init(struct shared_layout *out, const struct loader_config *cfg, int64_t batch_max)
{
    *out = (struct shared_layout){.workers = cfg->num_workers};
    out->slot = (struct slot_layout){.batch_max = batch_max, .item_times = cfg->item_times};
    uint64_t ahead = (uint64_t)cfg->num_workers * (uint64_t)cfg->prefetch_factor;
    /* One more for each further worker, so that a worker mostly gets a slot that it wrote before: its lines are
     * in the caches (and its pages in the memory) next to that worker. */
    uint64_t own = cfg->num_workers > 1 ? (uint64_t)cfg->num_workers - 1 : 0;
    uint64_t slots = ahead + 1 + (uint64_t)cfg->extra_slots + own;
    if (slots > UINT32_MAX / 4)
        return -EOVERFLOW;
    out->slots = (uint32_t)slots;
    out->ring_capacity = 8;
    while (out->ring_capacity < ahead + 2) /* and a resume and a stop */
        out->ring_capacity *= 2;
    if (!lay_out_slot(&out->slot, cfg->dataset->sample_bytes_max))
        return -EOVERFLOW;
    out->block_bytes = sizeof(struct worker_block) + 2 * ring_bytes(out->ring_capacity);
    size_t at = sizeof(struct shared_head);
    bool fits = add_up(&at, (size_t)out->workers, out->block_bytes, SLOT_ALIGN);
    out->slots_at = at;
    fits = fits && add_up(&at, out->slots, out->slot.slot_bytes, 4096);
    out->total_bytes = at;
    return fits && at <= PTRDIFF_MAX ? 0 : -EOVERFLOW;
}
