/* Saving a loader's place, and putting a loader there again.
 *
 * The sampler is not saved but replayed: its generator is set to where it stood before the epoch, the base seed
 * is drawn again, and batches the consumer has had are read and dropped. A worker's streams are saved as counts
 * of words drawn since they were seeded: every batch carries the counts that held when it was done, so that
 * draws for batches nobody has had do not count. */
#include "loader/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static void describe(const struct loader *l, struct loader_state *s)
{
    s->batch_max = l->batch_max;
    s->shuffle = l->cfg.shuffle;
    s->drop_last = l->cfg.drop_last;
    s->persistent = l->cfg.persistent_workers;
    s->out_of_order = l->cfg.out_of_order;
    s->stream = !l->cfg.dataset->get;
    s->seed = l->seed;
}

static int hand_out(struct loader_state *s, char **out, struct err *err)
{
    struct text text = {0};
    state_write(s, &text);
    state_destroy(s);
    *out = text_take(&text);
    return *out ? 0 : err_set(err, -ENOMEM, "no memory for a loader's state");
}

static struct generator *samplers_own(const struct loader *l)
{
    const struct sampler *order = l->order;
    struct generator *own = order && order->generator ? order->generator(order->self) : NULL;
    return own == l->generator ? NULL : own;
}

int loader_save(const struct loader *l, char **out, struct err *err)
{
    *out = NULL;
    if (l->persistent_iter || (l->pool && !l->persistent_drawn))
        return err_set(err, -EBUSY,
                       "persistent workers are in the middle of an epoch: save with its iterator");
    struct loader_state *s = state_create(l->cfg.num_workers, 0);
    if (!s)
        return err_set(err, -ENOMEM, "no memory for a loader's state");
    describe(l, s);
    s->epoch = l->epoch;
    s->generator = *l->generator;
    const struct generator *own = samplers_own(l);
    s->has_sampler_generator = own != NULL;
    if (own)
        s->sampler_generator = *own;
    if (!l->cfg.num_workers)
        loader__streams_drawn(&l->inline_context.streams, s->worker[0].drawn);
    s->base_seed = l->pool ? l->pool->base_seed : 0;
    s->drew_base_seed = !l->pool;
    for (int w = 0; l->pool && w < l->cfg.num_workers; w++)
        memcpy(s->worker[w].drawn, l->persistent_drawn[w], sizeof s->worker[w].drawn);
    return hand_out(s, out, err);
}

/* Numbers of the batches under way, in ascending order. */
static void list_pending(const struct loader_iter *it, struct loader_state *s)
{
    int64_t n = 0;
    for (uint32_t slot = 0; it->pool && slot < it->layout->slots; slot++) {
        if (it->slot[slot].worker < 0)
            continue;
        int64_t number = slot_task(&it->layout->slot, shared_slot(it->layout, it->map, slot))->number,
                at = n++;
        for (; at > 0 && s->pending[at - 1] > number; at--)
            s->pending[at] = s->pending[at - 1];
        s->pending[at] = number;
    }
}

int loader_iter_save(const struct loader_iter *it, char **out, struct err *err)
{
    *out = NULL;
    if (it->failed.code)
        return err_set(err, it->failed.code, "%s", it->failed.text);
    bool stream = !it->l->order;
    struct loader_state *s = state_create(it->l->cfg.num_workers, stream ? 0 : it->outstanding);
    if (!s)
        return err_set(err, -ENOMEM, "no memory for a loader's state");
    describe(it->l, s);
    s->epoch = it->epoch;
    s->in_epoch = true;
    s->drew_base_seed = it->drew_base_seed;
    s->base_seed = it->base_seed;
    s->sent = it->sent;
    s->delivered = it->delivered;
    s->next_worker = it->last_worker + 1;
    s->generator = it->at_start;
    s->has_sampler_generator = it->sampler_has_own;
    s->sampler_generator = it->sampler_at_start;
    if (!stream)
        list_pending(it, s);
    for (int w = 0; w < (s->workers ? s->workers : 1); w++) {
        s->worker[w].answers = it->worker[w].answers;
        memcpy(s->worker[w].drawn, it->worker[w].drawn, sizeof s->worker[w].drawn);
        memcpy(s->worker[w].drawn_at_start, it->worker[w].drawn_at_start, sizeof s->worker[w].drawn_at_start);
    }
    return hand_out(s, out, err);
}

static int check_equal(const char *what, int64_t saved, int64_t here, struct err *err)
{
    if (saved == here)
        return 0;
    return err_set(err, -EINVAL, "the state was saved with %s %" PRId64 ", this loader has %" PRId64, what,
                   saved, here);
}

static bool drew_from_workers(const struct loader_state *s)
{
    for (int w = 0; w < (s->workers ? s->workers : 1); w++)
        for (int i = 0; i < LOADER_STREAMS; i++)
            if (s->worker[w].drawn[i])
                return true;
    return false;
}

/* Can another number of workers give the same run? */
static int check_workers(const struct loader *l, const struct loader_state *s, struct err *err)
{
    int here = l->cfg.num_workers;
    if (s->workers == here || (!s->in_epoch && !s->persistent))
        return 0;
    if (s->stream && s->in_epoch)
        return err_set(
            err, -EOPNOTSUPP,
            "saved in mid-epoch with %d workers, this loader has %d: the order of a stream depends on them",
            s->workers, here);
    if (drew_from_workers(s))
        return err_set(
            err, -EOPNOTSUPP,
            "saved with %d workers, this loader has %d: transforms drew from the workers' streams, so "
            "their draws would differ (a per-sample stream would not)",
            s->workers, here);
    return 0;
}

static int check_fit(const struct loader *l, const struct loader_state *s, struct err *err)
{
    int rc = check_equal("batches of", s->batch_max, l->batch_max, err);
    if (!rc)
        rc = check_equal("shuffle", s->shuffle, l->cfg.shuffle, err);
    if (!rc)
        rc = check_equal("drop_last", s->drop_last, l->cfg.drop_last, err);
    if (!rc)
        rc = check_equal("persistent_workers", s->persistent, l->cfg.persistent_workers, err);
    if (!rc)
        rc = check_equal("out_of_order", s->out_of_order, l->cfg.out_of_order, err);
    if (!rc)
        rc = check_equal("an iterable dataset", s->stream, !l->cfg.dataset->get, err);
    if (!rc)
        rc = check_equal("a generator of the sampler's own", s->has_sampler_generator,
                         samplers_own(l) != NULL, err);
    return rc ? rc : check_workers(l, s, err);
}

static void restore_inline(struct loader *l, const struct state_worker *w, bool stream)
{
    struct loader_streams *streams = &l->inline_context.streams;
    const uint64_t *drawn = stream ? w->drawn_at_start : w->drawn;
    l->inline_context.seed = l->seed;
    loader_streams_seed(streams, (int64_t)l->seed, 0);
    loader__streams_go(streams, drawn);
}

int loader_restore(struct loader *l, const char *text, struct err *err)
{
    struct loader_state *s;
    if (l->persistent_iter)
        return err_set(err, -EBUSY, "an iterator is still open");
    int rc = state_read(&s, text, err);
    if (!rc && (rc = check_fit(l, s, err)))
        state_destroy(s);
    if (rc)
        return rc;
    pool_destroy(l->pool);
    l->pool = NULL;
    state_destroy(l->restored);
    l->restored = s;
    l->seed = s->seed;
    l->epoch = s->epoch;
    *l->generator = s->generator;
    if (s->has_sampler_generator)
        *samplers_own(l) = s->sampler_generator;
    if (!s->workers)
        restore_inline(l, &s->worker[0], s->stream && s->in_epoch);
    return 0;
}

/* The inline iterator's stream reads past what was had; workers do it themselves. */
static void skip_inline(struct loader_iter *it, const struct loader_state *s)
{
    if (it->pool || !s->stream)
        return;
    unsigned char *at = shared_slot(it->layout, it->map, it->free_slot[it->n_free - 1]);
    slot_task(&it->layout->slot, at)->n = it->l->batch_max;
    struct loader__context *before = loader__context_enter(it->fetcher.context);
    fetcher_skip(&it->fetcher, s->worker[0].answers, at);
    loader__context_enter(before);
}

int iter__restore(struct loader_iter *it, const struct loader_state *s, struct err *err)
{
    bool same_workers = s->workers == it->l->cfg.num_workers;
    for (int w = 0; same_workers && w < (s->workers ? s->workers : 1); w++) {
        struct iter_worker *worker = &it->worker[w];
        memcpy(worker->drawn, s->worker[w].drawn, sizeof worker->drawn);
        memcpy(worker->drawn_at_start, s->in_epoch ? s->worker[w].drawn_at_start : s->worker[w].drawn,
               sizeof worker->drawn);
        worker->answers = s->in_epoch ? s->worker[w].answers : 0;
        if (it->pool) {
            bool replay = s->stream && s->in_epoch;
            memcpy(it->pool->worker[w].start.drawn, replay ? worker->drawn_at_start : worker->drawn,
                   sizeof worker->drawn);
            it->pool->worker[w].start.batches = replay ? worker->answers : 0;
        }
    }
    if (!s->in_epoch)
        return 0;
    it->pending = calloc((size_t)s->n_pending + 1, sizeof *it->pending);
    if (!it->pending)
        return err_set(err, -ENOMEM, "no memory for the batches still to come");
    memcpy(it->pending, s->pending, (size_t)s->n_pending * sizeof *it->pending);
    it->n_pending = s->n_pending;
    it->sent_before = s->stream ? 0 : s->sent;
    it->delivered = s->delivered;
    it->last_worker = (int)s->next_worker - 1;
    if (it->pool)
        it->next_worker = same_workers ? (int)(s->next_worker % it->l->cfg.num_workers)
                                       : (int)((s->sent - s->n_pending) % it->l->cfg.num_workers);
    skip_inline(it, s);
    return 0;
}
