/* Samples made from the seed: no file, no copy. A few are made when the source is opened and handed out in
 * turn, so that a sample costs a pointer and what is measured is the transform. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter_rng.h"
#include "base/unit.h"
#include "format.h"

enum { POOL_MAX = 4, SAMPLES_DEFAULT = 10000, ALIGNMENT = 64 };

static const int64_t samples_max = INT64_C(1) << 40;
static const int64_t sample_bytes_max = INT64_C(1) << 32;

struct synthetic {
    unsigned char *data;
    size_t stride; /* bytes from one sample to the next */
    int64_t pool;
};

/* Reals in [-1, 1), integers over their whole range. */
static void fill(void *data, const struct tensor_shape *shape, struct counter_rng *rng)
{
    int64_t n = tensor_elements(shape);
    float *f32 = data;
    uint8_t *u8 = data;
    int16_t *i16 = data;
    double *f64 = data;
    switch (shape->dtype) {
    case TENSOR_F32:
        for (int64_t i = 0; i < n; i++)
            f32[i] = (float)(int32_t)counter_rng_u32(rng) * 0x1p-31F;
        break;
    case TENSOR_U8:
        for (int64_t i = 0; i < n; i++)
            u8[i] = (uint8_t)(counter_rng_u32(rng) >> 24);
        break;
    case TENSOR_I16:
        for (int64_t i = 0; i < n; i++)
            i16[i] = (int16_t)(counter_rng_u32(rng) >> 16);
        break;
    case TENSOR_F64:
        for (int64_t i = 0; i < n; i++)
            f64[i] = (double)(int32_t)counter_rng_u32(rng) * 0x1p-31;
        break;
    }
}

/* "", "N" or "N:SHAPE[:dtype]". */
static int parse(struct data_source *s, char *args, struct err *err)
{
    s->info.samples = SAMPLES_DEFAULT;
    char *shape = strchr(args, ':');
    if (shape)
        *shape++ = '\0';
    int rc = *args ? unit_parse_int("synthetic", args, 1, samples_max, &s->info.samples, err) : 0;
    if (rc)
        return rc;
    if (shape)
        return tensor_shape_parse("synthetic", shape, &s->info.shape, err);
    if (!s->default_shape)
        return err_set(err, -EINVAL,
                       "synthetic: neither the dataset nor the first transform names a shape: "
                       "say synthetic:N:SHAPE (such as synthetic:1000:224x224x3:u8)");
    s->info.shape = *s->default_shape;
    return 0;
}

static int synthetic_open(struct data_source *s, char *args, struct err *err)
{
    int rc = parse(s, args, err);
    if (rc)
        return rc;
    size_t bytes = tensor_bytes(&s->info.shape);
    if (bytes > (size_t)sample_bytes_max)
        return err_set(err, -ERANGE, "synthetic: a sample of %zu bytes is over the limit of %zu", bytes,
                       (size_t)sample_bytes_max);
    if (s->describe_only)
        return 0;
    struct synthetic *y = calloc(1, sizeof *y);
    s->self = y;
    if (!y)
        return err_set(err, -ENOMEM, "synthetic: no memory");
    y->pool = s->info.samples < POOL_MAX ? s->info.samples : POOL_MAX;
    y->stride = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    y->data = aligned_alloc(ALIGNMENT, y->stride * (size_t)y->pool);
    if (!y->data)
        return err_set(err, -ENOMEM, "synthetic: no memory for %zu bytes", y->stride * (size_t)y->pool);
    for (int64_t i = 0; i < y->pool; i++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 0, (uint64_t)i);
        fill(y->data + (size_t)i * y->stride, &s->info.shape, &rng);
    }
    return 0;
}

static void synthetic_close(struct data_source *s)
{
    struct synthetic *y = s->self;
    if (y)
        free(y->data);
    free(y);
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    (void)reader, (void)err;
    const struct synthetic *y = s->self;
    view->shape = s->info.shape;
    view->data = y->data + (size_t)(index % y->pool) * y->stride;
    return 0;
}

const struct data_format data_synthetic = {
    .name = "synthetic",
    .usage = "synthetic[:N[:SHAPE[:dtype]]]",
    .help = "made from the seed; without SHAPE what the first transform asks for",
    .open = synthetic_open,
    .close = synthetic_close,
    .get = get,
};
