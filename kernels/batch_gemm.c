/* N small products, each with a matrix of its own: where calls and threads cost more than the arithmetic. */
#include "matrix.h"

#include <cblas.h>

static const struct kernel_arg args[] = {
    {.name = "size",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 2,
     .min = 1,
     .max = 65536,
     .def = "64x25",
     .help = "N x D: N products of D x D (N alone: D is 25)"},
};

static void default_input(const struct kernel_value *arg, struct tensor_shape *out)
{
    int64_t d = arg[0].count > 1 ? arg[0].dim[1] : 25;
    *out = kernel__f32(3, arg[0].dim[0], d, d);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    struct tensor_shape want;
    default_input(p->arg, &want);
    int rc = kernel__takes(p, &want, err);
    if (rc)
        return rc;
    int64_t n = want.dim[0], d = want.dim[1];
    p->out = want;
    return kernel__matrix_create(p, (int64_t[]){d, n * d, d}, 3, 0, err); /* n matrices one below the other */
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    blasint d = (blasint)m->n;
    const float *a = in;
    float *c = out;
    for (int64_t i = 0; i < p->in.dim[0]; i++) {
        int64_t at = i * d * d;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, d, d, d, 1, a + at, d, m->w + at, d, 0, c + at,
                    d);
    }
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    int64_t d = m->n;
    const float *a = in->data;
    for (int64_t i = 0; i < p->in.dim[0] * d; i++) /* row i of the stack; it belongs to product i / d */
        for (int64_t j = 0; j < d; j++)
            out[i * d + j] = kernel__dot(a + i * d, 1, m->w + i / d * d * d + j, d, d, &bound[i * d + j]);
}

static const struct kernel_case cases[] = {
    {"batch_gemm=1x1", "1x1x1"},    {"batch_gemm=7x1", "7x1x1"}, {"batch_gemm=3", "3x25x25"},
    {"batch_gemm=2x37", "2x37x37"}, {"batch_gemm=5x8", "5x8x8"}, {"batch_gemm=AxB", "AxBxB"},
};

const struct kernel kernel_batch_gemm = {
    .name = "batch_gemm",
    .help = "many small products",
    .takes = "N x D x D",
    .gives = "N x D x D:f32",
    .formula = "C[n] = A[n] B[n]",
    .source = "BLAS level 3; batched: Dongarra et al., ICCS 2017",
    .blas = "sgemm, N calls",
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .default_input = default_input,
    .plan = plan,
    .free = kernel__matrix_free,
    .run = run,
    .reference = reference,
};
