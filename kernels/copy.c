/* Moves the sample: memory bandwidth and nothing else. */
#include <string.h>

#include "common.h"

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    memcpy(out, in, tensor_bytes(&p->in));
    return 0;
}

static const struct kernel_case cases[] = {
    {"copy", "1"}, {"copy", "7x5x3:u8"}, {"copy", "AxB:i16"}, {"copy", "A:f64"}};

const struct kernel kernel_copy = {
    .name = "copy",
    .help = "memory bandwidth: moves the sample",
    .takes = "any",
    .gives = "the same",
    .formula = "y = x",
    .source = "STREAM Copy (McCalpin 1995)",
    .blas = "none: no arithmetic",
    .any_dtype = true,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = kernel__copy_plan,
    .run = run,
    .reference = kernel__copy_reference,
};
