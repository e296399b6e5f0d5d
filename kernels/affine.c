/* A random rotation, scale and shift: the grid of source positions is a product (H W x 3 times 3 x 2), then the image is
 * sampled there bilinearly, with zeros outside.
 *
 * Positions are in [-1, 1] over the image as in spatial transformers, pixel centres inside; the same size comes out. */
#include <cblas.h>
#include <math.h>

#include "matrix.h"

enum { ARG_DEGREES, ARG_SCALE, ARG_SHIFT };

static const struct kernel_arg args[] = {
    [ARG_DEGREES] = {.name = "degrees",
                     .kind = KERNEL_ARG_REAL,
                     .min = 0,
                     .max = 180,
                     .def = "15",
                     .help = "rotation, at most, either way"},
    [ARG_SCALE] = {.name = "scale",
                   .kind = KERNEL_ARG_REAL,
                   .min = 0,
                   .max = 0.9,
                   .def = "0.1",
                   .help = "change of scale, at most, either way"},
    [ARG_SHIFT] = {.name = "shift",
                   .kind = KERNEL_ARG_REAL,
                   .min = 0,
                   .max = 2,
                   .def = "0.1",
                   .help = "shift, at most, as a share of half the image"},
};

/* Pixel centre i of n, in [-1, 1]. */
static double centre(int64_t i, int64_t n)
{
    return (2 * (double)i + 1) / (double)n - 1;
}

/* self: w is not used by the product here but keeps the grid, H W x 3 (x, y, 1); scratch the positions, H W x 2. */
static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    int64_t h = hwc[0], w = hwc[1];
    p->out = p->in;
    rc = kernel__matrix_create(p, (int64_t[]){1, h * w, 3}, 0, h * w * 2, err);
    if (rc)
        return rc;
    float *grid = ((struct kernel__matrix *)p->self)->w;
    for (int64_t i = 0; i < h * w; i++) {
        grid[i * 3] = (float)centre(i % w, w);
        grid[i * 3 + 1] = (float)centre(i / w, h);
        grid[i * 3 + 2] = 1;
    }
    p->work.flops = (double)(h * w) * (12 + 8 * (double)hwc[2]);
    p->work.bytes = kernel__bytes(p, (double)(h * w * 3));
    return 0;
}

/* theta: 3 x 2, so that (x, y, 1) theta is the source position. */
static void draw(const struct kernel_plan *p, struct counter_rng *rng, double theta[6])
{
    double u[4];
    for (int i = 0; i < 4; i++)
        u[i] = 2 * counter_rng_uniform(rng) - 1;
    double angle = u[0] * p->arg[ARG_DEGREES].real * M_PI / 180, scale = 1 + u[1] * p->arg[ARG_SCALE].real;
    theta[0] = scale * cos(angle);
    theta[1] = scale * sin(angle);
    theta[2] = -theta[1];
    theta[3] = theta[0];
    theta[4] = u[2] * p->arg[ARG_SHIFT].real;
    theta[5] = u[3] * p->arg[ARG_SHIFT].real;
}

/* Weight of a neighbour, or 0 and its position pulled inside when it lies outside. */
static float inside(int64_t *at, int64_t n, float weight)
{
    bool in = *at >= 0 && *at < n;
    *at = in ? *at : 0;
    return in ? weight : 0;
}

static void sample(const float *image, const int64_t hwc[3], float x, float y, float *to)
{
    float fx = floorf(x), fy = floorf(y), ax = x - fx, ay = y - fy;
    int64_t x0 = (int64_t)fx, y0 = (int64_t)fy, x1 = x0 + 1, y1 = y0 + 1;
    float wx0 = inside(&x0, hwc[1], 1 - ax), wx1 = inside(&x1, hwc[1], ax);
    float wy0 = inside(&y0, hwc[0], 1 - ay), wy1 = inside(&y1, hwc[0], ay);
    const float *top = image + y0 * hwc[1] * hwc[2], *bottom = image + y1 * hwc[1] * hwc[2];
    for (int64_t c = 0; c < hwc[2]; c++)
        to[c] = wy0 * (wx0 * top[x0 * hwc[2] + c] + wx1 * top[x1 * hwc[2] + c]) +
                wy1 * (wx0 * bottom[x0 * hwc[2] + c] + wx1 * bottom[x1 * hwc[2] + c]);
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    const struct kernel__matrix *m = p->self;
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    double exact[6];
    draw(p, rng, exact);
    float theta[6];
    for (int i = 0; i < 6; i++)
        theta[i] = (float)exact[i];
    int64_t n = hwc[0] * hwc[1];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)n, 2, 3, 1, m->w, 3, theta, 2, 0,
                m->scratch, 2);
    for (int64_t i = 0; i < n; i++) {
        float x = ((m->scratch[i * 2] + 1) * (float)hwc[1] - 1) / 2;
        float y = ((m->scratch[i * 2 + 1] + 1) * (float)hwc[0] - 1) / 2;
        sample(in, hwc, x, y, (float *)out + i * hwc[2]);
    }
    return 0;
}

static double pixel(const struct tensor *in, const int64_t hwc[3], int64_t y, int64_t x, int64_t c)
{
    bool outside = y < 0 || y >= hwc[0] || x < 0 || x >= hwc[1];
    return outside ? 0 : tensor_get(in, (y * hwc[1] + x) * hwc[2] + c);
}

/* The position may be off by dx, dy (rounding of the product and of the step to pixels). Interpolation is continuous,
 * with a slope of at most the difference of two neighbours, 2 R with R the largest value around. */
static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    int64_t h = p->in.dim[0], w = p->in.dim[1], c = kernel__channels(&p->in);
    const int64_t hwc[3] = {h, w, c};
    double t[6];
    draw(p, rng, t);
    for (int64_t i = 0; i < h * w * c; i++) {
        double gx = centre(i / c % w, w), gy = centre(i / c / w, h);
        double x = ((gx * t[0] + gy * t[2] + t[4] + 1) * (double)w - 1) / 2;
        double y = ((gx * t[1] + gy * t[3] + t[5] + 1) * (double)h - 1) / 2;
        double reach = fabs(t[0]) + fabs(t[1]) + fabs(t[4]) + fabs(t[5]) + 1; /* |position| + 1, at most */
        double off = kernel__dot_bound(3 + 6, reach) * (double)(w + h) / 2;
        int64_t x0 = (int64_t)floor(x), y0 = (int64_t)floor(y);
        double ax = x - floor(x), ay = y - floor(y), largest = 0;
        for (int64_t k = 0; k < 16; k++)
            largest = fmax(largest, fabs(pixel(in, hwc, y0 - 1 + k / 4, x0 - 1 + k % 4, i % c)));
        out[i] =
            (1 - ay) * ((1 - ax) * pixel(in, hwc, y0, x0, i % c) + ax * pixel(in, hwc, y0, x0 + 1, i % c)) +
            ay * ((1 - ax) * pixel(in, hwc, y0 + 1, x0, i % c) + ax * pixel(in, hwc, y0 + 1, x0 + 1, i % c));
        bound[i] = 4 * largest * off + kernel__dot_bound(8, 4 * largest);
    }
}

static const struct kernel_case cases[] = {
    {"affine", "1x1x3"},
    {"affine=0:0:0", "7x11"},
    {"affine=180:0.5:1", "31x17x3:u8"},
    {"affine=degrees=90", "13x1x2"},
    {"affine", "AxBx3:u8"},
    {"affine=45:0.9:2", "AxB"},
};

const struct kernel kernel_affine = {
    .name = "affine",
    .help = "random rotation, scale and shift",
    .takes = "H x W x C",
    .gives = "H x W x C:f32",
    .formula = "out[p] = in bilinear at (p, 1) theta",
    .source = "Jaderberg et al., Spatial Transformer Networks, 2015",
    .blas = "sgemm for the grid",
    .random = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = kernel__matrix_free,
    .run = run,
    .reference = reference,
};
