/* Bilinear resize with antialias: out = V in H for each channel, with banded V (rows) and H (columns). The bands are a
 * few entries wide, so the products are done as bands.
 *
 * Columns come first, eight input rows at a time side by side (strip.h), into a ring of rows; an output row is then a sum
 * of a few rows of the ring, and the affine map that a chain does next is done on the way. All rows of a band
 * have as many entries as the widest (the rest is zero): a loop whose length changes from pixel to pixel costs more than
 * the products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "strip.h"

/* Row i of a banded matrix: entries first[i] .. first[i] + width - 1, in weight[i * width]. */
struct bands {
    int64_t width;
    int64_t *first;
    float *weight;
};

struct resize {
    struct bands rows, columns;
    struct strip_bands across; /* columns again; scratch is owned */
    strip_vec *strip;          /* eight input rows */
    float *
        ring; /* `ring_rows` rows of the output's width, `ring_pitch` apart; row y is at y modulo ring_rows */
    int64_t ring_pitch, ring_rows;
};

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

static int64_t whole_blocks(int64_t n)
{
    return (n + STRIP_ROWS - 1) / STRIP_ROWS * STRIP_ROWS;
}

/* Entries behind the last output, up to a whole block, weigh nothing. */
static int bands_init(struct bands *b, int64_t in, int64_t out)
{
    int64_t low, high;
    b->width = 1;
    for (int64_t i = 0; i < out; i++) {
        reach(in, out, i, &low, &high);
        b->width = high - low > b->width ? high - low : b->width;
    }
    b->first = kernel__alloc((size_t)whole_blocks(out), sizeof *b->first);
    b->weight = kernel__alloc((size_t)(whole_blocks(out) * b->width), sizeof *b->weight);
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
    free(r->across.scratch);
    free(r->strip);
    free(r->ring);
    free(r);
}

static int prepare(struct resize *r, const int64_t hwc[3], int64_t h, int64_t w)
{
    int64_t c = hwc[2];
    if (bands_init(&r->rows, hwc[0], h) || bands_init(&r->columns, hwc[1], w))
        return -ENOMEM;
    r->across = (struct strip_bands){.outputs = whole_blocks(w),
                                     .width = r->columns.width,
                                     .channels = c,
                                     .first = r->columns.first,
                                     .weight = r->columns.weight,
                                     .scratch = kernel__alloc((size_t)(8 * c), sizeof(strip_vec))};
    r->ring_pitch = r->across.outputs * c;
    r->ring_rows = whole_blocks(r->rows.width + STRIP_ROWS - 1);
    r->strip = kernel__alloc((size_t)(hwc[1] * c), sizeof *r->strip);
    r->ring = kernel__alloc((size_t)(r->ring_rows * r->ring_pitch), sizeof *r->ring);
    return r->across.scratch && r->strip && r->ring ? 0 : -ENOMEM;
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

/* Eight input rows from `row` on into the ring; behind the last one it is taken again. */
static void make_rows(const struct kernel_plan *p, const unsigned char *in, int64_t row)
{
    const struct resize *r = p->self;
    int64_t n = p->in.dim[1] * kernel__channels(&p->in);
    size_t pitch = (size_t)n * tensor_dtype_bytes(p->in.dtype);
    const void *from[STRIP_ROWS];
    for (int64_t i = 0; i < STRIP_ROWS; i++) {
        int64_t last = p->in.dim[0] - 1, y = row + i < last ? row + i : last;
        from[i] = in + (size_t)y * pitch;
    }
    kernel__strip_load(from, p->in.dtype, r->strip, n);
    kernel__strip_apply(&r->across, r->strip, r->ring + row % r->ring_rows * r->ring_pitch, r->ring_pitch);
}

static const float *ring_row(const struct resize *r, int64_t y)
{
    return r->ring + y % r->ring_rows * r->ring_pitch;
}

/* The result of a batch is larger than the caches, and what the CPU fetches ahead by itself ends with each page: lines are
 * asked for about a row before they are written. Behind the last row nothing is touched. */
enum { LINE = 64, AHEAD = 42 * LINE };

static inline void expect(const float *at)
{
    uintptr_t later = (uintptr_t)at + AHEAD;
    for (size_t i = 0; i < KERNEL_AFFINE * sizeof *at; i += LINE)
        __builtin_prefetch((const void *)(later + i), 1); // NOLINT(performance-no-int-to-ptr)
}

/* Two rows and what follows, in one go. */
KERNEL_WIDE static void add_two(const float *restrict u, const float *restrict v, const float weight[2],
                                float *restrict to, int64_t n, const struct kernel_affine *then)
{
    struct kernel_affine own = *then;
    float one = weight[0], two = weight[1];
    int64_t i = 0;
    for (; i + KERNEL_AFFINE <= n; i += KERNEL_AFFINE) {
        expect(to + i);
        for (int64_t j = 0; j < KERNEL_AFFINE; j++)
            to[i + j] = (one * u[i + j] + two * v[i + j]) * own.scale[j] + own.shift[j];
    }
    for (; i < n; i++) {
        int64_t j = i % KERNEL_AFFINE;
        to[i] = (one * u[i] + two * v[i]) * own.scale[j] + own.shift[j];
    }
}

/* to = sum of `width` rows of the ring, from input row `first` on. */
KERNEL_WIDE static void add_rows(const struct resize *r, int64_t first, const float *weight,
                                 float *restrict to, int64_t n)
{
    const float *restrict u = ring_row(r, first);
    if (r->rows.width == 1) {
        for (int64_t i = 0; i < n; i++)
            to[i] = weight[0] * u[i];
        return;
    }
    const float *restrict v = ring_row(r, first + 1);
    float one = weight[0], two = weight[1];
    for (int64_t i = 0; i < n; i++)
        to[i] = one * u[i] + two * v[i];
    for (int64_t k = 2; k < r->rows.width; k++) {
        v = ring_row(r, first + k);
        for (int64_t i = 0; i < n; i++)
            to[i] += weight[k] * v[i];
    }
}

static void make_row(const struct resize *r, int64_t y, float *to, int64_t n,
                     const struct kernel_affine *then)
{
    int64_t first = r->rows.first[y];
    const float *weight = r->rows.weight + y * r->rows.width;
    if (then && r->rows.width == 2) {
        add_two(ring_row(r, first), ring_row(r, first + 1), weight, to, n, then);
        return;
    }
    add_rows(r, first, weight, to, n);
    if (then)
        kernel__affine(to, to, n, then);
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct resize *r = p->self;
    int64_t n = p->out.dim[1] * kernel__channels(&p->in), made = 0;
    for (int64_t y = 0; y < p->out.dim[0]; y++) {
        int64_t first = r->rows.first[y];
        for (; made < first + r->rows.width; made += STRIP_ROWS)
            make_rows(p, in, made);
        make_row(r, y, (float *)out + y * n, n, p->then);
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
    int64_t h = p->in.dim[0], w = p->in.dim[1], c = kernel__channels(&p->in);
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
    .then = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = resize_free,
    .run = run,
    .reference = reference,
};
