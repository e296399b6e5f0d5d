/* y = W x: a fixed matrix times the sample. Each weight is used once, so memory bandwidth bounds it. */
#include "matrix.h"

#include <cblas.h>

static const struct kernel_arg args[] = {
    {.name = "size",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 2,
     .min = 1,
     .max = 32768,
     .def = "1024",
     .help = "N (N x N times N), or M x K (M x K times K)"},
};

static void default_input(const struct kernel_value *arg, struct tensor_shape *out)
{
    *out = kernel__f32(1, arg[0].dim[arg[0].count - 1], 0, 0);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    struct tensor_shape want;
    default_input(p->arg, &want);
    int rc = kernel__takes(p, &want, err);
    if (rc)
        return rc;
    p->out = kernel__f32(1, p->arg[0].dim[0], 0, 0);
    return kernel__matrix_create(p, (int64_t[]){1, p->in.dim[0], p->out.dim[0]}, 2, 0, err);
}

/* w is kept as [m][k] here: rows of W one after the other. */
static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    cblas_sgemv(CblasRowMajor, CblasNoTrans, (blasint)m->n, (blasint)m->k, 1, m->w, (blasint)m->k, in, 1, 0,
                out, 1);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < m->n; i++)
        out[i] = kernel__dot(m->w + i * m->k, 1, in->data, 1, m->k, &bound[i]);
}

static const struct kernel_case cases[] = {
    {"gemv=1", "1"},    {"gemv=1x37", "37"},     {"gemv=41x1", "1"},
    {"gemv=13x7", "7"}, {"gemv=257x131", "131"}, {"gemv=AxB", "B"},
};

const struct kernel kernel_gemv = {
    .name = "gemv",
    .help = "fixed matrix times a vector: bound by memory",
    .takes = "K",
    .gives = "M:f32",
    .formula = "y[i] = sum over k of W[i,k] x[k]",
    .source = "BLAS level 2 (Dongarra, Du Croz, Hammarling, Hanson 1988)",
    .blas = "sgemv",
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
