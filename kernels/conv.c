/* Convolution as a product: patches are laid out as rows (im2col), then multiplied with all filters at once.
 * Zero padding, stride 1. */
#include "matrix.h"

#include <string.h>

enum { ARG_OUT, ARG_SIDE };

static const struct kernel_arg args[] = {
    [ARG_OUT] = {.name = "out",
                 .kind = KERNEL_ARG_DIMS,
                 .dims_max = 1,
                 .min = 1,
                 .max = 4096,
                 .def = "16",
                 .help = "filters"},
    [ARG_SIDE] = {.name = "side",
                  .kind = KERNEL_ARG_DIMS,
                  .dims_max = 1,
                  .min = 1,
                  .max = 31,
                  .def = "3",
                  .help = "height and width of a filter, odd"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3], side = p->arg[ARG_SIDE].dim[0], out = p->arg[ARG_OUT].dim[0];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    if (side % 2 == 0)
        return err_set(err, -EINVAL, "side %lld is not odd", (long long)side);
    int64_t rows = hwc[0] * hwc[1], k = side * side * hwc[2];
    p->out = kernel__f32(3, hwc[0], hwc[1], out);
    return kernel__matrix_create(p, (int64_t[]){rows, k, out}, 9, rows * k, err);
}

/* The patch around (y, x), zero where it leaves the image. */
static void take_patch(float *to, const float *image, const int64_t hwc[3], int64_t y, int64_t x,
                       int64_t side)
{
    int64_t half = side / 2, c = hwc[2];
    int64_t from = x - half < 0 ? half - x : 0;
    int64_t end = x + half >= hwc[1] ? hwc[1] - x + half : side;
    for (int64_t i = 0; i < side; i++, to += side * c) {
        int64_t row = y + i - half;
        if (row < 0 || row >= hwc[0]) {
            memset(to, 0, (size_t)(side * c) * sizeof *to);
            continue;
        }
        memset(to, 0, (size_t)(from * c) * sizeof *to);
        memcpy(to + from * c, image + (row * hwc[1] + x - half + from) * c,
               (size_t)((end - from) * c) * sizeof *to);
        memset(to + end * c, 0, (size_t)((side - end) * c) * sizeof *to);
    }
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    for (int64_t y = 0; y < hwc[0] && !rc; y++)
        for (int64_t x = 0; x < hwc[1]; x++)
            take_patch(m->scratch + (y * hwc[1] + x) * m->k, in, hwc, y, x, p->arg[ARG_SIDE].dim[0]);
    kernel__matrix_product(m, m->scratch, 0, out);
    return rc;
}

/* Direct: no patches. w is [side][side][channel][filter]. */
static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    const float *image = in->data;
    int64_t h = p->in.dim[0], w = p->in.dim[1], c = kernel__channels(&p->in);
    int64_t side = p->arg[ARG_SIDE].dim[0], half = side / 2;
    for (int64_t at = 0; at < h * w * m->n; at++) {
        int64_t y = at / m->n / w, x = at / m->n % w, filter = at % m->n;
        double sum = 0, sum_abs = 0;
        for (int64_t i = 0; i < side * side * c; i++) {
            int64_t row = y + i / c / side - half, column = x + i / c % side - half;
            if (row < 0 || row >= h || column < 0 || column >= w)
                continue;
            double product = (double)image[(row * w + column) * c + i % c] * m->w[i * m->n + filter];
            sum += product;
            sum_abs += product < 0 ? -product : product;
        }
        out[at] = sum;
        bound[at] = kernel__dot_bound(m->k, sum_abs);
    }
}

static const struct kernel_case cases[] = {
    {"conv=1:1", "1x1"},       {"conv=1:5", "1x1x3"}, {"conv=7:3", "5x13x3"},
    {"conv=3:7", "3x31x2:u8"}, {"conv=2:5", "11x2"},  {"conv=4", "AxBx3"},
};

const struct kernel kernel_conv = {
    .name = "conv",
    .help = "convolution by im2col",
    .takes = "H x W x C",
    .gives = "H x W x OUT:f32",
    .formula = "out[y,x,f] = sum over i,j,c of in[y+i,x+j,c] w[i,j,c,f]",
    .source = "Chellapilla, Puri, Simard, IWFHR 2006",
    .blas = "sgemm",
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = kernel__matrix_free,
    .run = run,
    .reference = reference,
};
