/* A loop whose work never changes: how fast is this machine just now? Integer arithmetic in registers, so that neither
 * memory nor a library has a say. */
#include <hwloc.h>
#include <math.h>

#include "base/clock.h"
#include "session.h"

enum { ROUNDS = 200000 };

static uint64_t spin(uint64_t x)
{
    for (int i = 0; i < ROUNDS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17; /* xorshift64: each step needs the one before */
    }
    return x;
}

double session_fixed_work_ns(const struct harness_topology *t)
{
    hwloc_bitmap_t before = hwloc_bitmap_alloc(), one = hwloc_bitmap_alloc();
    double sum = 0;
    int n = 0;
    volatile uint64_t sink = 88172645463325252U;
    if (before && one && hwloc_get_cpubind(t->hwloc, before, HWLOC_CPUBIND_THREAD) >= 0) {
        for (int i = 0; i < t->ncpus; i++) {
            hwloc_bitmap_only(one, (unsigned)t->cpu[i].os);
            if (hwloc_set_cpubind(t->hwloc, one, HWLOC_CPUBIND_THREAD))
                continue;
            uint64_t from = clock_now_ns();
            sink = spin(sink);
            sum += (double)(clock_now_ns() - from);
            n++;
        }
        hwloc_set_cpubind(t->hwloc, before, HWLOC_CPUBIND_THREAD);
    }
    hwloc_bitmap_free(before);
    hwloc_bitmap_free(one);
    return n ? sum / n : NAN;
}
