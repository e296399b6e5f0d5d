/* Samplers by name, and what they share. */
#include "loader/sampler.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sampler_list.h"
#include "sampler_util.h"

#define DECLARE(word) extern const struct sampler_kind sampler__##word;
SAMPLER_LIST(DECLARE)
#define ENTRY(word) &sampler__##word,
const struct sampler_kind *const sampler_kinds[] = {SAMPLER_LIST(ENTRY) NULL};

int sampler_create(const char *kind, const struct sampler_params *params, struct sampler **out,
                   struct err *err)
{
    *out = NULL;
    size_t k = 0;
    while (sampler_kinds[k] && strcmp(sampler_kinds[k]->name, kind))
        k++;
    if (!sampler_kinds[k])
        return err_set(err, -EINVAL, "there is no sampler '%s'", kind);
    struct sampler *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, -ENOMEM, "no memory for a sampler");
    s->name = sampler_kinds[k]->name;
    int rc = sampler_kinds[k]->create(params, s, err);
    if (rc) {
        sampler_destroy(s);
        return rc;
    }
    *out = s;
    return 0;
}

void sampler_destroy(struct sampler *s)
{
    if (!s)
        return;
    if (s->destroy)
        s->destroy(s->self);
    free(s);
}

int sampler_list(const struct sampler *s, struct generator *g, int64_t **out, int64_t *n, struct err *err)
{
    *out = NULL;
    *n = 0;
    int64_t piece = s->batch_max > 0 ? s->batch_max : 1024;
    int64_t capacity = 0, got = 0;
    void *epoch = NULL;
    int rc = s->open(s->self, g, &epoch, err);
    if (rc)
        return rc;
    for (;;) {
        if (capacity - *n < piece) {
            capacity = 2 * capacity + piece;
            int64_t *more = realloc(*out, (size_t)capacity * sizeof *more);
            if (!more) {
                got = err_set(err, -ENOMEM, "no memory for %lld indices", (long long)capacity);
                break;
            }
            *out = more;
        }
        got = s->read(epoch, *out + *n, piece, err);
        if (got <= 0)
            break;
        *n += got;
    }
    if (s->close)
        s->close(epoch);
    if (got < 0) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return (int)got;
}

int64_t sampler__n(const struct sampler_params *params)
{
    return params->dataset ? params->dataset->len(params->dataset->self) : params->n;
}

int index_list_init(struct index_list *list, int64_t capacity, struct err *err)
{
    *list = (struct index_list){.index = malloc((size_t)(capacity ? capacity : 1) * sizeof *list->index)};
    return list->index ? 0 : err_set(err, -ENOMEM, "no memory for %lld indices", (long long)capacity);
}

int64_t index_list_read(struct index_list *list, int64_t *out, int64_t max)
{
    int64_t n = list->n - list->at < max ? list->n - list->at : max;
    if (n > 0)
        memcpy(out, list->index + list->at, (size_t)n * sizeof *out);
    list->at += n;
    return n;
}

void index_list_fini(struct index_list *list)
{
    free(list->index);
    *list = (struct index_list){0};
}

int sampler__drawn_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    const struct sampler_params *params = self;
    struct drawn_epoch *e = calloc(1, sizeof *e);
    if (!e)
        return err_set(err, -ENOMEM, "no memory for an epoch's order");
    e->params = params;
    e->from = params->generator ? params->generator : g;
    *epoch = e;
    return 0;
}

void sampler__drawn_close(void *epoch)
{
    struct drawn_epoch *e = epoch;
    index_list_fini(&e->order);
    free(e);
}

int sampler__refuse_num_samples(int64_t n, struct err *err)
{
    return err_set(err, -EINVAL,
                   "num_samples should be a positive integer value, but got num_samples=%" PRId64, n);
}

int sampler__keep(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    struct sampler_params *self = malloc(sizeof *self);
    if (!self)
        return err_set(err, -ENOMEM, "no memory for a sampler");
    *self = *params;
    out->self = self;
    out->destroy = free;
    return 0;
}

struct generator *sampler__pick(const struct sampler_params *params, struct generator *loaders,
                                struct generator *private)
{
    if (params->generator)
        return params->generator;
    generator_seed(private, (uint64_t)generator_i64(loaders));
    return private;
}

struct generator *sampler__own_generator(void *self)
{
    return ((struct sampler_params *)self)->generator;
}
