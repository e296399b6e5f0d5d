/* Bilinear resize with antialias: out = V in H for each channel, with banded V (rows) and H (columns). The bands are a
 * few entries wide, so the products are done as bands.
 *
 * Columns come first, two input rows at a time, into a ring of rows; an output row is then a sum of a few rows of the
 * ring. A pixel of three channels is held and stored as four floats: the next store overwrites the fourth, and rows of the
 * ring have room for it behind their end. All rows of a band have as many entries as the widest (the rest
 * is zero): a loop whose length changes from pixel to pixel costs more than the products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* Row i of a banded matrix: entries first[i] .. first[i] + width - 1, in weight[i * width]. */
struct bands {
    int64_t width;
    int64_t *first;
    float *weight;
};

struct resize {
    struct bands rows, columns;
    float *
        pair; /* two input rows as floats: of 3 and 4 channels 8 floats a pixel, 4 of each row; else one after the other */
    float *ring; /* `ring_rows` rows of the output's width, `ring_pitch` apart */
    int64_t ring_pitch, ring_rows;
};

enum { SPARE = 4 }; /* floats behind a row of the ring that a store may touch */

typedef float vec4 __attribute__((vector_size(16), aligned(4)));
typedef float vec8 __attribute__((vector_size(32)));
typedef uint32_t words8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));

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
    free(b->weight);
}

/* Inputs that output i may weigh: [low, high). */
static void reach(int64_t in, int64_t out, int64_t i, int64_t *low, int64_t *high)
{
    double step = (double)in / (double)out, scale = step > 1 ? step : 1;
    double center = ((double)i + 0.5) * step - 0.5;
    *low = (int64_t)floor(center - scale) + 1;
    *high = (int64_t)ceil(center + scale);
    *low = *low < 0 ? 0 : *low;
    *high = *high > in ? in : *high;
}

static int bands_init(struct bands *b, int64_t in, int64_t out)
{
    int64_t low, high;
    b->width = 1;
    for (int64_t i = 0; i < out; i++) {
        reach(in, out, i, &low, &high);
        b->width = high - low > b->width ? high - low : b->width;
    }
    b->first = kernel__alloc((size_t)out, sizeof *b->first);
    b->weight = kernel__alloc((size_t)(out * b->width), sizeof *b->weight);
    if (!b->first || !b->weight)
        return -ENOMEM;
    for (int64_t i = 0; i < out; i++) {
        reach(in, out, i, &low, &high);
        b->first[i] = low + b->width > in ? in - b->width : low;
        double sum = 0;
        for (int64_t x = low; x < high; x++)
            sum += triangle(in, out, i, x);
        for (int64_t x = low; x < high; x++)
            b->weight[i * b->width + x - b->first[i]] = (float)(triangle(in, out, i, x) / sum);
    }
    return 0;
}

static void resize_free(void *self)
{
    struct resize *r = self;
    if (!r)
        return;
    bands_free(&r->rows);
    bands_free(&r->columns);
    free(r->pair);
    free(r->ring);
    free(r);
}

static int prepare(struct resize *r, const int64_t hwc[3], int64_t h, int64_t w)
{
    if (bands_init(&r->rows, hwc[0], h) || bands_init(&r->columns, hwc[1], w))
        return -ENOMEM;
    r->ring_pitch = w * hwc[2] + SPARE;
    r->ring_rows = r->rows.width + 2; /* they come in pairs, so one may be there too early */
    r->pair = kernel__alloc((size_t)(hwc[1] * (hwc[2] < 4 ? 8 : 2 * hwc[2])), sizeof *r->pair);
    r->ring = kernel__alloc((size_t)(r->ring_rows * r->ring_pitch), sizeof *r->ring);
    return r->pair && r->ring ? 0 : -ENOMEM;
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
    if (!r || prepare(r, hwc, h, w)) {
        resize_free(r);
        p->self = NULL;
        return kernel__no_memory(err);
    }
    p->out = kernel__f32(p->in.ndim, h, w, hwc[2]);
    p->work.flops =
        2.0 * (double)(w * hwc[2]) * ((double)(hwc[0] * r->columns.width) + (double)(h * r->rows.width));
    p->work.bytes = kernel__bytes(p, (double)(h * r->rows.width + w * r->columns.width));
    return 0;
}

/* A pixel of two rows: each of its bytes is shifted down to the bottom of an integer. `bytes` are there of each (a vector
 * of bytes would be taken apart one by one by the compiler). */
#define TWO_PIXELS(out, one, two, bytes)                                                                     \
    do {                                                                                                     \
        uint32_t low = 0, high = 0;                                                                          \
        memcpy(&low, one, bytes);                                                                            \
        memcpy(&high, two, bytes);                                                                           \
        words8 both = {low, low, low, low, high, high, high, high};                                          \
        both = both >> (words8){0, 8, 16, 24, 0, 8, 16, 24} & 255;                                           \
        (out) = __builtin_convertvector((ints8)both, vec8);                                                  \
    } while (0)

/* Two rows of w pixels of 3 or 4 channels, side by side. */
KERNEL_WIDE static void load_u8(const uint8_t *one, const uint8_t *two, float *to, int64_t w, int64_t c)
{
    vec8 *pixel = (vec8 *)(void *)to;
    for (int64_t x = 0; x + 1 < w; x++, one += c, two += c)
        TWO_PIXELS(pixel[x], one, two, 4);
    TWO_PIXELS(pixel[w - 1], one, two, (size_t)c);
}

static void load_f32(const float *one, const float *two, float *to, int64_t w, int64_t c)
{
    for (int64_t x = 0; x < w; x++, one += c, two += c, to += 8)
        for (int64_t j = 0; j < c; j++) {
            to[j] = one[j];
            to[4 + j] = two[j];
        }
}

static void load_row(const struct kernel_plan *p, const void *in, int64_t at, float *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = p->in.dtype == TENSOR_U8 ? ((const uint8_t *)in)[at + i] : ((const float *)in)[at + i];
}

/* Two rows at once, for a width of the bands that the compiler may know. */
static inline __attribute__((always_inline)) void pair_of(const struct bands *b, const float *pair,
                                                          float *to_one, float *to_two, int64_t w, int64_t c,
                                                          int64_t width)
{
    for (int64_t x = 0; x < w; x++) {
        const float *weight = b->weight + x * width;
        const vec8 *pixel = (const vec8 *)(const void *)pair + b->first[x];
        vec8 sum = pixel[0] * weight[0];
        for (int64_t i = 1; i < width; i++)
            sum += pixel[i] * weight[i];
        *(vec4 *)(void *)(to_one + x * c) = __builtin_shufflevector(sum, sum, 0, 1, 2, 3);
        *(vec4 *)(void *)(to_two + x * c) = __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
    }
}

KERNEL_WIDE static void columns_in_pairs(const struct bands *b, const float *pair, float *to_one,
                                         float *to_two, int64_t w, int64_t c)
{
    switch (b->width) {
    case 2:
        pair_of(b, pair, to_one, to_two, w, c, 2);
        break;
    case 3:
        pair_of(b, pair, to_one, to_two, w, c, 3);
        break;
    case 4:
        pair_of(b, pair, to_one, to_two, w, c, 4);
        break;
    default:
        pair_of(b, pair, to_one, to_two, w, c, b->width);
    }
}

static void columns(const struct bands *b, const float *row, float *to, int64_t w, int64_t c)
{
    for (int64_t x = 0; x < w; x++) {
        const float *weight = b->weight + x * b->width, *from = row + b->first[x] * c;
        for (int64_t j = 0; j < c; j++) {
            float sum = 0;
            for (int64_t i = 0; i < b->width; i++)
                sum += weight[i] * from[i * c + j];
            to[x * c + j] = sum;
        }
    }
}

/* Input rows `row` and the one behind it into the ring. */
static void make_pair(const struct kernel_plan *p, const void *in, int64_t row)
{
    const struct resize *r = p->self;
    int64_t c = p->in.ndim == 3 ? p->in.dim[2] : 1, width = p->in.dim[1], w = p->out.dim[1];
    int64_t one = row * width * c, two = row + 1 < p->in.dim[0] ? one + width * c : one;
    float *to_one = r->ring + row % r->ring_rows * r->ring_pitch;
    float *to_two = r->ring + (row + 1) % r->ring_rows * r->ring_pitch;
    if (c == 3 || c == 4) {
        if (p->in.dtype == TENSOR_U8)
            load_u8((const uint8_t *)in + one, (const uint8_t *)in + two, r->pair, width, c);
        else
            load_f32((const float *)in + one, (const float *)in + two, r->pair, width, c);
        columns_in_pairs(&r->columns, r->pair, to_one, to_two, w, c);
        return;
    }
    load_row(p, in, one, r->pair, width * c);
    columns(&r->columns, r->pair, to_one, w, c);
    load_row(p, in, two, r->pair, width * c);
    columns(&r->columns, r->pair, to_two, w, c);
}

/* to = sum of `width` rows of the ring, from input row `first` on. */
KERNEL_WIDE static void add_rows(const struct resize *r, int64_t first, const float *weight,
                                 float *restrict to, int64_t n)
{
    const float *restrict u = r->ring + first % r->ring_rows * r->ring_pitch;
    if (r->rows.width == 1) {
        for (int64_t i = 0; i < n; i++)
            to[i] = weight[0] * u[i];
        return;
    }
    const float *restrict v = r->ring + (first + 1) % r->ring_rows * r->ring_pitch;
    for (int64_t i = 0; i < n; i++)
        to[i] = weight[0] * u[i] + weight[1] * v[i];
    for (int64_t k = 2; k < r->rows.width; k++) {
        v = r->ring + (first + k) % r->ring_rows * r->ring_pitch;
        for (int64_t i = 0; i < n; i++)
            to[i] += weight[k] * v[i];
    }
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct resize *r = p->self;
    int64_t n = p->out.dim[1] * (p->in.ndim == 3 ? p->in.dim[2] : 1), made = 0;
    for (int64_t y = 0; y < p->out.dim[0]; y++) {
        int64_t first = r->rows.first[y];
        for (; made < first + r->rows.width; made += 2)
            make_pair(p, in, made);
        add_rows(r, first, r->rows.weight + y * r->rows.width, (float *)out + y * n, n);
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
