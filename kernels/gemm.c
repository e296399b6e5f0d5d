/* C = A B: the product that most transforms are at heart. A is the sample, B is fixed. */
#include <cblas.h>
#include <stdlib.h>

#include "common.h"

struct gemm {
    int64_t m, k, n;
    float *b;
};

static const struct kernel_arg args[] = {
    {.name = "size",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 3,
     .min = 1,
     .max = 32768,
     .def = "768",
     .help = "N (N x N times N x N), or M x K x N (M x K times K x N)"},
};

static void sizes(const struct kernel_value *size, struct gemm *g)
{
    g->m = size->dim[0];
    g->k = size->count > 1 ? size->dim[1] : g->m;
    g->n = size->count > 2 ? size->dim[2] : g->k;
}

static void default_input(const struct kernel_value *arg, struct tensor_shape *out)
{
    struct gemm g;
    sizes(&arg[0], &g);
    *out = kernel__f32(2, g.m, g.k, 0);
}

static void gemm_free(void *self)
{
    struct gemm *g = self;
    if (g)
        free(g->b);
    free(g);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    struct tensor_shape want;
    default_input(p->arg, &want);
    char text[TENSOR_TEXT];
    if (!tensor_shape_equal(&p->in, &want))
        return kernel__mismatch(p, tensor_shape_format(text, &want), err);
    struct gemm *g = calloc(1, sizeof *g);
    if (!g)
        return kernel__no_memory(err);
    sizes(&p->arg[0], g);
    g->b = kernel__alloc((size_t)(g->k * g->n), sizeof *g->b);
    if (!g->b) {
        gemm_free(g);
        return kernel__no_memory(err);
    }
    kernel__fill(g->b, g->k * g->n, 1);
    p->self = g;
    p->out = kernel__f32(2, g->m, g->n, 0);
    p->work.flops = 2.0 * (double)g->m * (double)g->k * (double)g->n;
    p->work.bytes = kernel__bytes(p, (double)(g->k * g->n));
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct gemm *g = p->self;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)g->m, (blasint)g->n, (blasint)g->k, 1, in,
                (blasint)g->k, g->b, (blasint)g->n, 0, out, (blasint)g->n);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct gemm *g = p->self;
    const float *a = in->data;
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++)
            out[i * g->n + j] = kernel__dot(a + i * g->k, 1, g->b + j, g->n, g->k, &bound[i * g->n + j]);
}

static const struct kernel_case cases[] = {
    {"gemm=1", "1x1"},
    {"gemm=1x31x1", "1x31"},
    {"gemm=17x1x13", "17x1"},
    {"gemm=7x5x3", "7x5"},
    {"gemm=61x67x71", "61x67"},
    {"gemm=1x200x129", "1x200"},
    {"gemm=130x257x2", "130x257"},
    {"gemm=AxBxC", "AxB"},
};

const struct kernel kernel_gemm = {
    .name = "gemm",
    .help = "matrix product with a fixed matrix",
    .takes = "M x K",
    .gives = "M x N:f32",
    .formula = "C[i,j] = sum over k of A[i,k] B[k,j]",
    .source = "BLAS level 3 (Dongarra, Du Croz, Hammarling, Duff 1990)",
    .blas = "sgemm",
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .default_input = default_input,
    .plan = plan,
    .free = gemm_free,
    .run = run,
    .reference = reference,
};
