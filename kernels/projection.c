/* y = x R: a random projection, which keeps distances about the same in fewer dimensions. Entries are +1 or
 * -1 over sqrt(K), fixed from a seed. */
#include "matrix.h"

#include <math.h>

static const struct kernel_arg args[] = {
    {.name = "out",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 1,
     .min = 1,
     .max = 32768,
     .def = "128",
     .help = "dimensions kept"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t rows, d, k = p->arg[0].dim[0];
    int rc = kernel__rows(p, &rows, &d, err);
    if (rc)
        return rc;
    p->out = p->in.ndim == 1 ? kernel__f32(1, k, 0, 0) : kernel__f32(2, rows, k, 0);
    rc = kernel__matrix_create(p, (int64_t[]){rows, d, k}, 8, 0, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = p->self;
    float one = (float)(1 / sqrt((double)k));
    for (int64_t i = 0; i < d * k; i++)
        m->w[i] = m->w[i] < 0 ? -one : one;
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    kernel__matrix_product(p->self, in, 0, out);
    return 0;
}

/* Adds the signs up and scales once, at the end. */
static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    const float *x = in->data;
    double scale = 1 / sqrt((double)m->n);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->n; j++) {
            double sum = 0, sum_abs = 0;
            for (int64_t k = 0; k < m->k; k++) {
                double v = x[i * m->k + k];
                sum += m->w[k * m->n + j] < 0 ? -v : v;
                sum_abs += fabs(v);
            }
            out[i * m->n + j] = sum * scale;
            bound[i * m->n + j] =
                kernel__dot_bound(m->k + 1, sum_abs * scale); /* + 1: 1/sqrt(K) is rounded */
        }
}

static const struct kernel_case cases[] = {
    {"projection=1", "1"},
    {"projection=13", "101"},
    {"projection=7", "3x31"},
    {"projection=A", "BxC"},
};

const struct kernel kernel_projection = {
    .name = "projection",
    .help = "random projection to fewer dimensions",
    .takes = "D or N x D",
    .gives = "K or N x K:f32",
    .formula = "y = x R, R[i,j] = +-1 / sqrt(K)",
    .source = "Achlioptas, J. Comput. Syst. Sci. 66 (2003)",
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
