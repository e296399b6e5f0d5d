/* y = (x - mean) W: decorrelates features with a D x D matrix, as ZCA does for small images. The matrix is
 * fixed and symmetric; what a run of PCA would put into it does not change the cost. */
#include "matrix.h"

#include <math.h>

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t rows, d;
    int rc = kernel__rows(p, &rows, &d, err);
    if (rc)
        return rc;
    p->out = p->in;
    rc = kernel__matrix_create(p, (int64_t[]){rows, d, d}, 6, rows * d, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++)
            m->w[i * d + j] = m->w[j * d + i];
    kernel__fill(m->bias, d, 7);
    p->work.flops += (double)(rows * d);
    p->work.bytes += (double)d * sizeof(float);
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    const float *x = in;
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->k; j++)
            m->scratch[i * m->k + j] = x[i * m->k + j] - m->bias[j];
    kernel__matrix_product(m, m->scratch, 0, out);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    const float *x = in->data;
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->n; j++) {
            double sum = 0, sum_abs = 0;
            for (int64_t k = 0; k < m->k; k++) {
                double product = ((double)x[i * m->k + k] - m->bias[k]) * m->w[k * m->n + j];
                sum += product;
                sum_abs += fabs(product);
            }
            out[i * m->n + j] = sum;
            bound[i * m->n + j] =
                kernel__dot_bound(m->k + 1, sum_abs); /* + 1: the difference is rounded too */
        }
}

static const struct kernel_case cases[] = {
    {"whitening", "1"},     {"whitening", "1x1"}, {"whitening", "37"},
    {"whitening", "3x131"}, {"whitening", "AxB"},
};

const struct kernel kernel_whitening = {
    .name = "whitening",
    .help = "takes the mean off and decorrelates",
    .takes = "D or N x D",
    .gives = "the same:f32",
    .formula = "y = (x - mean) W, W symmetric D x D",
    .source = "Bell, Sejnowski, Vision Research 37 (1997); Krizhevsky 2009",
    .blas = "sgemm",
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = kernel__matrix_free,
    .run = run,
    .reference = reference,
};
