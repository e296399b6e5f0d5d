/* Waits without using the CPU, as a read from a slow disk or a network does: threads cannot help, workers
 * can. */
#include <string.h>

#include "base/clock.h"
#include "common.h"

static const struct kernel_arg args[] = {
    {.name = "time", .kind = KERNEL_ARG_NS, .min = 0, .max = 60e9, .def = "1ms", .help = "how long"},
};

/* A signal may wake it early (a stopped tree goes on, a profiler ticks): it sleeps the rest. */
static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    uint64_t end = clock_now_ns() + (uint64_t)p->arg[0].real;
    for (uint64_t now = clock_now_ns(); now < end; now = clock_now_ns())
        clock_sleep_ns(end - now);
    memcpy(out, in, tensor_bytes(&p->in));
    return 0;
}

static const struct kernel_case cases[] = {{"sleep=0", "1"}, {"sleep=10us", "7x5:u8"}, {"sleep=1us", "AxB"}};

const struct kernel kernel_sleep = {
    .name = "sleep",
    .help = "waits with the CPU free, as slow storage does",
    .takes = "any",
    .gives = "the same",
    .formula = "y = x, after a time",
    .source = "nanosleep(2)",
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
