/* What the kernels share; see common.h. */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64
#define WEIGHT_SEED 20220219 /* any number: weights only have to be the same everywhere */

void *kernel__alloc(size_t count, size_t bytes_each)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, bytes_each, &bytes) || bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    void *p = aligned_alloc(ALIGNMENT, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void kernel__fill(float *w, int64_t n, uint32_t stream)
{
    struct counter_rng rng;
    counter_rng_init(&rng, WEIGHT_SEED, 0, stream);
    for (int64_t i = 0; i < n; i++)
        w[i] = (float)(int32_t)counter_rng_u32(&rng) * 0x1p-31F;
}

void kernel__convert(float *restrict to, const void *restrict from, enum tensor_dtype dtype, int64_t n)
{
    const uint8_t *u8 = from;
    const int16_t *i16 = from;
    const double *f64 = from;
    switch (dtype) {
    case TENSOR_U8:
        for (int64_t i = 0; i < n; i++)
            to[i] = u8[i];
        break;
    case TENSOR_I16:
        for (int64_t i = 0; i < n; i++)
            to[i] = (float)i16[i] * 0x1p-15F;
        break;
    case TENSOR_F64:
        for (int64_t i = 0; i < n; i++)
            to[i] = (float)f64[i];
        break;
    case TENSOR_F32:
        memcpy(to, from, (size_t)n * sizeof *to);
        break;
    }
}

/* The loop's copies cannot be what y points to: they stay in registers. */
KERNEL_WIDE void kernel__affine(const float *x, float *y, int64_t n, const struct kernel_affine *a)
{
    struct kernel_affine own = *a;
    int64_t i = 0;
    for (; i + KERNEL_AFFINE <= n; i += KERNEL_AFFINE) {
        KERNEL_EACH
        for (int64_t j = 0; j < KERNEL_AFFINE; j++)
            y[i + j] = x[i + j] * own.scale[j] + own.shift[j];
    }
    for (; i < n; i++)
        y[i] = x[i] * own.scale[i % KERNEL_AFFINE] + own.shift[i % KERNEL_AFFINE];
}

int kernel__mismatch(const struct kernel_plan *p, const char *want, struct err *err)
{
    char got[TENSOR_TEXT];
    return err_set(err, -EINVAL, "takes %s, but gets %s", want, tensor_shape_format(got, &p->in));
}

int kernel__takes(const struct kernel_plan *p, const struct tensor_shape *want, struct err *err)
{
    char text[TENSOR_TEXT];
    return tensor_shape_equal(&p->in, want) ? 0 : kernel__mismatch(p, tensor_shape_format(text, want), err);
}

int kernel__no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory for weights and scratch space");
}

struct tensor_shape kernel__f32(int ndim, int64_t d0, int64_t d1, int64_t d2)
{
    return (struct tensor_shape){.dtype = TENSOR_F32, .ndim = ndim, .dim = {d0, d1, d2}};
}

int kernel__image(const struct kernel_plan *p, int64_t hwc[3], struct err *err)
{
    if (p->in.ndim != 2 && p->in.ndim != 3)
        return kernel__mismatch(p, "an image (height x width x channels)", err);
    hwc[0] = p->in.dim[0];
    hwc[1] = p->in.dim[1];
    hwc[2] = kernel__channels(&p->in);
    return 0;
}

int kernel__audio(const struct kernel_plan *p, int64_t *frames, int64_t *channels, struct err *err)
{
    if (p->in.ndim != 1 && p->in.ndim != 2)
        return kernel__mismatch(p, "audio (frames x channels)", err);
    *frames = p->in.dim[0];
    *channels = p->in.ndim == 2 ? p->in.dim[1] : 1;
    return 0;
}

double kernel__dot_bound(int64_t k, double sum_abs)
{
    double ku = ((double)k + 2) * KERNEL_U;
    return ku / (1 - ku) * sum_abs + 0x1p-149 * (double)(k + 1); /* the last term: products that underflow */
}

double kernel__dot(const float *a, int64_t a_step, const float *b, int64_t b_step, int64_t k, double *bound)
{
    double sum = 0, sum_abs = 0;
    for (int64_t i = 0; i < k; i++) {
        double product = (double)a[i * a_step] * b[i * b_step];
        sum += product;
        sum_abs += fabs(product);
    }
    *bound = kernel__dot_bound(k, sum_abs);
    return sum;
}

int kernel__copy_plan(struct kernel_plan *p, struct err *err)
{
    (void)err;
    p->out = p->in;
    p->work.bytes = kernel__bytes(p, 0);
    return 0;
}

void kernel__copy_reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                            struct counter_rng *rng)
{
    (void)rng;
    for (int64_t i = 0; i < tensor_elements(&p->in); i++) {
        out[i] = tensor_get(in, i);
        bound[i] = 0;
    }
}

double kernel__bytes(const struct kernel_plan *p, double weights)
{
    return (double)tensor_bytes(&p->in) + (double)tensor_bytes(&p->out) + weights * sizeof(float);
}
