/* Bilinear resize with antialias: out = V in H for each channel, with banded V (rows) and H (columns). The bands are a
 * few entries wide, so the products are done as bands: rows first, then columns.
 *
 * A row of the middle result is width x channels floats with room for three more, as the column pass loads four floats
 * for a pixel of three. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* Row i of a banded matrix: entries first .. first + count - 1, in weight[i * width]. */
struct bands {
    int64_t width; /* entries kept for each row */
    int64_t *first, *count;
    float *weight;
};

struct resize {
    struct bands rows, columns;
    float *middle;
};

typedef float vec4 __attribute__((vector_size(16), aligned(4)));

static const struct kernel_arg args[] = {
    {.name = "size",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 2,
     .min = 1,
     .max = 16384,
     .def = "224",
     .help = "S (S x S) or HEIGHTxWIDTH"},
};

/* Weight of input x for output i, not normalised: a triangle, as wide as the step when it shrinks. */
static double triangle(int64_t in, int64_t out, int64_t i, int64_t x)
{
    double step = (double)in / (double)out, scale = step > 1 ? step : 1;
    double distance = fabs(((double)x + 0.5 - ((double)i + 0.5) * step) / scale);
    return distance < 1 ? 1 - distance : 0;
}

static void bands_free(struct bands *b)
{
    free(b->first);
    free(b->count);
    free(b->weight);
}

static int bands_init(struct bands *b, int64_t in, int64_t out)
{
    double step = (double)in / (double)out, scale = step > 1 ? step : 1;
    b->width = (int64_t)ceil(2 * scale) + 1;
    b->first = kernel__alloc((size_t)out, sizeof *b->first);
    b->count = kernel__alloc((size_t)out, sizeof *b->count);
    b->weight = kernel__alloc((size_t)(out * b->width), sizeof *b->weight);
    if (!b->first || !b->count || !b->weight)
        return -ENOMEM;
    for (int64_t i = 0; i < out; i++) {
        double center = ((double)i + 0.5) * step - 0.5;
        int64_t low = (int64_t)floor(center - scale) + 1,
                high = (int64_t)ceil(center + scale); /* [low, high) */
        low = low < 0 ? 0 : low;
        high = high > in ? in : high;
        double sum = 0;
        for (int64_t x = low; x < high; x++)
            sum += triangle(in, out, i, x);
        for (int64_t x = low; x < high; x++)
            b->weight[i * b->width + x - low] = (float)(triangle(in, out, i, x) / sum);
        b->first[i] = low;
        b->count[i] = high - low;
    }
    return 0;
}

static int64_t bands_total(const struct bands *b, int64_t out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < out; i++)
        n += b->count[i];
    return n;
}

static void resize_free(void *self)
{
    struct resize *r = self;
    if (!r)
        return;
    bands_free(&r->rows);
    bands_free(&r->columns);
    free(r->middle);
    free(r);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    if (p->in.dtype != TENSOR_F32 && p->in.dtype != TENSOR_U8)
        return kernel__mismatch(p, "an image of f32 or u8", err);
    int64_t h = p->arg[0].dim[0], w = p->arg[0].dim[p->arg[0].count - 1];
    struct resize *r = p->self = calloc(1, sizeof *r);
    if (!r)
        return kernel__no_memory(err);
    r->middle = kernel__alloc((size_t)(hwc[1] * hwc[2] + 4), sizeof *r->middle);
    if (!r->middle || bands_init(&r->rows, hwc[0], h) || bands_init(&r->columns, hwc[1], w)) {
        resize_free(r);
        p->self = NULL;
        return kernel__no_memory(err);
    }
    p->out = kernel__f32(p->in.ndim, h, w, hwc[2]);
    p->work.flops =
        2.0 * (double)hwc[2] *
        ((double)bands_total(&r->rows, h) * (double)hwc[1] + (double)bands_total(&r->columns, w) * (double)h);
    p->work.bytes = kernel__bytes(p, (double)(h * r->rows.width + w * r->columns.width));
    return 0;
}

/* middle = sum over the band of weight * row. */
static void add_rows_u8(float *restrict to, const uint8_t *restrict row, int64_t n, float weight, bool first)
{
    if (first)
        for (int64_t i = 0; i < n; i++)
            to[i] = weight * (float)row[i];
    else
        for (int64_t i = 0; i < n; i++)
            to[i] += weight * (float)row[i];
}

static void add_rows_f32(float *restrict to, const float *restrict row, int64_t n, float weight, bool first)
{
    if (first)
        for (int64_t i = 0; i < n; i++)
            to[i] = weight * row[i];
    else
        for (int64_t i = 0; i < n; i++)
            to[i] += weight * row[i];
}

/* One output row of pixels with three channels: a pixel is loaded as four floats, the fourth is its neighbour's and is
 * overwritten by the next store. */
static void columns3(float *to, const float *row, const struct bands *b, int64_t w)
{
    for (int64_t x = 0; x < w; x++) {
        const float *weight = b->weight + x * b->width, *from = row + b->first[x] * 3;
        vec4 sum = {0, 0, 0, 0};
        for (int64_t i = 0; i < b->count[x]; i++)
            sum += *(const vec4 *)(const void *)(from + i * 3) * weight[i];
        if (x + 1 < w)
            *(vec4 *)(void *)(to + x * 3) = sum;
        else
            memcpy(to + x * 3, &sum, 3 * sizeof *to);
    }
}

static void columns(float *to, const float *row, const struct bands *b, int64_t w, int64_t channels)
{
    for (int64_t x = 0; x < w; x++) {
        const float *weight = b->weight + x * b->width, *from = row + b->first[x] * channels;
        for (int64_t c = 0; c < channels; c++) {
            float sum = 0;
            for (int64_t i = 0; i < b->count[x]; i++)
                sum += weight[i] * from[i * channels + c];
            to[x * channels + c] = sum;
        }
    }
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct resize *r = p->self;
    int64_t c = p->in.ndim == 3 ? p->in.dim[2] : 1, n = p->in.dim[1] * c, w = p->out.dim[1];
    for (int64_t y = 0; y < p->out.dim[0]; y++) {
        const float *weight = r->rows.weight + y * r->rows.width;
        for (int64_t i = 0; i < r->rows.count[y]; i++) {
            int64_t at = (r->rows.first[y] + i) * n;
            if (p->in.dtype == TENSOR_U8)
                add_rows_u8(r->middle, (const uint8_t *)in + at, n, weight[i], i == 0);
            else
                add_rows_f32(r->middle, (const float *)in + at, n, weight[i], i == 0);
        }
        float *to = (float *)out + y * w * c;
        if (c == 3)
            columns3(to, r->middle, &r->columns, w);
        else
            columns(to, r->middle, &r->columns, w, c);
    }
    return 0;
}

/* Weight of input x for output i, normalised over all inputs. */
static double exact_weight(int64_t in, int64_t out, int64_t i, int64_t x)
{
    double sum = 0;
    for (int64_t j = 0; j < in; j++)
        sum += triangle(in, out, i, j);
    return triangle(in, out, i, x) / sum;
}

/* The two-dimensional sum with full matrices, no bands. */
static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct resize *r = p->self;
    int64_t h = p->in.dim[0], w = p->in.dim[1], c = p->in.ndim == 3 ? p->in.dim[2] : 1;
    int64_t oh = p->out.dim[0], ow = p->out.dim[1];
    double *v = malloc((size_t)(oh * h + ow * w) * sizeof *v), *u = v + oh * h;
    for (int64_t i = 0; v && i < oh * h; i++)
        v[i] = exact_weight(h, oh, i / h, i % h);
    for (int64_t i = 0; v && i < ow * w; i++)
        u[i] = exact_weight(w, ow, i / w, i % w);
    for (int64_t at = 0; at < oh * ow * c; at++) {
        int64_t y = at / c / ow, x = at / c % ow;
        double sum = 0, sum_abs = 0;
        for (int64_t i = 0; v && i < h * w; i++) {
            double product = v[y * h + i / w] * u[x * w + i % w] * tensor_get(in, i * c + at % c);
            sum += product;
            sum_abs += fabs(product);
        }
        out[at] = v ? sum : NAN;
        bound[at] =
            kernel__dot_bound(r->rows.width + r->columns.width + 2, sum_abs); /* + 2: rounded weights */
    }
    free(v);
}

static const struct kernel_case cases[] = {
    {"resize=1", "1x1x3"},     {"resize=7", "1x1x1"},      {"resize=1", "31x17x3:u8"},
    {"resize=5x13", "11x7x3"}, {"resize=13x5", "7x11:u8"}, {"resize=8", "8x8x4:u8"},
    {"resize=3x2", "61x67x2"}, {"resize=AxB", "CxDx3:u8"}, {"resize=AxB", "CxDx3"},
};

const struct kernel kernel_resize = {
    .name = "resize",
    .help = "bilinear with antialias",
    .takes = "H x W x C, f32 or u8",
    .gives = "S x S x C:f32",
    .formula = "out = V in H, triangle weights as wide as the step",
    .source = "Heckbert, Fundamentals of Texture Mapping, 1989",
    .blas = "none: V and H are bands of a few entries, a full product would do hundreds of times the work",
    .any_dtype = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = resize_free,
    .run = run,
    .reference = reference,
};
