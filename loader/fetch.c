/* One batch: index by index for a map-style dataset, the next few samples of a stream for an iterable one. */
#include "fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"

int fetcher_init(struct fetcher *f, const struct loader_config *cfg, const struct slot_layout *layout,
                 struct loader__context *context, const _Atomic uint32_t *stop)
{
    *f = (struct fetcher){.cfg = cfg, .layout = layout, .context = context, .stop = stop};
    if (!cfg->dataset->get_many)
        return 0;
    f->samples = calloc((size_t)layout->batch_max, sizeof *f->samples);
    return f->samples ? 0 : -ENOMEM;
}

static void close_replica(struct fetcher *f)
{
    if (f->open && f->cfg->dataset->close)
        f->cfg->dataset->close(f->replica);
    f->open = false;
}

void fetcher_fini(struct fetcher *f)
{
    close_replica(f);
    free(f->samples);
    f->samples = NULL;
}

/* The loader's own answers keep their codes; a hook that returns one of them becomes -EIO. */
static int hook_code(int rc, struct err *err)
{
    err_set(err, rc, "failed with code %d and no text", rc);
    bool taken = rc == -ENODATA || rc == -ETIMEDOUT || rc == -EPIPE || rc == -ENOBUFS;
    return err->code = taken ? -EIO : rc;
}

void fetcher_begin_epoch(struct fetcher *f)
{
    const struct dataset *ds = f->cfg->dataset;
    close_replica(f);
    f->ended = false;
    if (!f->broken_for_good)
        f->broken = 0;
    if (!ds->open || f->broken)
        return;
    struct err err = {0};
    int rc = ds->open(ds->self, &f->context->info, &f->replica, &err);
    if (rc < 0) {
        f->broken = hook_code(rc, &err);
        f->broken_err = err;
        err_prefix(&f->broken_err, "opening the replica of '%s'", ds->name);
    } else {
        f->open = true;
    }
}

static bool stopped(const struct fetcher *f)
{
    return f->stop && atomic_load_explicit(f->stop, memory_order_relaxed);
}

static int check_size(const struct sample *s, struct err *err)
{
    if (s->bytes <= s->capacity)
        return 0;
    return err_set(err, -EOVERFLOW, "the sample has %zu bytes, its room in the slot %zu (sample_bytes_max)",
                   s->bytes, s->capacity);
}

static struct sample sample_at(const struct fetcher *f, unsigned char *slot, int64_t i, int64_t index)
{
    return (struct sample){.data = slot + f->layout->data_at + (size_t)i * f->layout->stride,
                           .capacity = f->cfg->dataset->sample_bytes_max,
                           .index = index};
}

static int fetch_many(struct fetcher *f, unsigned char *slot, struct err *err)
{
    const struct dataset *ds = f->cfg->dataset;
    const struct slot_task *task = slot_task(f->layout, slot);
    uint64_t *item_ns = slot_item_ns(f->layout, slot), start_ns = item_ns ? clock_now_ns() : 0;
    for (int64_t i = 0; i < task->n; i++)
        f->samples[i] = sample_at(f, slot, i, task->index[i]);
    int rc = ds->get_many(ds->self, task->index, (size_t)task->n, f->samples, err);
    uint64_t each_ns = item_ns && task->n ? (clock_now_ns() - start_ns) / (uint64_t)task->n : 0;
    for (int64_t i = 0; rc >= 0 && i < task->n; i++) {
        rc = check_size(&f->samples[i], err);
        slot_head(slot)->bytes[i] = f->samples[i].bytes;
        if (item_ns)
            item_ns[i] = each_ns;
    }
    return rc < 0 ? rc : 0;
}

/* The next sample of the batch by get or by next; 1 a sample, 0 the stream's end. */
static int fetch_one(const struct fetcher *f, struct sample *s, struct err *err)
{
    const struct dataset *ds = f->cfg->dataset;
    int rc = ds->get ? ds->get(ds->self, s->index, s, err) : ds->next(f->replica, s, err);
    if (rc < 0 || (rc == 0 && !ds->get))
        return rc;
    rc = check_size(s, err);
    return rc ? rc : 1;
}

static int fetch_each(struct fetcher *f, unsigned char *slot, int64_t *made, struct err *err)
{
    struct slot_task *task = slot_task(f->layout, slot);
    uint64_t *item_ns = slot_item_ns(f->layout, slot), before_ns = item_ns ? clock_now_ns() : 0;
    bool stream = !f->cfg->dataset->get;
    for (int64_t i = 0; i < task->n; i++) {
        struct sample s = sample_at(f, slot, i, stream ? -1 : task->index[i]);
        if (stopped(f))
            return err_set(err, -ECANCELED, "the loader was closed");
        int rc = fetch_one(f, &s, err);
        if (rc < 0 && !stream)
            err_prefix(err, "sample %" PRId64, task->index[i]);
        if (rc <= 0)
            return rc;
        slot_head(slot)->bytes[i] = s.bytes;
        if (stream)
            task->index[i] = s.index;
        if (item_ns) {
            uint64_t now_ns = clock_now_ns();
            item_ns[i] = now_ns - before_ns;
            before_ns = now_ns;
        }
        *made = i + 1;
    }
    return 0;
}

static void set_result(const struct fetcher *f, unsigned char *slot, int64_t made)
{
    struct slot_head *head = slot_head(slot);
    head->status = SLOT_BATCH;
    head->samples = made;
    loader__streams_drawn(&f->context->streams, head->drawn);
}

void fetch_batch(struct fetcher *f, unsigned char *slot)
{
    struct slot_head *head = slot_head(slot);
    struct slot_task *task = slot_task(f->layout, slot);
    bool stream = !f->cfg->dataset->get;
    struct err err; /* cleared as far as it is read: this is the hot path */
    err.code = 0;
    err.text[0] = '\0';
    int64_t made = 0;
    int rc = f->broken;
    if (rc)
        err = f->broken_err;
    else if (f->cfg->dataset->get_many)
        rc = fetch_many(f, slot, &err), made = task->n;
    else if (!f->ended)
        rc = fetch_each(f, slot, &made, &err);
    set_result(f, slot, made);
    if (rc < 0) {
        head->status = hook_code(rc, &err);
        *slot_err(f->layout, slot) = err;
    } else if (stream && made < task->n) {
        f->ended = true;
        if (made == 0 || f->cfg->drop_last)
            head->status = SLOT_END;
    }
}

void fetcher_skip(struct fetcher *f, int64_t batches, unsigned char *slot)
{
    for (int64_t i = 0; i < batches && !f->ended && !f->broken; i++)
        fetch_batch(f, slot);
}
