/* A sample times a fixed matrix: what most kernels are. */
#ifndef KERNELS_MATRIX_H
#define KERNELS_MATRIX_H

#include "common.h"

/* The self of such a kernel: rows x k (the sample, or `scratch` made from it) times k x n (w). */
struct kernel__matrix {
    int64_t rows, k, n;
    float *w;          /* [k][n] */
    float *bias;       /* [n] or [k], as the kernel says */
    float *scratch;    /* as many as asked for; NULL when none were */
    const void *extra; /* the kernel's; const, static */
};

/* Makes p->self, zeroed, w filled from `stream` (0: left zero); sets p->work for rows x k x n when p->out is
 * set already. Errors: -ERANGE a size that BLAS cannot count, -ENOMEM. */
int kernel__matrix_create(struct kernel_plan *p, const int64_t rows_k_n[3], uint32_t stream, int64_t scratch,
                          struct err *err);
void kernel__matrix_free(void *self);

/* out = a w + beta out, by sgemm. */
void kernel__matrix_product(const struct kernel__matrix *m, const float *a, float beta, float *out);

/* out = a w by plain loops, with the bound of each element. */
void kernel__matrix_reference(const struct kernel__matrix *m, const float *a, double *out, double *bound);

/* A sample as rows of a vector: 1 x D for one dimension, N x D for two. -EINVAL for more. */
int kernel__rows(const struct kernel_plan *p, int64_t *rows, int64_t *length, struct err *err);

#endif
