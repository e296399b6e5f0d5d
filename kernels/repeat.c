/* Makes a chain dearer by a known factor: the kernels before this one run so many times in all for each sample, with the
 * same draws, so the result stays. A fraction is carried from sample to sample. More of the very same work: whatever a
 * machine does to the kernels, the factor stays. No clock is read. */
#include <string.h>

#include "common.h"

static const struct kernel_arg args[] = {
    {.name = "times",
     .kind = KERNEL_ARG_REAL,
     .min = 1,
     .max = 1e6,
     .def = "2",
     .help = "2.5: two and three"},
};

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    if (out != in)
        memcpy(out, in, tensor_bytes(&p->in));
    return 0;
}

static const struct kernel_case cases[] = {{"repeat=1", "1"}, {"repeat=2.5", "7x5:u8"}, {"repeat", "AxB"}};

const struct kernel kernel_repeat = {
    .name = "repeat",
    .help = "runs the kernels before it so many times: a known slowdown",
    .takes = "any",
    .gives = "the same",
    .formula = "y = x; what is before it costs `times` as much",
    .source = "own",
    .blas = "none: no arithmetic",
    .any_dtype = true,
    .repeats = true,
    .in_place = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = kernel__copy_plan,
    .run = run,
    .reference = kernel__copy_reference,
};
