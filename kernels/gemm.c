/* C = A B: the product that most transforms are at heart. A is the sample, B is fixed. */
#include "matrix.h"

static const struct kernel_arg args[] = {
    {.name = "size",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 3,
     .min = 1,
     .max = 32768,
     .def = "768",
     .help = "N (N x N times N x N), or M x K x N (M x K times K x N)"},
};

static void sizes(const struct kernel_value *size, int64_t m_k_n[3])
{
    m_k_n[0] = size->dim[0];
    m_k_n[1] = size->count > 1 ? size->dim[1] : m_k_n[0];
    m_k_n[2] = size->count > 2 ? size->dim[2] : m_k_n[1];
}

static void default_input(const struct kernel_value *arg, struct tensor_shape *out)
{
    int64_t mkn[3];
    sizes(&arg[0], mkn);
    *out = kernel__f32(2, mkn[0], mkn[1], 0);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    struct tensor_shape want;
    default_input(p->arg, &want);
    int rc = kernel__takes(p, &want, err);
    if (rc)
        return rc;
    int64_t mkn[3];
    sizes(&p->arg[0], mkn);
    p->out = kernel__f32(2, mkn[0], mkn[2], 0);
    return kernel__matrix_create(p, mkn, 1, 0, err);
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    kernel__matrix_product(p->self, in, 0, out);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    kernel__matrix_reference(p->self, in->data, out, bound);
}

static const struct kernel_case cases[] = {
    {"gemm=1", "1x1"},
    {"gemm=1x31x1", "1x31"},
    {"gemm=17x1x13", "17x1"},
    {"gemm=7x5x3", "7x5"},
    {"gemm=61x67x71", "61x67"},
    {"gemm=1x200x129", "1x200"},
    {"gemm=130x257x2", "130x257"},
    {"gemm=193x191x197", "193x191"},
    {"gemm=AxBxC", "AxB"},
};

const struct kernel kernel_gemm = {
    .name = "gemm",
    .help = "matrix product with a fixed matrix",
    .takes = "M x K",
    .gives = "M x N:f32",
    .formula = "C[i,j] = sum over k of A[i,k] B[k,j]",
    .source = "BLAS level 3 (Dongarra, Du Croz, Hammarling, Duff 1990)",
    .blas = "sgemm (OpenBLAS takes one thread while M x K x N is at most 262144)",
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
