/* Products with a fixed matrix; see matrix.h. */
#include "matrix.h"

#include <cblas.h>
#include <stdlib.h>

static const int64_t blas_max = INT32_MAX;

void kernel__matrix_free(void *self)
{
    struct kernel__matrix *m = self;
    if (!m)
        return;
    free(m->w);
    free(m->bias);
    free(m->scratch);
    free(m);
}

static int check_sizes(int64_t rows, int64_t k, int64_t n, struct err *err)
{
    if (rows > blas_max || k > blas_max || n > blas_max || k > blas_max / n)
        return err_set(err, -ERANGE,
                       "a product of %lld x %lld with %lld x %lld is larger than BLAS can count",
                       (long long)rows, (long long)k, (long long)k, (long long)n);
    return 0;
}

int kernel__matrix_create(struct kernel_plan *p, const int64_t rows_k_n[3], uint32_t stream, int64_t scratch,
                          struct err *err)
{
    int64_t rows = rows_k_n[0], k = rows_k_n[1], n = rows_k_n[2];
    int rc = check_sizes(rows, k, n, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = calloc(1, sizeof *m);
    if (!m)
        return kernel__no_memory(err);
    *m = (struct kernel__matrix){.rows = rows, .k = k, .n = n};
    m->w = kernel__alloc((size_t)(k * n), sizeof *m->w);
    m->bias = kernel__alloc((size_t)(k > n ? k : n), sizeof *m->bias);
    m->scratch = scratch ? kernel__alloc((size_t)scratch, sizeof *m->scratch) : NULL;
    if (!m->w || !m->bias || (scratch && !m->scratch)) {
        kernel__matrix_free(m);
        return kernel__no_memory(err);
    }
    if (stream)
        kernel__fill(m->w, k * n, stream);
    p->self = m;
    p->work.flops = 2.0 * (double)rows * (double)k * (double)n;
    p->work.bytes = kernel__bytes(p, (double)(k * n));
    return 0;
}

void kernel__matrix_product(const struct kernel__matrix *m, const float *a, float beta, float *out)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m->rows, (blasint)m->n, (blasint)m->k, 1,
                a, (blasint)m->k, m->w, (blasint)m->n, beta, out, (blasint)m->n);
}

void kernel__matrix_reference(const struct kernel__matrix *m, const float *a, double *out, double *bound)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->n; j++)
            out[i * m->n + j] = kernel__dot(a + i * m->k, 1, m->w + j, m->n, m->k, &bound[i * m->n + j]);
}

int kernel__rows(const struct kernel_plan *p, int64_t *rows, int64_t *length, struct err *err)
{
    if (p->in.ndim != 1 && p->in.ndim != 2)
        return kernel__mismatch(p, "D or N x D", err);
    *rows = p->in.ndim == 2 ? p->in.dim[0] : 1;
    *length = p->in.dim[p->in.ndim - 1];
    return 0;
}
