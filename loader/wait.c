/* Spinning and futexes. The futexes are not private: the two sides may be processes.
 *
 * A wait first looks some hundred times at the ring (about two microseconds: the other side is at work on another
 * CPU and answers within them, or does not). Then, if waits have been short, it looks between calls of sched_yield:
 * where there are more workers than CPUs, the one that has the answer may need this CPU, and a switch by yielding
 * costs a fraction of a sleep and a wake-up. Where waits are long that would take CPU time from those who work, so
 * it sleeps at once. A sleep makes a short wait long; so one wait in PROBE is spun all the same, and if it was
 * short, waits count as short again. */
#include "wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { LOOKS = 128, SHORT_NS = 20000, SPIN_NS = 40000, LONG_NS = 100000, PROBE = 16 };

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
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
    if (s->typical_ns > SHORT_NS && ++s->waits % PROBE)
        return false;
    uint64_t start_ns = clock_now_ns(), now_ns;
    do {
        sched_yield();
        now_ns = clock_now_ns();
        if (ready(arg)) {
            if (now_ns - start_ns < SHORT_NS && s->typical_ns > SHORT_NS)
                s->typical_ns = now_ns - start_ns;
            return true;
        }
    } while (now_ns - start_ns < SPIN_NS);
    return false;
}

void spinner_note(struct spinner *s, uint64_t waited_ns)
{
    uint64_t counted_ns = waited_ns < LONG_NS ? waited_ns : LONG_NS; /* one long wait is soon forgotten */
    s->typical_ns = (7 * s->typical_ns + counted_ns) / 8;
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
