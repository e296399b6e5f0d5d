/* The start and the end of an epoch. The order of draws is the reference's: the base seed first (also without
 * workers, so that the sampler's stream does not depend on their number), then the sampler's; a persistent
 * loader's later epochs draw no base seed and seed nobody. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"
#include "iter.h"
#include "pin.h"
#include "state.h"

static int allocate_books(struct loader_iter *it, struct err *err)
{
    const struct shared_layout *layout = it->layout;
    size_t workers = layout->workers ? (size_t)layout->workers : 1, n = (size_t)it->l->batch_max;
    it->worker = calloc(workers, sizeof *it->worker);
    it->slot = calloc(layout->slots, sizeof *it->slot);
    it->free_slot = calloc(layout->slots, sizeof *it->free_slot);
    it->fifo = calloc(layout->slots, sizeof *it->fifo);
    it->offset = calloc(n + 1, sizeof *it->offset);
    if (!it->worker || !it->slot || !it->free_slot || !it->fifo || !it->offset)
        return err_set(err, -ENOMEM, "no memory for the loader's books");
    for (size_t i = 0; i <= n; i++)
        it->offset[i] = i * layout->slot.stride;
    for (uint32_t s = layout->slots; s--;) {
        it->slot[s].worker = it->slot[s].batch.worker = -1;
        iter__give_free(it, s);
    }
    return 0;
}

static int open_order(struct loader_iter *it, struct err *err)
{
    const struct sampler *order = it->l->order;
    return order ? order->open(order->self, it->l->generator, &it->order, err) : 0;
}

static void note_start(struct loader_iter *it)
{
    const struct sampler *order = it->l->order;
    struct generator *own = order && order->generator ? order->generator(order->self) : NULL;
    it->at_start = *it->l->generator;
    it->sampler_has_own = own && own != it->l->generator;
    if (it->sampler_has_own)
        it->sampler_at_start = *own;
}

/* Drawn when an epoch starts; not by one that resumes a persistent loader's later epoch. */
static void draw_base_seed(struct loader_iter *it)
{
    const struct loader_state *restored = it->l->restored;
    it->drew_base_seed = !restored || restored->drew_base_seed;
    it->base_seed = it->drew_base_seed ? generator_i64(it->l->generator) : restored->base_seed;
}

/* The way to lock pages, or NULL: not asked for, or dropped with a warning because there is no accelerator. */
static int open_lock(struct loader_iter *it, struct page_lock **out, struct err *err)
{
    struct loader *l = it->l;
    struct err why = {0};
    *out = NULL;
    int rc = l->cfg.pin_memory ? page_lock_open(out, l->cfg.pin_how, &why) : 0;
    if (rc == -ENOTSUP) {
        loader__warn(l, TOLD_NO_ACCELERATOR,
                     "pin_memory is asked for, but the slots will not be page-locked: %s", why.text);
        return 0;
    }
    return rc ? err_set(err, rc, "%s", why.text) : 0;
}

static int open_inline(struct loader_iter *it, struct err *err)
{
    struct loader__context *context = &it->l->inline_context;
    void *map = mmap(NULL, it->layout->total_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return err_set_errno(err, -ENOMEM, "cannot map the %zu bytes of the loader's slots",
                             it->layout->total_bytes);
    it->map = map;
    int rc = open_lock(it, &it->inline_lock, err);
    if (!rc && it->inline_lock)
        rc = page_lock_take(it->inline_lock, it->map, it->layout->total_bytes, err);
    if (rc)
        return rc;
    draw_base_seed(it);
    loader__streams_drawn(&context->streams, it->worker[0].drawn_at_start);
    loader__streams_drawn(&context->streams, it->worker[0].drawn);
    context->epoch = it->epoch;
    if (fetcher_init(&it->fetcher, &it->l->cfg, &it->layout->slot, context, NULL))
        return err_set(err, -ENOMEM, "no memory for a batch's samples");
    struct loader__context *before = loader__context_enter(context);
    fetcher_begin_epoch(&it->fetcher);
    loader__context_enter(before);
    return 0;
}

/* Persistent workers finish what was queued, drop it, reopen their replicas and acknowledge. */
static int resume_pool(struct loader_iter *it, struct err *err)
{
    struct pool *p = it->pool;
    atomic_store(&p->shared->epoch, it->epoch);
    for (int w = 0; w < it->layout->workers; w++)
        pool_send(p, w, TASK_RESUME);
    for (int w = 0; w < it->layout->workers; w++) {
        uint32_t value;
        do {
            int rc = iter__await(it, w, err);
            if (rc)
                return rc;
            value = ring_pop(&p->worker[w].results);
        } while (value != TASK_RESUME);
        for (int i = 0; i < LOADER_STREAMS; i++)
            it->worker[w].drawn_at_start[i] = it->worker[w].drawn[i] = p->worker[w].block->drawn[i];
    }
    it->base_seed = p->base_seed;
    it->stats =
        (struct loader_stats){.startup_ns = clock_now_ns() - it->open_ns}; /* no wait of loader_next */
    return 0;
}

static void prime(struct loader_iter *it)
{
    it->now_ns = clock_now_ns();
    for (int64_t i = 0; i < (int64_t)it->l->cfg.prefetch_factor * it->layout->workers; i++)
        iter__put(it);
}

static int start_pool(struct loader_iter *it, struct err *err)
{
    struct loader *l = it->l;
    draw_base_seed(it);
    struct pool_params params = {.cfg = &l->cfg,
                                 .batch_max = l->batch_max,
                                 .base_seed = it->base_seed,
                                 .seed = l->seed,
                                 .epoch = it->epoch};
    int rc = loader__check_room(it->layout->total_bytes, err);
    if (!rc)
        rc = pool_create(&it->pool, &params, err);
    struct page_lock *lock = NULL;
    if (!rc)
        rc = open_lock(it, &lock, err);
    return !rc && lock ? pin_stage_create_take(it->pool, lock, err) : rc;
}

static int open_worked(struct loader_iter *it, struct err *err)
{
    struct loader *l = it->l;
    bool persistent = l->pool != NULL;
    it->pool = l->pool;
    int rc = persistent ? 0 : start_pool(it, err);
    if (rc)
        return rc;
    it->map = it->pool->map;
    if (persistent)
        rc = resume_pool(it, err);
    if (!rc)
        rc = open_order(it, err);
    if (!rc && l->restored)
        rc = iter__restore(it, l->restored, err);
    if (rc)
        return rc;
    prime(it); /* before the workers start: their first tasks wait for them */
    return persistent ? 0 : pool_start(it->pool, err);
}

static int open_inlined(struct loader_iter *it, struct err *err)
{
    int rc = open_inline(it, err);
    if (!rc)
        rc = open_order(it, err);
    return !rc && it->l->restored ? iter__restore(it, it->l->restored, err) : rc;
}

int loader_iter_open(struct loader *l, struct loader_iter **out, struct err *err)
{
    *out = NULL;
    if (l->persistent_iter)
        return err_set(err, -EBUSY, "the loader's persistent workers serve an iterator that is still open");
    struct loader_iter *it = calloc(1, sizeof *it);
    if (!it)
        return err_set(err, -ENOMEM, "no memory for an iterator");
    it->l = l;
    it->layout = &l->layout;
    it->last_worker = -1;
    it->epoch = l->epoch;
    it->open_ns = clock_now_ns();
    note_start(it);
    int rc = allocate_books(it, err);
    if (!rc && l->cfg.num_workers)
        rc = open_worked(it, err);
    else if (!rc)
        rc = open_inlined(it, err);
    if (rc) {
        it->failed.code = rc;
        loader_iter_close(it);
        return rc;
    }
    l->epoch++;
    state_destroy(l->restored);
    l->restored = NULL;
    if (l->cfg.persistent_workers) {
        l->pool = it->pool;
        l->persistent_iter = it;
    }
    *out = it;
    return 0;
}

/* Between two epochs a persistent loader can be saved if the last one was had to its end. */
static void keep_draws(struct loader_iter *it)
{
    struct loader *l = it->l;
    free(l->persistent_drawn);
    l->persistent_drawn = NULL;
    if (it->outstanding || (l->order && !it->order_ended))
        return;
    l->persistent_drawn = calloc((size_t)l->cfg.num_workers, sizeof *l->persistent_drawn);
    for (int w = 0; l->persistent_drawn && w < l->cfg.num_workers; w++)
        memcpy(l->persistent_drawn[w], it->worker[w].drawn, sizeof *l->persistent_drawn);
}

static void close_pool(struct loader_iter *it)
{
    struct loader *l = it->l;
    if (l->cfg.persistent_workers)
        keep_draws(it);
    if (l->persistent_iter == it)
        l->persistent_iter = NULL;
    if (l->pool && l->pool == it->pool && !it->failed.code)
        return; /* persistent workers stay, unless one of them died */
    if (l->pool == it->pool)
        l->pool = NULL;
    pool_destroy(it->pool);
}

void loader_iter_close(struct loader_iter *it)
{
    if (!it)
        return;
    const struct sampler *order = it->l->order;
    if (it->l->cfg.num_workers)
        close_pool(it);
    else
        fetcher_fini(&it->fetcher);
    page_lock_close(it->inline_lock);
    if (!it->l->cfg.num_workers && it->map)
        munmap(it->map, it->layout->total_bytes);
    if (order && order->close && it->order)
        order->close(it->order);
    free(it->worker);
    free(it->slot);
    free(it->free_slot);
    free(it->fifo);
    free(it->offset);
    free(it->pending);
    free(it);
}
