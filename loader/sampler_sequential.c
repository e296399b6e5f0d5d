/* 0, 1, 2, ...: the length is asked for when the epoch is read first, so that a grown dataset is seen whole.
 */
#include <errno.h>
#include <stdlib.h>

#include "sampler_util.h"

struct sequential {
    const struct sampler_params *params;
    int64_t n, at;
};

static int64_t sequential_len(void *self)
{
    return sampler__n(self);
}

static int sequential_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    (void)g;
    struct sequential *e = malloc(sizeof *e);
    if (!e)
        return err_set(err, -ENOMEM, "no memory for an epoch's order");
    *e = (struct sequential){.params = self, .n = -1};
    *epoch = e;
    return 0;
}

static int64_t sequential_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    (void)err;
    struct sequential *e = epoch;
    if (e->n < 0)
        e->n = sampler__n(e->params);
    int64_t n = e->n - e->at < max ? e->n - e->at : max;
    for (int64_t i = 0; i < n; i++)
        out[i] = e->at + i;
    e->at += n;
    return n;
}

static int sequential_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    out->len = sequential_len;
    out->open = sequential_open;
    out->read = sequential_read;
    out->close = free;
    return sampler__keep(params, out, err);
}

const struct sampler_kind sampler__sequential = {
    .name = "sequential",
    .summary = "0, 1, 2, ... in the dataset's order",
    .create = sequential_create,
};
