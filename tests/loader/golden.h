/* The two datasets of the golden runs: a sample is its value, who made it, and its first draw. */
#ifndef TESTS_LOADER_GOLDEN_H
#define TESTS_LOADER_GOLDEN_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/streams.h"

struct golden_sample {
    int64_t value, seed;
    int worker;
    float rand;
};

struct golden_data {
    int64_t start, end;
    const char *shard; /* none, stride, contiguous */
};

static void golden_write(int64_t value, struct sample *out)
{
    const struct worker_info *info = loader_worker_info();
    struct golden_sample s = {.value = value,
                              .seed = info ? info->seed : -1,
                              .worker = info ? info->id : -1,
                              .rand = generator_uniform_f32(&loader_streams()->torch)};
    memcpy(out->data, &s, sizeof s);
    out->bytes = sizeof s;
    out->index = value;
}

static int64_t golden_len(void *self)
{
    return ((struct golden_data *)self)->end;
}

static int golden_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    golden_write(index, out);
    return 0;
}

struct golden_replica {
    int64_t at, end, step;
};

static int golden_open(void *self, const struct worker_info *info, void **replica, struct err *err)
{
    (void)err;
    const struct golden_data *d = self;
    struct golden_replica *r = malloc(sizeof *r);
    if (!r)
        return -ENOMEM;
    *r = (struct golden_replica){d->start, d->end, 1};
    if (info->id >= 0 && !strcmp(d->shard, "stride")) {
        r->at += info->id;
        r->step = info->num_workers;
    } else if (info->id >= 0 && !strcmp(d->shard, "contiguous")) {
        int64_t each = (d->end - d->start + info->num_workers - 1) / info->num_workers;
        r->at += each * info->id;
        r->end = r->at + each < d->end ? r->at + each : d->end;
    }
    *replica = r;
    return 0;
}

static int golden_next(void *replica, struct sample *out, struct err *err)
{
    (void)err;
    struct golden_replica *r = replica;
    if (r->at >= r->end)
        return 0;
    golden_write(r->at, out);
    r->at += r->step;
    return 1;
}

__attribute__((unused)) static struct dataset golden_map(struct golden_data *d)
{
    return (struct dataset){.name = "golden map",
                            .self = d,
                            .sample_bytes_max = sizeof(struct golden_sample),
                            .len = golden_len,
                            .get = golden_get};
}

__attribute__((unused)) static struct dataset golden_stream(struct golden_data *d)
{
    return (struct dataset){.name = "golden stream",
                            .self = d,
                            .sample_bytes_max = sizeof(struct golden_sample),
                            .open = golden_open,
                            .next = golden_next,
                            .close = free};
}

#endif
