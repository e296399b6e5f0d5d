/* Spinning and futexes. The futexes are not private: the two sides may be processes.
 *
 * A wait first looks some hundred times at the ring (about two microseconds: the other side is at work on another
 * CPU and answers within them, or does not). Then it looks between calls of sched_yield: where there are more
 * workers than CPUs, the one that has the answer may need this CPU, and a switch by yielding costs a fraction of a
 * sleep and a wake-up. A waiting side that yields takes no CPU from one that works. */
#include "wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { LOOKS = 128, LEAST_NS = 2000, MOST_NS = 50000 };

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void spinner_init(struct spinner *s)
{
    s->budget_ns = MOST_NS;
}

static bool look(bool (*ready)(const void *arg), const void *arg)
{
    for (int i = 0; i < LOOKS; i++) {
        if (ready(arg))
            return true;
        relax();
    }
    return false;
}

bool spinner_wait(struct spinner *s, bool (*ready)(const void *arg), const void *arg)
{
    if (look(ready, arg))
        return true;
    uint64_t end_ns = clock_now_ns() + s->budget_ns;
    do {
        sched_yield();
        if (ready(arg)) {
            s->budget_ns = s->budget_ns * 2 < MOST_NS ? s->budget_ns * 2 : MOST_NS;
            return true;
        }
    } while (clock_now_ns() < end_ns);
    s->budget_ns = s->budget_ns / 2 > LEAST_NS ? s->budget_ns / 2 : LEAST_NS;
    return false;
}

bool ring_is_ready(const void *reader)
{
    return ring_ready(reader);
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
