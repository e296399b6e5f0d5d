/* PCA noise: the same random colour shift for all pixels of a sample, along the principal axes of ImageNet's colours. */
#include <math.h>

#include "common.h"

static const double eigenvalue[3] = {0.2175, 0.0188, 0.0045};
static const double eigenvector[3][3] = {
    {-0.5675, 0.7192, 0.4009}, {-0.5808, -0.0045, -0.8140}, {-0.5836, -0.6948, 0.4203}};

static const struct kernel_arg args[] = {
    {.name = "std",
     .kind = KERNEL_ARG_REAL,
     .min = 0,
     .max = 10,
     .def = "0.1",
     .help = "deviation of the draws"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    if (p->in.ndim != 3 || p->in.dim[2] != 3)
        return kernel__mismatch(p, "an image H x W x 3", err);
    p->out = p->in;
    p->work.flops = 18 + (double)tensor_elements(&p->in);
    p->work.bytes = kernel__bytes(p, 0);
    return 0;
}

static void draw(const struct kernel_plan *p, struct counter_rng *rng, double shift[3])
{
    double alpha[3];
    for (int j = 0; j < 3; j++)
        alpha[j] = p->arg[0].real * counter_rng_normal(rng);
    for (int c = 0; c < 3; c++) {
        shift[c] = 0;
        for (int j = 0; j < 3; j++)
            shift[c] += 255 * eigenvector[c][j] * alpha[j] * eigenvalue[j];
    }
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)err;
    double shift[3];
    draw(p, rng, shift);
    const float *x = in; /* y may be x */
    float *y = out;
    float r = (float)shift[0], g = (float)shift[1], b = (float)shift[2];
    for (int64_t i = 0; i < tensor_elements(&p->in); i += 3) {
        y[i] = x[i] + r;
        y[i + 1] = x[i + 1] + g;
        y[i + 2] = x[i + 2] + b;
    }
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    double shift[3];
    draw(p, rng, shift);
    for (int64_t i = 0; i < tensor_elements(&p->in); i++) {
        double x = tensor_get(in, i);
        out[i] = x + shift[i % 3];
        bound[i] = kernel__dot_bound(1, fabs(x) + fabs(shift[i % 3]));
    }
}

static const struct kernel_case cases[] = {
    {"lighting", "1x1x3:u8"},
    {"lighting=0", "7x11x3"},
    {"lighting=2", "1x31x3:u8"},
    {"lighting", "AxBx3:u8"},
};

const struct kernel kernel_lighting = {
    .name = "lighting",
    .help = "PCA noise on colours",
    .takes = "H x W x 3",
    .gives = "H x W x 3:f32",
    .formula = "y = x + 255 P (alpha * lambda), alpha normal",
    .source = "Krizhevsky, Sutskever, Hinton, NIPS 2012, section 4.1",
    .blas = "none: one 3 x 3 product a sample, then one sum for each element",
    .random = true,
    .in_place = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .run = run,
    .reference = reference,
};
