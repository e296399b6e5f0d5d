/* What OpenBLAS says of itself, its thread count, and a product without a kernel around it. */
#include "kernels/blas.h"

#include <cblas.h>

void kernel_blas_info(struct kernel_blas_info *out)
{
    static const char *const threading[] = {"serial", "pthread", "openmp"};
    int parallel = openblas_get_parallel();
    *out = (struct kernel_blas_info){
        .config = openblas_get_config(),
        .core = openblas_get_corename(),
        .threading = threading[parallel < 0 || parallel > 2 ? 0 : parallel],
        .threads = openblas_get_num_threads(),
    };
}

void kernel_blas_set_threads(int threads)
{
    openblas_set_num_threads(threads);
}

void kernel_blas_product(int n, const float *a, const float *b, float *c)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
