/* Every kernel against its plain reference, on this machine: a BLAS that computes wrong results on a CPU is
 * caught here. */
#ifndef KERNELS_VERIFY_H
#define KERNELS_VERIFY_H

#include "kernels/kernel.h"

struct kernel_verify_options {
    uint64_t seed;
    int rounds; /* how often each case with random sizes is run; 0 = 8 */
};

/* One kernel on all its cases. The element that came nearest to its bound, or went furthest beyond, is kept.
 */
struct kernel_verdict {
    const char *kernel;
    int shapes;              /* cases run, random ones each time */
    double error, tolerance; /* of that element, absolute; error is NaN when the result was */
    double ratio;            /* error / tolerance: at most 1 is right; infinite when the tolerance is 0 */
    bool wrong;
    char where[192]; /* "gemm=7x5x3 on 7x5:f32, element 4: 1.5, expected 2.5" */
};

/* Errors: -ENOMEM, or a case that does not run (then err says which). A wrong result is no error: see the
 * verdict. */
int kernel_verify(const struct kernel *k, const struct kernel_verify_options *opt, struct kernel_verdict *out,
                  struct err *err);

#endif
