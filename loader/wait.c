/* Spinning and futexes. The futexes are not private: the two sides may be processes. */
#include "wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

bool ring_spin(const struct ring_reader *r, uint64_t spin_ns)
{
    enum { LOOKS_PER_CLOCK = 64 };
    uint64_t end_ns = 0;
    do {
        for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
            if (ring_ready(r))
                return true;
            relax();
        }
        if (!end_ns)
            end_ns = clock_now_ns() + spin_ns;
    } while (clock_now_ns() < end_ns);
    return ring_ready(r);
}

uint64_t ring_sleep(const struct ring_reader *r)
{
    struct ring *ring = r->ring;
    uint64_t sleeps = 0;
    while (!ring_ready(r)) {
        atomic_store(&ring->sleeping, 1);
        if (atomic_load(&ring->tail) == r->head) {
            syscall(SYS_futex, &ring->tail, FUTEX_WAIT, r->head, NULL, NULL, 0);
            sleeps++;
        }
        atomic_store(&ring->sleeping, 0);
    }
    return sleeps;
}

void ring_wake(struct ring *r)
{
    syscall(SYS_futex, &r->tail, FUTEX_WAKE, 1, NULL, NULL, 0);
}
