/* The BLAS behind the kernels: which one, how many threads. */
#ifndef KERNELS_BLAS_H
#define KERNELS_BLAS_H

/* Borrowed strings live as long as the program. */
struct kernel_blas_info {
    const char *config;    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64" */
    const char *core;      /* kernel set in use: "Zen", "Prescott" */
    const char *threading; /* "pthread", "openmp" or "serial" */
    int threads;           /* what the next product may use */
};

void kernel_blas_info(struct kernel_blas_info *out);

/* Threads of the next products of the calling process; a new pool is created under the caller's CPU affinity.
 */
void kernel_blas_set_threads(int threads);

/* c = a b of square matrices in single precision, row after row: what `doctor` times the library with.
 * Shapes: a, b, c: n x n. */
void kernel_blas_product(int n, const float *a, const float *b, float *c);

#endif
