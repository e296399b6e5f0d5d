/* One replica's share of a dataset: the (shuffled) list, padded by repeating it or cut to a multiple of the
 * replicas, then every num_replicas-th index from `rank` on. Its generator is private, seeded seed + epoch.
 */
#include <errno.h>
#include <stdlib.h>

#include "sampler_util.h"

struct distributed {
    struct sampler_params params;
    uint64_t epoch;
};

static int64_t distributed_len(void *self)
{
    const struct sampler_params *p = &((struct distributed *)self)->params;
    int64_t n = sampler__n(p), replicas = p->num_replicas;
    if (p->drop_last && n % replicas)
        return n < replicas ? 0 : (n - replicas + replicas - 1) / replicas;
    return (n + replicas - 1) / replicas;
}

static int fill(struct distributed *d, struct index_list *share, struct err *err)
{
    const struct sampler_params *p = &d->params;
    int64_t n = sampler__n(p);
    struct index_list all = {0};
    int rc = index_list_init(&all, n, err);
    if (rc)
        return rc;
    if (p->in_order) {
        for (int64_t i = 0; i < n; i++)
            all.index[i] = i;
    } else {
        struct generator g;
        generator_seed(&g, p->seed + d->epoch);
        generator_permutation(&g, n, all.index);
    }
    for (int64_t i = 0; i < share->n; i++)
        share->index[i] = all.index[(p->rank + i * p->num_replicas) % n];
    index_list_fini(&all);
    return 0;
}

static int distributed_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    (void)g;
    struct index_list *share = calloc(1, sizeof *share);
    if (!share)
        return err_set(err, -ENOMEM, "no memory for an epoch's order");
    int64_t n = distributed_len(self);
    int rc = index_list_init(share, n, err);
    share->n = n;
    if (!rc && n)
        rc = fill(self, share, err);
    if (rc) {
        index_list_fini(share);
        free(share);
        return rc;
    }
    *epoch = share;
    return 0;
}

static int64_t distributed_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    (void)err;
    return index_list_read(epoch, out, max);
}

static void distributed_close(void *epoch)
{
    index_list_fini(epoch);
    free(epoch);
}

void sampler_set_epoch(struct sampler *s, uint64_t epoch)
{
    if (s->read == distributed_read)
        ((struct distributed *)s->self)->epoch = epoch;
}

static int distributed_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    if (params->num_replicas < 1)
        return err_set(err, -EINVAL, "num_replicas is %d: it must be at least 1", params->num_replicas);
    if (params->rank < 0 || params->rank >= params->num_replicas)
        return err_set(err, -EINVAL, "Invalid rank %d, rank should be in the interval [0, %d]", params->rank,
                       params->num_replicas - 1);
    struct distributed *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(err, -ENOMEM, "no memory for a sampler");
    d->params = *params;
    out->self = d;
    out->destroy = free;
    out->len = distributed_len;
    out->open = distributed_open;
    out->read = distributed_read;
    out->close = distributed_close;
    return 0;
}

const struct sampler_kind sampler__distributed = {
    .name = "distributed",
    .summary = "one replica's share of a dataset that several processes load together",
    .create = distributed_create,
};
