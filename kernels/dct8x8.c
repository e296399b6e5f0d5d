/* The transform inside JPEG: each 8 x 8 block X becomes D (X - 128) D'. The image is filled up to whole blocks with its
 * last row and column; coefficients stay where their block was. */
#include <math.h>

#include "common.h"

enum { SIDE = 8 };

static double entry(int u, int x)
{
    return (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * M_PI / 16);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    int64_t down = (hwc[0] + SIDE - 1) / SIDE, across = (hwc[1] + SIDE - 1) / SIDE;
    p->out = kernel__f32(p->in.ndim, down * SIDE, across * SIDE, hwc[2]);
    p->work.flops = (double)(down * across * hwc[2]) * 2 * 2 * SIDE * SIDE * SIDE;
    p->work.bytes = kernel__bytes(p, SIDE * SIDE);
    return 0;
}

static int64_t at(const struct kernel_plan *p, int64_t y, int64_t x, int64_t c)
{
    int64_t h = p->in.dim[0], w = p->in.dim[1], channels = kernel__channels(&p->in);
    return ((y < h ? y : h - 1) * w + (x < w ? x : w - 1)) * channels + c;
}

/* to = a b', all 8 x 8. */
static void product(const float a[SIDE * SIDE], const float b[SIDE * SIDE], float to[SIDE * SIDE])
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i * SIDE + k] * b[j * SIDE + k];
            to[i * SIDE + j] = sum;
        }
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    float d[SIDE * SIDE], block[SIDE * SIDE], half[SIDE * SIDE], full[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        d[i] = (float)entry(i / SIDE, i % SIDE);
    const float *x = in;
    float *to = out;
    int64_t w = p->out.dim[1], channels = kernel__channels(&p->out);
    for (int64_t b = 0; b < p->out.dim[0] / SIDE * (w / SIDE) * channels; b++) {
        int64_t c = b % channels, left = b / channels % (w / SIDE) * SIDE,
                top = b / channels / (w / SIDE) * SIDE;
        for (int i = 0; i < SIDE * SIDE; i++)
            block[i] = x[at(p, top + i / SIDE, left + i % SIDE, c)] - 128;
        product(d, block, half); /* D X' */
        product(d, half, full);  /* D (D X')' = D X D' */
        for (int i = 0; i < SIDE * SIDE; i++)
            to[((top + i / SIDE) * w + left + i % SIDE) * channels + c] = full[i];
    }
    return 0;
}

/* The double sum of the standard, for each coefficient. */
static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    int64_t w = p->out.dim[1], channels = kernel__channels(&p->out);
    for (int64_t i = 0; i < tensor_elements(&p->out); i++) {
        int64_t c = i % channels, column = i / channels % w, row = i / channels / w;
        double sum = 0, sum_abs = 0;
        for (int k = 0; k < SIDE * SIDE; k++) {
            double value =
                tensor_get(in, at(p, row / SIDE * SIDE + k / SIDE, column / SIDE * SIDE + k % SIDE, c));
            double product =
                entry((int)(row % SIDE), k / SIDE) * entry((int)(column % SIDE), k % SIDE) * (value - 128);
            sum += product;
            sum_abs += fabs(product);
        }
        out[i] = sum;
        bound[i] =
            kernel__dot_bound(2 * SIDE + 3, sum_abs); /* two sums of 8; D twice and the shift rounded */
    }
}

static const struct kernel_case cases[] = {
    {"dct8x8", "1x1:u8"}, {"dct8x8", "8x8x3:u8"}, {"dct8x8", "7x17x3"},
    {"dct8x8", "AxB:u8"}, {"dct8x8", "AxBx2"},
};

const struct kernel kernel_dct8x8 = {
    .name = "dct8x8",
    .help = "JPEG's transform of 8 x 8 blocks",
    .takes = "H x W x C",
    .gives = "H x W x C:f32, up to whole blocks",
    .formula = "Y = D (X - 128) D', for each block",
    .source = "ITU-T T.81, A.3.3",
    .blas = "none: an 8 x 8 product is shorter than the call",
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .run = run,
    .reference = reference,
};
