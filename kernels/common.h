/* What the kernels share: memory, fixed weights, shape checks, rounding bounds. */
#ifndef KERNELS_COMMON_H
#define KERNELS_COMMON_H

#include <errno.h>

#include "kernels/kernel.h"

/* A loop that gains from wider vectors than every CPU has: compiled for both, chosen when the program starts. Not under
 * the sanitizers, whose start-up comes after that choice. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define KERNEL_WIDE __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define KERNEL_WIDE
#endif

/* Before a loop whose elements do not depend on each other, although its pointers may be equal. */
#if defined(__clang__)
#define KERNEL_EACH _Pragma("clang loop vectorize(assume_safety)")
#else
#define KERNEL_EACH _Pragma("GCC ivdep")
#endif

/* Zeroed and aligned to 64 bytes; NULL when memory ran out. free() takes it. */
void *kernel__alloc(size_t count, size_t bytes_each);

/* Fixed weights: uniform in [-1, 1), the same on every machine; `stream` keeps two matrices apart. */
void kernel__fill(float *w, int64_t n, uint32_t stream);

/* y = x scale + shift, n values from a pixel's first on; y may be x. */
void kernel__affine(const float *x, float *y, int64_t n, const struct kernel_affine *a);

/* To float: integers keep their value; i16 is audio and becomes -1 to 1. */
void kernel__convert(float *restrict to, const void *restrict from, enum tensor_dtype dtype, int64_t n);

/* -EINVAL "takes WANT, but gets 7x5:f32". */
int kernel__mismatch(const struct kernel_plan *p, const char *want, struct err *err);

/* That p->in is exactly this shape, or a mismatch. */
int kernel__takes(const struct kernel_plan *p, const struct tensor_shape *want, struct err *err);
int kernel__no_memory(struct err *err);

/* The out shape: f32, ndim sizes. */
struct tensor_shape kernel__f32(int ndim, int64_t d0, int64_t d1, int64_t d2);

/* Channels of an image: the third dimension, or 1 when it has two. */
static inline int64_t kernel__channels(const struct tensor_shape *image)
{
    return image->ndim == 3 ? image->dim[2] : 1;
}

/* p->in as height x width x channels (1 channel when it has two dimensions), or a mismatch. */
int kernel__image(const struct kernel_plan *p, int64_t hwc[3], struct err *err);

/* p->in as frames x channels (1 channel when it has one dimension), or a mismatch. */
int kernel__audio(const struct kernel_plan *p, int64_t *frames, int64_t *channels, struct err *err);

/* How far a sum of k products in float may be from the exact one, whatever the order of the sum and with or
 * without FMA: gamma(k + 1) * sum |a||b|, and one rounding of the result. Source: Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., section 3.1. */
#define KERNEL_U 0x1p-24
double kernel__dot_bound(int64_t k, double sum_abs);

/* One element of a plain product: sum over k of a[k * a_step] * b[k * b_step], with its bound. */
double kernel__dot(const float *a, int64_t a_step, const float *b, int64_t b_step, int64_t k, double *bound);

/* The plan and the reference of what leaves the sample as it is. */
int kernel__copy_plan(struct kernel_plan *p, struct err *err);
void kernel__copy_reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                            struct counter_rng *rng);

/* Traffic of a plan: in + out + `weights` floats. */
double kernel__bytes(const struct kernel_plan *p, double weights);

#endif
