/* Uses a fixed CPU time of one thread: a transform in plain code that no library's threads speed up. */
#include <string.h>
#include <time.h>

#include "common.h"

static const struct kernel_arg args[] = {
    {.name = "time", .kind = KERNEL_ARG_NS, .min = 0, .max = 60e9, .def = "1ms", .help = "CPU time"},
};

static double thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    double end = thread_cpu_ns() + p->arg[0].real;
    while (thread_cpu_ns() < end)
        ;
    memcpy(out, in, tensor_bytes(&p->in));
    return 0;
}

static const struct kernel_case cases[] = {{"spin=0", "1"}, {"spin=10us", "7x5:u8"}, {"spin=1us", "AxB"}};

const struct kernel kernel_spin = {
    .name = "spin",
    .help = "a fixed CPU time of one thread",
    .takes = "any",
    .gives = "the same",
    .formula = "y = x, after a CPU time",
    .source = "clock_gettime(2), CLOCK_THREAD_CPUTIME_ID",
    .blas = "none: no arithmetic",
    .any_dtype = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = kernel__copy_plan,
    .run = run,
    .reference = kernel__copy_reference,
};
