/* Makes a chain slower by a known share: computes on, in proportion to what the kernels before it took for this very
 * sample. What a machine does to the kernels, it does to the slowdown: the ratio stays. By the wall clock, since a
 * thread's CPU time takes a microsecond or two to read on some machines, which would dilute the share. A sample that
 * another process interrupted must not cost more CPU time for it: no sample counts for more than OUTLIER times what is
 * usual. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "common.h"

enum { OUTLIER = 3, MEMORY = 16 /* samples the usual time is taken over, more or less */ };

struct slower {
    double usual_ns; /* 0 before the first sample */
};

static const struct kernel_arg args[] = {
    {.name = "share",
     .kind = KERNEL_ARG_REAL,
     .min = 0,
     .max = 100,
     .def = "0.05",
     .help = "of the time so far; 0.05 = 5 %"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    p->out = p->in;
    p->work.bytes = kernel__bytes(p, 0);
    p->self = calloc(1, sizeof(struct slower));
    return p->self ? 0 : kernel__no_memory(err);
}

static double counted_ns(struct slower *s, double took_ns)
{
    if (s->usual_ns > 0)
        took_ns = fmin(took_ns, OUTLIER * s->usual_ns);
    s->usual_ns += (took_ns - s->usual_ns) / (s->usual_ns > 0 ? MEMORY : 1);
    return took_ns;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    if (out != in)
        memcpy(out, in, tensor_bytes(&p->in));
    if (!p->began_ns)
        return 0;
    uint64_t from = clock_now_ns();
    double share_ns = p->arg[0].real * counted_ns(p->self, (double)(from - p->began_ns));
    while ((double)(clock_now_ns() - from) < share_ns)
        ;
    return 0;
}

static const struct kernel_case cases[] = {{"slower=0", "1"}, {"slower=0.1", "7x5:u8"}, {"slower", "AxB"}};

const struct kernel kernel_slower = {
    .name = "slower",
    .help = "a known slowdown: computes on, in proportion to the kernels before it",
    .takes = "any",
    .gives = "the same",
    .formula = "y = x, after share * (time of this sample so far)",
    .source = "clock_gettime(2), CLOCK_MONOTONIC",
    .blas = "none: no arithmetic",
    .any_dtype = true,
    .timed = true,
    .in_place = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = free,
    .run = run,
    .reference = kernel__copy_reference,
};
