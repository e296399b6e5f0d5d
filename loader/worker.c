/* What a worker does: set itself up (seeds, hook, replica), then task after task until it is told to stop. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fetch.h"
#include "pool.h"
#include "wait.h"

struct worker_state {
    struct pool_worker *w;
    struct pool *pool;
    struct ring *results;
    struct ring_reader tasks;
    struct spinner spinner;
    struct fetcher fetcher;
    struct loader__context context;
    uint64_t last_ns; /* when the last batch was done, or the wait for this one over; 0 = look at the clock */
    int64_t skip;
    bool told_end; /* a stream that told its end gets no more slots: what is queued for it is dropped */
};

/* A failure of the hook is kept: it becomes the result of the worker's batches, the first one included. */
static void run_init_hook(struct worker_state *s)
{
    const struct loader_config *cfg = s->pool->cfg;
    struct err err = {0};
    int rc = cfg->worker_init ? cfg->worker_init(cfg->worker_init_arg, &s->context.info, &err) : 0;
    if (rc >= 0)
        return;
    err_set(&err, rc, "failed with code %d and no text", rc);
    s->fetcher.broken = rc;
    s->fetcher.broken_for_good = true;
    s->fetcher.broken_err = err;
    err_prefix(&s->fetcher.broken_err, "worker_init");
}

static int set_up(struct worker_state *s, struct pool_worker *w)
{
    struct pool *p = w->pool;
    *s = (struct worker_state){.w = w, .pool = p, .skip = w->start.batches};
    s->results = shared_results(&p->layout, w->block);
    s->tasks = (struct ring_reader){.ring = w->tasks, .mask = p->ring_mask};
    s->context.info = (struct worker_info){.id = w->id,
                                           .num_workers = p->layout.workers,
                                           .seed = p->base_seed + w->id,
                                           .dataset = p->cfg->dataset};
    s->context.seed = p->seed;
    s->context.epoch = atomic_load(&p->shared->epoch);
    loader_streams_seed(&s->context.streams, p->base_seed, w->id);
    int rc = fetcher_init(&s->fetcher, p->cfg, &p->layout.slot, &s->context, &p->shared->stop);
    if (rc)
        return rc;
    run_init_hook(s);
    loader__streams_go(&s->context.streams, w->start.drawn);
    fetcher_begin_epoch(&s->fetcher);
    atomic_store(&w->block->up_ns, clock_now_ns());
    return 0;
}

static void wait_for_task(struct worker_state *s)
{
    uint64_t start_ns = s->last_ns ? s->last_ns : clock_now_ns();
    atomic_fetch_add_explicit(&s->w->block->starved, 1, memory_order_relaxed);
    if (!spinner_wait(&s->spinner, ring_is_ready, &s->tasks))
        atomic_fetch_add_explicit(&s->w->block->sleeps, ring_sleep(&s->tasks), memory_order_relaxed);
    s->last_ns = clock_now_ns();
    spinner_note(&s->spinner, s->last_ns - start_ns);
}

static uint32_t take_task(struct worker_state *s)
{
    if (!ring_ready(&s->tasks))
        wait_for_task(s);
    return ring_pop(&s->tasks);
}

static void answer(struct worker_state *s, uint32_t value)
{
    if (ring_push(s->results, s->pool->ring_mask, value))
        bell_ring(s->pool->bell_fd);
}

static void resume(struct worker_state *s)
{
    s->context.epoch = atomic_load(&s->pool->shared->epoch);
    s->told_end = false;
    fetcher_begin_epoch(&s->fetcher);
    loader__streams_drawn(&s->context.streams, s->w->block->drawn);
    answer(s, TASK_RESUME);
}

static void make_batch(struct worker_state *s, uint32_t number)
{
    struct pool *p = s->pool;
    unsigned char *slot = shared_slot(&p->layout, p->map, number);
    struct slot_head *head = slot_head(slot);
    uint64_t started_ns = s->last_ns ? s->last_ns : clock_now_ns();
    atomic_store_explicit(&s->w->block->working, slot_task(&p->layout.slot, slot)->number,
                          memory_order_relaxed);
    if (s->skip)
        fetcher_skip(&s->fetcher, s->skip, slot);
    s->skip = 0;
    fetch_batch(&s->fetcher, slot);
    s->told_end = head->status == SLOT_END;
    head->started_ns = started_ns;
    head->finished_ns = s->last_ns = clock_now_ns();
    atomic_store_explicit(&s->w->block->working, -1, memory_order_relaxed);
    answer(s, number);
}

static void run(struct worker_state *s)
{
    while (!atomic_load_explicit(&s->pool->shared->stop, memory_order_relaxed)) {
        uint32_t task = take_task(s);
        if (task == TASK_STOP)
            return;
        if (task == TASK_RESUME)
            resume(s);
        else if (!s->told_end)
            make_batch(s, task);
    }
}

void worker_main(struct pool_worker *w)
{
    struct worker_state *s = malloc(sizeof *s);
    if (!s)
        return;
    struct loader__context *before = loader__context_enter(&s->context);
    if (!set_up(s, w))
        run(s);
    fetcher_fini(&s->fetcher);
    loader__context_enter(before);
    free(s);
}
