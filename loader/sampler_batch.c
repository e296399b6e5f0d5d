/* Batches of another sampler's indices; drop_last discards the short tail (it was drawn all the same). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "sampler_util.h"

struct batch_epoch {
    const struct sampler_params *params;
    void *inner;
    bool ended;
};

static int64_t batch_len(void *self)
{
    const struct sampler_params *p = self;
    int64_t n = p->inner->len(p->inner->self);
    if (n < 0)
        return n;
    return p->drop_last ? n / p->batch_size : (n + p->batch_size - 1) / p->batch_size;
}

static int batch_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    struct batch_epoch *e = calloc(1, sizeof *e);
    if (!e)
        return err_set(err, -ENOMEM, "no memory for an epoch's order");
    e->params = self;
    const struct sampler *inner = e->params->inner;
    int rc = inner->open(inner->self, g, &e->inner, err);
    if (rc)
        free(e);
    else
        *epoch = e;
    return rc;
}

static int64_t batch_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct batch_epoch *e = epoch;
    int64_t want = e->params->batch_size < max ? e->params->batch_size : max;
    if (e->ended)
        return 0;
    int64_t n = e->params->inner->read(e->inner, out, want, err);
    e->ended = n < want;
    return n > 0 && n < want && e->params->drop_last ? 0 : n;
}

static void batch_close(void *epoch)
{
    struct batch_epoch *e = epoch;
    if (e->params->inner->close)
        e->params->inner->close(e->inner);
    free(e);
}

static struct generator *batch_generator(void *self)
{
    const struct sampler *inner = ((struct sampler_params *)self)->inner;
    return inner->generator ? inner->generator(inner->self) : NULL;
}

static int batch_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    if (params->batch_size <= 0)
        return err_set(err, -EINVAL,
                       "batch_size should be a positive integer value, but got batch_size=%" PRId64,
                       params->batch_size);
    if (!params->inner)
        return err_set(err, -EINVAL, "a batch sampler needs a sampler to take its indices from");
    out->batch_max = params->batch_size;
    out->len = batch_len;
    out->open = batch_open;
    out->read = batch_read;
    out->close = batch_close;
    out->generator = batch_generator;
    return sampler__keep(params, out, err);
}

const struct sampler_kind sampler__batch = {
    .name = "batch",
    .summary = "batches of another sampler's indices",
    .create = batch_create,
};
