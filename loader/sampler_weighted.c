/* Draws with replacement, each index in proportion to its weight: one multinomial call an epoch. */
#include <errno.h>

#include "sampler_util.h"

static int64_t weighted_len(void *self)
{
    const struct sampler_params *params = self;
    return params->num_samples ? params->num_samples : params->n;
}

static int start(struct drawn_epoch *e, struct err *err)
{
    const struct sampler_params *p = e->params;
    int64_t k = weighted_len((void *)p);
    int rc = index_list_init(&e->order, k, err);
    if (!rc)
        rc = generator_multinomial(e->from, p->weights, p->n, k, e->order.index, err);
    e->order.n = k;
    if (rc)
        index_list_fini(&e->order);
    return rc;
}

static int64_t weighted_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct drawn_epoch *e = epoch;
    int rc = e->order.index ? 0 : start(e, err);
    return rc ? rc : index_list_read(&e->order, out, max);
}

static int weighted_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    if (params->n <= 0 || !params->weights)
        return err_set(err, -EINVAL, "a weighted sampler needs weights, one for each of its n > 0 indices");
    if (params->num_samples < 0)
        return sampler__refuse_num_samples(params->num_samples, err);
    out->len = weighted_len;
    out->open = sampler__drawn_open;
    out->read = weighted_read;
    out->close = sampler__drawn_close;
    out->generator = sampler__own_generator;
    return sampler__keep(params, out, err);
}

const struct sampler_kind sampler__weighted = {
    .name = "weighted",
    .summary = "with replacement, in proportion to weights",
    .create = weighted_create,
};
