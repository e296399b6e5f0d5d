/* Random order, with or without replacement. The draws follow the reference's, one detail included: without
 * replacement one more permutation than needed is drawn when the epoch is read past its end, because there
 * the remainder of num_samples / n is cut from it even when it is 0; so a full epoch costs 2 (n - 1) words.
 */
#include <errno.h>
#include <stdlib.h>

#include "sampler_util.h"

enum { CHUNK = 32 }; /* draws the reference makes at a time with replacement */

struct random_epoch {
    const struct sampler_params *params;
    struct generator *loaders, *from, private;
    int64_t n, left; /* left: samples not yet drawn */
    int64_t whole;   /* without replacement: whole permutations not yet drawn */
    struct index_list drawn;
    bool started, ended;
};

static int64_t random_len(void *self)
{
    const struct sampler_params *params = self;
    return params->num_samples ? params->num_samples : sampler__n(params);
}

static int random_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    struct random_epoch *e = calloc(1, sizeof *e);
    if (!e)
        return err_set(err, -ENOMEM, "no memory for an epoch's order");
    e->params = self;
    e->loaders = g;
    *epoch = e;
    return 0;
}

static int start(struct random_epoch *e, struct err *err)
{
    e->started = true;
    e->n = sampler__n(e->params);
    e->left = e->params->num_samples ? e->params->num_samples : e->n;
    if (e->left <= 0 || e->n <= 0)
        return sampler__refuse_num_samples(e->left, err);
    e->whole = e->left / e->n;
    e->from = sampler__pick(e->params, e->loaders, &e->private);
    return index_list_init(&e->drawn, e->params->replacement ? CHUNK : e->n, err);
}

static void draw_chunk(struct random_epoch *e)
{
    int64_t n = e->left < CHUNK ? e->left : CHUNK;
    for (int64_t i = 0; i < n; i++)
        e->drawn.index[i] = generator_below(e->from, e->n);
    e->drawn.n = n;
    e->ended = n == 0;
    e->left -= n;
}

static void draw_permutation(struct random_epoch *e)
{
    generator_permutation(e->from, e->n, e->drawn.index);
    e->ended = e->whole == 0; /* this was the last one, cut to the remainder */
    e->drawn.n = e->ended ? e->left : e->n;
    e->left -= e->drawn.n;
    e->whole--;
}

static int64_t random_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct random_epoch *e = epoch;
    int rc = e->started ? 0 : start(e, err);
    if (rc)
        return rc;
    int64_t n = index_list_read(&e->drawn, out, max);
    while (n < max && !e->ended) {
        e->drawn.at = 0;
        if (e->params->replacement)
            draw_chunk(e);
        else
            draw_permutation(e);
        n += index_list_read(&e->drawn, out + n, max - n);
    }
    return n;
}

static void random_close(void *epoch)
{
    struct random_epoch *e = epoch;
    index_list_fini(&e->drawn);
    free(e);
}

static int random_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    if (params->num_samples < 0)
        return sampler__refuse_num_samples(params->num_samples, err);
    out->len = random_len;
    out->open = random_open;
    out->read = random_read;
    out->close = random_close;
    out->generator = sampler__own_generator;
    return sampler__keep(params, out, err);
}

const struct sampler_kind sampler__random = {
    .name = "random",
    .summary = "each index once in random order, or with replacement",
    .create = random_create,
};
