/* y = max(0, x W + b): a fully connected layer. */
#include "matrix.h"

#include <math.h>
#include <string.h>

enum { ARG_OUT, ARG_RELU };

static const char *const yes_no[] = {"yes", "no", NULL};
static const struct kernel_arg args[] = {
    [ARG_OUT] = {.name = "out",
                 .kind = KERNEL_ARG_DIMS,
                 .dims_max = 1,
                 .min = 1,
                 .max = 32768,
                 .def = "256",
                 .help = "outputs"},
    [ARG_RELU] = {.name = "relu",
                  .kind = KERNEL_ARG_WORD,
                  .words = yes_no,
                  .def = "yes",
                  .help = "negatives become 0"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t rows, length;
    int rc = kernel__rows(p, &rows, &length, err);
    if (rc)
        return rc;
    int64_t out = p->arg[ARG_OUT].dim[0];
    p->out = p->in.ndim == 1 ? kernel__f32(1, out, 0, 0) : kernel__f32(2, rows, out, 0);
    rc = kernel__matrix_create(p, (int64_t[]){rows, length, out}, 4, 0, err);
    if (!rc) {
        struct kernel__matrix *m = p->self;
        kernel__fill(m->bias, out, 5);
        p->work.flops += 2.0 * (double)(rows * out);
        p->work.bytes += (double)out * sizeof(float);
    }
    return rc;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    float *y = out;
    for (int64_t i = 0; i < m->rows; i++)
        memcpy(y + i * m->n, m->bias, (size_t)m->n * sizeof *y);
    kernel__matrix_product(m, in, 1, y);
    if (p->arg[ARG_RELU].word == 0)
        for (int64_t i = 0; i < m->rows * m->n; i++)
            y[i] = y[i] > 0 ? y[i] : 0;
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    kernel__matrix_reference(m, in->data, out, bound);
    for (int64_t i = 0; i < m->rows * m->n; i++) {
        double b = m->bias[i % m->n];
        out[i] += b;
        bound[i] += 2 * KERNEL_U * (fabs(b) + fabs(out[i])) + (double)m->k * KERNEL_U * fabs(b);
        if (p->arg[ARG_RELU].word == 0)
            out[i] = fmax(0, out[i]); /* it does not stretch distances, so the bound holds */
    }
}

static const struct kernel_case cases[] = {
    {"linear=1", "1"},   {"linear=13", "7"},     {"linear=1", "31x17"}, {"linear=33:relu=no", "3x65"},
    {"linear=A", "BxC"}, {"linear=A:no", "BxC"},
};

const struct kernel kernel_linear = {
    .name = "linear",
    .help = "fully connected layer",
    .takes = "D or N x D",
    .gives = "OUT or N x OUT:f32",
    .formula = "y = max(0, x W + b)",
    .source = "BLAS level 3; rectifier: Nair, Hinton, ICML 2010",
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
