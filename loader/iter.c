/* Batch after batch: tasks go to the workers in turn, batches come back in the tasks' order (or as they get
 * ready), and each one handed to the consumer lets one more task go out.
 *
 * Order with workers: `fifo` lists the slots of the tasks under way in the order sent. Each worker answers
 * its tasks in order, so the next batch is at the head of its worker's ring: there is no cache of early
 * batches, they stay in their ring. A worker whose stream has ended stays in the fifo with the tasks that
 * were already queued; they are passed over when their turn comes. So for an iterable the order is: for round
 * k = 0, 1, ... each worker's batch k, in the order of their ids, if it has one; timing plays no part.
 *
 * A slot is free, or under way (in the fifo or, out of order, counted for its worker), or held by the
 * consumer. prefetch_factor * workers + 1 + extra_slots of them always leave one free for the next task;
 * workers - 1 more let most tasks go to a slot that their worker wrote before. */
#include "iter.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "pin.h"

uint32_t iter__take_free(struct loader_iter *it, int worker)
{
    assert(it->n_free);
    uint32_t best = 0; /* of other workers' slots the one that has been free for longest */
    bool fresh = false;
    for (uint32_t at = it->n_free; at--;) {
        int writer = it->slot[it->free_slot[at]].batch.worker;
        if (writer == worker || (writer < 0 && !fresh))
            best = at;
        if (writer == worker)
            break;
        fresh = fresh || writer < 0;
    }
    uint32_t slot = it->free_slot[best];
    it->free_slot[best] = it->free_slot[--it->n_free];
    return slot;
}

void iter__give_free(struct loader_iter *it, uint32_t slot)
{
    it->free_slot[it->n_free++] = slot;
}

static void keep_order_error(struct loader_iter *it, int code)
{
    it->order_code = code;
    err_set(&it->order_err, code, "the sampler failed with code %d and no text", code);
}

static bool was_handed_over(const struct loader_iter *it, int64_t number)
{
    if (number >= it->sent_before)
        return false;
    for (int64_t i = 0; i < it->n_pending; i++)
        if (it->pending[i] == number)
            return false;
    return true;
}

int iter__read_order(struct loader_iter *it, uint32_t slot)
{
    const struct sampler *order = it->l->order;
    struct slot_task *task = slot_task(&it->layout->slot, shared_slot(it->layout, it->map, slot));
    int64_t n = it->l->batch_max;
    if (it->order_ended)
        return 0;
    if (order)
        n = order->read(it->order, task->index, n, &it->order_err);
    int64_t number = it->sent;
    while (order && n > 0 && was_handed_over(it, number)) { /* a resumed epoch passes over what was had */
        n = order->read(it->order, task->index, it->l->batch_max, &it->order_err);
        number++;
    }
    it->sent = number;
    if (n <= 0) {
        it->order_ended = true;
        if (n < 0)
            keep_order_error(it, (int)n);
        return 0;
    }
    task->n = n;
    task->number = it->sent++;
    it->slot[slot].issued_ns = it->now_ns;
    return 1;
}

static bool may_get_task(const struct loader_iter *it, int w, int active)
{
    const struct loader_config *cfg = &it->l->cfg;
    if (it->worker[w].ended)
        return false;
    return !cfg->out_of_order ||
           it->worker[w].tasks < (int64_t)cfg->prefetch_factor * cfg->num_workers / active;
}

static int pick_worker(struct loader_iter *it)
{
    int n = it->l->cfg.num_workers, active = 0;
    if (it->l->cfg.out_of_order)
        for (int w = 0; w < n; w++)
            active += !it->worker[w].ended;
    for (int i = 0; i < n; i++) {
        int w = it->next_worker;
        it->next_worker = w + 1 == n ? 0 : w + 1;
        if (may_get_task(it, w, active))
            return w;
    }
    return -1;
}

void iter__put(struct loader_iter *it)
{
    const struct loader_config *cfg = &it->l->cfg;
    if (it->order_ended || it->outstanding >= (int64_t)cfg->prefetch_factor * cfg->num_workers)
        return;
    int w = pick_worker(it);
    if (w < 0)
        return;
    uint32_t slot = iter__take_free(it, w);
    if (!iter__read_order(it, slot)) {
        iter__give_free(it, slot);
        return;
    }
    it->slot[slot].worker = w;
    it->worker[w].tasks++;
    it->outstanding++;
    if (!cfg->out_of_order)
        it->fifo[(it->fifo_at + it->fifo_n++) % it->layout->slots] = slot;
    pool_send(it->pool, w, slot);
}

static void count_wait(struct loader_iter *it, struct batch *b)
{
    b->wait_ns = it->waited_ns;
    if (!it->stats.first_batch_ns)
        it->stats.first_batch_ns = b->received_ns - it->open_ns;
}

static int64_t sum_bytes(const struct slot_head *head)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < head->samples; i++)
        sum += (int64_t)head->bytes[i];
    return sum;
}

void iter__note_answer(struct loader_iter *it, uint32_t slot, int worker)
{
    struct iter_worker *w = &it->worker[worker < 0 ? 0 : worker];
    w->answers++;
    it->last_worker = worker < 0 ? -1 : worker;
    memcpy(w->drawn, slot_head(shared_slot(it->layout, it->map, slot))->drawn, sizeof w->drawn);
}

const struct batch *iter__deliver(struct loader_iter *it, uint32_t slot, int worker)
{
    unsigned char *at = shared_slot(it->layout, it->map, slot);
    const struct slot_head *head = slot_head(at);
    const struct slot_task *task = slot_task(&it->layout->slot, at);
    struct iter_slot *s = &it->slot[slot];
    struct iter_worker *w = &it->worker[worker < 0 ? 0 : worker];
    s->batch = (struct batch){.number = it->l->order ? task->number : it->delivered,
                              .worker = worker,
                              .worker_seed = worker < 0 ? -1 : it->base_seed + worker,
                              .samples = head->samples,
                              .index = task->index,
                              .data = at + it->layout->slot.data_at,
                              .offset = it->offset,
                              .bytes = head->bytes,
                              .item_ns = slot_item_ns(&it->layout->slot, at),
                              .issued_ns = s->issued_ns,
                              .started_ns = head->started_ns,
                              .finished_ns = head->finished_ns,
                              .received_ns = it->now_ns};
    s->held = true;
    it->n_held++;
    it->delivered++;
    w->batches++;
    it->stats.batches++;
    it->stats.samples += head->samples;
    it->stats.bytes += sum_bytes(head);
    count_wait(it, &s->batch);
    return &s->batch;
}

/* The worker's stream is at its end. Out of order its queued tasks are dropped here; in order when their turn
 * comes. */
static void note_end(struct loader_iter *it, int w, const struct slot_head *head)
{
    int64_t dropped = head->samples;
    it->worker[w].ended = true;
    memcpy(it->worker[w].drawn, head->drawn, sizeof head->drawn);
    it->dropped += dropped;
    if (dropped && !it->worker[w].answers)
        loader__warn(it->l, TOLD_REPLICA_DROPPED,
                     "drop_last dropped all %" PRId64
                     " samples of worker %d: its share is smaller than a batch",
                     dropped, w);
    if (!it->l->cfg.out_of_order)
        return;
    for (uint32_t s = 0; s < it->layout->slots; s++)
        if (it->slot[s].worker == w) {
            it->slot[s].worker = -1;
            iter__give_free(it, s);
        }
    it->outstanding -= it->worker[w].tasks;
    it->worker[w].tasks = 0;
}

static void drop_task(struct loader_iter *it, uint32_t slot, int w)
{
    it->slot[slot].worker = -1;
    it->worker[w].tasks--;
    it->outstanding--;
}

/* -ENODATA, or the slot of the next batch in order, whose ring entry is taken. */
static int take_in_order(struct loader_iter *it, uint32_t *out, struct err *err)
{
    while (it->fifo_n) {
        uint32_t slot = it->fifo[it->fifo_at % it->layout->slots];
        int w = it->slot[slot].worker;
        int rc = it->worker[w].ended ? 0 : iter__await(it, w, err);
        if (rc)
            return rc;
        it->fifo_at = (it->fifo_at + 1) % it->layout->slots;
        it->fifo_n--;
        const struct slot_head *head = slot_head(shared_slot(it->layout, it->map, slot));
        if (!it->worker[w].ended) {
            uint32_t got = ring_pop(&it->pool->worker[w].results);
            assert(got == slot);
            (void)got;
            if (head->status != SLOT_END) {
                *out = slot;
                return 0;
            }
            note_end(it, w, head);
        }
        drop_task(it, slot, w);
        iter__give_free(it, slot);
        iter__put(it);
    }
    return -ENODATA;
}

/* The ready batch that was finished first; -1 = none is ready. */
static int first_ready(const struct loader_iter *it)
{
    int best = -1;
    uint64_t best_ns = UINT64_MAX;
    for (int w = 0; w < it->l->cfg.num_workers; w++) {
        const struct ring_reader *r = &it->pool->worker[w].results;
        if (it->worker[w].ended || !ring_ready(r))
            continue;
        uint64_t ns = slot_head(shared_slot(it->layout, it->map, ring_peek(r)))->finished_ns;
        if (ns < best_ns) {
            best = w;
            best_ns = ns;
        }
    }
    return best;
}

static int take_any(struct loader_iter *it, uint32_t *out, struct err *err)
{
    while (it->outstanding) {
        int rc = iter__await(it, -1, err);
        if (rc)
            return rc;
        int w = first_ready(it);
        uint32_t slot = ring_pop(&it->pool->worker[w].results);
        const struct slot_head *head = slot_head(shared_slot(it->layout, it->map, slot));
        if (head->status != SLOT_END) {
            *out = slot;
            return 0;
        }
        note_end(it, w, head);
        iter__put(it);
    }
    return -ENODATA;
}

static int batch_error(struct loader_iter *it, uint32_t slot, int worker, struct err *err)
{
    unsigned char *at = shared_slot(it->layout, it->map, slot);
    const struct slot_task *task = slot_task(&it->layout->slot, at);
    const struct err *told = slot_err(&it->layout->slot, at);
    err_set(err, told->code, "worker %d (pid %d), batch %" PRId64 " of '%s': %s", worker,
            (int)it->pool->worker[worker].pid, task->number, it->l->cfg.dataset->name, told->text);
    return slot_head(at)->status;
}

int iter__next_worked(struct loader_iter *it, const struct batch **out, struct err *err)
{
    uint32_t slot = 0;
    int rc = it->failed.code           ? err_set(err, it->failed.code, "%s", it->failed.text)
             : it->l->cfg.out_of_order ? take_any(it, &slot, err)
                                       : take_in_order(it, &slot, err);
    if (rc == -ENODATA)
        return iter__end(it, err);
    if (rc)
        return rc;
    int w = it->slot[slot].worker;
    if (!it->waited_ns)
        it->now_ns = clock_now_ns();
    drop_task(it, slot, w);
    iter__note_answer(it, slot, w);
    int status = slot_head(shared_slot(it->layout, it->map, slot))->status;
    if (status >= 0 && it->pool->pin)
        status = pin_stage_error(it->pool->pin, err);
    else if (status < 0)
        status = batch_error(it, slot, w, err);
    if (status < 0) {
        iter__give_free(it, slot);
    } else {
        *out = iter__deliver(it, slot, w);
    }
    iter__put(it);
    return status;
}

int iter__end(struct loader_iter *it, struct err *err)
{
    if (it->order_code)
        return err_set(err, it->order_code, "after batch %" PRId64 ": %s", it->sent - 1, it->order_err.text);
    if (!it->delivered && it->dropped)
        loader__warn(it->l, TOLD_ALL_DROPPED,
                     "the epoch has no batch at all: drop_last dropped the %" PRId64
                     " samples, because no worker's share fills a batch",
                     it->dropped);
    return -ENODATA;
}

/* An iterable that gives more than it said: told once. */
static void check_length(struct loader_iter *it)
{
    struct loader *l = it->l;
    if (l->len_told < 0 || it->stats.samples <= l->len_told)
        return;
    loader__warn(l, TOLD_LENGTH,
                 "the length of '%s' was reported to be %" PRId64 ", but %" PRId64
                 " samples have been loaded: does each worker yield the whole stream?",
                 l->cfg.dataset->name, l->len_told, it->stats.samples);
}

int loader_next(struct loader_iter *it, const struct batch **out, struct err *err)
{
    *out = NULL;
    it->waited_ns = it->call_ns = it->slept_ns = 0;
    if (it->n_held > (uint32_t)it->l->cfg.extra_slots)
        return err_set(err, -ENOBUFS,
                       "the consumer holds all its %u batches: release one, or ask for extra_slots",
                       it->n_held);
    int rc = it->pool ? iter__next_worked(it, out, err) : iter__next_inline(it, out, err);
    if (!it->l->order)
        check_length(it);
    return rc;
}

void loader_release(struct loader_iter *it, const struct batch *batch)
{
    if (!batch)
        return;
    uint32_t slot = (uint32_t)((const struct iter_slot *)(const void *)batch - it->slot);
    assert(slot < it->layout->slots && it->slot[slot].held);
    it->slot[slot].held = false;
    it->n_held--;
    iter__give_free(it, slot);
}

bool loader_iter_pin_memory(const struct loader_iter *it)
{
    return it->inline_lock || (it->pool && it->pool->pin);
}

int64_t loader_iter_outstanding(const struct loader_iter *it)
{
    return it->outstanding;
}

int loader_iter_pids(const struct loader_iter *it, pid_t *pids, int max)
{
    if (!it->pool || it->l->cfg.backend == LOADER_BACKEND_THREAD)
        return 0;
    for (int w = 0; w < it->l->cfg.num_workers && w < max; w++)
        pids[w] = it->pool->worker[w].pid;
    return it->l->cfg.num_workers;
}

void loader_iter_stats(const struct loader_iter *it, struct loader_stats *out)
{
    *out = it->stats;
    for (int w = 0; it->pool && w < it->l->cfg.num_workers; w++) {
        struct worker_block *block = it->pool->worker[w].block;
        uint64_t up_ns = atomic_load(&block->up_ns);
        if (up_ns > it->open_ns && up_ns - it->open_ns > out->startup_ns)
            out->startup_ns = up_ns - it->open_ns;
        out->futex_sleeps += (int64_t)atomic_load_explicit(&block->sleeps, memory_order_relaxed);
        out->queue_full += (int64_t)atomic_load_explicit(&block->starved, memory_order_relaxed);
    }
}
