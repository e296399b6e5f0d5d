/* A given list of indices in random order: one permutation an epoch. */
#include <errno.h>

#include "sampler_util.h"

static int64_t subset_len(void *self)
{
    return ((struct sampler_params *)self)->n_indices;
}

static int start(struct drawn_epoch *e, struct err *err)
{
    int rc = index_list_init(&e->order, e->params->n_indices, err);
    if (rc)
        return rc;
    e->order.n = e->params->n_indices;
    generator_permutation(e->from, e->order.n, e->order.index);
    for (int64_t i = 0; i < e->order.n; i++)
        e->order.index[i] = e->params->indices[e->order.index[i]];
    return 0;
}

static int64_t subset_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct drawn_epoch *e = epoch;
    int rc = e->order.index ? 0 : start(e, err);
    return rc ? rc : index_list_read(&e->order, out, max);
}

static int subset_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    if (params->n_indices < 0 || (params->n_indices && !params->indices))
        return err_set(err, -EINVAL, "a subset needs its indices");
    out->len = subset_len;
    out->open = sampler__drawn_open;
    out->read = subset_read;
    out->close = sampler__drawn_close;
    out->generator = sampler__own_generator;
    return sampler__keep(params, out, err);
}

const struct sampler_kind sampler__subset_random = {
    .name = "subset_random",
    .summary = "a given list of indices in random order",
    .create = subset_create,
};
