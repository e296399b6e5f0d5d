/* The sampler of an iterable-style dataset: a constant (0 stands for "the next"), without an end. */
#include <stddef.h>
#include <string.h>

#include "sampler_util.h"

static int64_t endless_len(void *self)
{
    (void)self;
    return -1;
}

static int endless_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    (void)self;
    (void)g;
    (void)err;
    *epoch = NULL;
    return 0;
}

static int64_t endless_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    (void)epoch;
    (void)err;
    memset(out, 0, (size_t)max * sizeof *out);
    return max;
}

static int endless_create(const struct sampler_params *params, struct sampler *out, struct err *err)
{
    (void)params;
    (void)err;
    out->len = endless_len;
    out->open = endless_open;
    out->read = endless_read;
    return 0;
}

const struct sampler_kind sampler__endless = {
    .name = "endless",
    .summary = "the same constant for ever: what asks an iterable-style dataset for its next sample",
    .create = endless_create,
};
