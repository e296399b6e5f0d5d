/* The consumer's waiting, and whose fault it was.
 *
 * A wait from a to b for a batch that its worker finished at f is split: until the worker was up, START-UP;
 * then until another batch was ready (if one was before f) COMPUTE, from there to f HEAD OF LINE; from f to b
 * HAND-OFF, or PIN for the part in the pin stage. The parts add up to b - a. */
#include <errno.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "iter.h"
#include "pin.h"
#include "wait.h"

static bool ready(const struct loader_iter *it, int w)
{
    if (w >= 0)
        return ring_ready(&it->pool->worker[w].results);
    for (int i = 0; i < it->l->cfg.num_workers; i++)
        if (!it->worker[i].ended && ring_ready(&it->pool->worker[i].results))
            return true;
    return false;
}

/* The look after the rings' `sleeping` was set. */
static bool ready_after_all(const struct loader_iter *it, int w)
{
    if (w >= 0)
        return ring_ready_after_all(&it->pool->worker[w].results);
    for (int i = 0; i < it->l->cfg.num_workers; i++)
        if (!it->worker[i].ended && ring_ready_after_all(&it->pool->worker[i].results))
            return true;
    return false;
}

static bool any_ready(const void *it)
{
    return ready(it, -1);
}

static bool spin(struct loader_iter *it, int w)
{
    if (w < 0)
        return spinner_wait(&it->spinner, any_ready, it);
    return spinner_wait(&it->spinner, ring_is_ready, &it->pool->worker[w].results);
}

static void set_sleeping(const struct loader_iter *it, int w, uint32_t sleeping)
{
    if (w >= 0)
        atomic_store(&it->pool->worker[w].results.ring->sleeping, sleeping);
    for (int i = 0; w < 0 && i < it->l->cfg.num_workers; i++)
        atomic_store(&it->pool->worker[i].results.ring->sleeping, sleeping);
}

/* Blocks until the bell rings, a worker dies or the time is over (ms < 0: never). True: look for the dead. */
static bool block(struct loader_iter *it, int ms)
{
    enum { EVENTS = 8 };
    struct epoll_event events[EVENTS];
    int n = epoll_wait(it->pool->epoll_fd, events, EVENTS, ms);
    bool died = false;
    for (int i = 0; i < n; i++)
        died |= events[i].data.u32 != UINT32_MAX;
    it->stats.futex_sleeps += ms != 0;
    return died;
}

/* Sleeps for at most `ms`; -EPIPE when a worker died and left nothing to wait for. */
static int sleep_once(struct loader_iter *it, int w, int ms, struct err *err)
{
    set_sleeping(it, w, 1);
    bool died = !ready_after_all(it, w) && block(it, ms);
    set_sleeping(it, w, 0);
    int rc = died && !ready(it, w) ? pool_check(it->pool, &it->failed) : 0;
    return rc ? err_set(err, rc, "%s", it->failed.text) : 0;
}

/* A time-out is slept in slices, and no slice counts for more than it was to last (and a little): a tree that
 * was stopped for seconds has not timed out when it goes on. */
static int sleep_until_ready(struct loader_iter *it, int w, struct err *err)
{
    enum { SLICE_MS = 20, LATE_MS = 5, MS = 1000000 };
    int64_t left_ns = (int64_t)it->l->cfg.timeout_ns - (int64_t)it->slept_ns;
    bool timed = it->l->cfg.timeout_ns;
    while (!ready(it, w)) {
        if (timed && left_ns <= 0)
            return err_set(err, -ETIMEDOUT, "timed out after %.3f seconds",
                           (double)it->l->cfg.timeout_ns * 1e-9);
        int64_t ms = left_ns / MS + 1 < SLICE_MS ? left_ns / MS + 1 : SLICE_MS;
        uint64_t start_ns = timed ? clock_now_ns() : 0;
        int rc = sleep_once(it, w, timed ? (int)ms : -1, err);
        if (rc)
            return rc;
        int64_t slept_ns = timed ? (int64_t)(clock_now_ns() - start_ns) : 0, most_ns = (ms + LATE_MS) * MS;
        left_ns -= slept_ns < most_ns ? slept_ns : most_ns;
        it->slept_ns = it->l->cfg.timeout_ns - (uint64_t)left_ns;
    }
    return 0;
}

static uint64_t between(uint64_t low, uint64_t x, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* When the batch at the head of w's ring was finished; of a resume's acknowledgement nobody knows. */
static uint64_t finished_ns(const struct loader_iter *it, int w)
{
    const struct ring_reader *r = &it->pool->worker[w].results;
    if (!ring_ready(r) || ring_peek(r) >= it->layout->slots)
        return UINT64_MAX;
    return slot_head(shared_slot(it->layout, it->map, ring_peek(r)))->finished_ns;
}

/* When the batch at the head of w's ring left the pin stage; 0 without one. */
static uint64_t pinned_ns(const struct loader_iter *it, int w)
{
    if (w < 0 || !it->pool->pin || finished_ns(it, w) == UINT64_MAX)
        return 0;
    return pin_stage_done_ns(it->pool->pin, ring_peek(&it->pool->worker[w].results));
}

/* When the first batch of any worker but `w` (all, when w < 0) was finished. */
static uint64_t first_finished_ns(const struct loader_iter *it, int w)
{
    uint64_t first_ns = UINT64_MAX;
    for (int i = 0; i < it->l->cfg.num_workers; i++)
        if (i != w && !it->worker[i].ended) {
            uint64_t ns = finished_ns(it, i);
            first_ns = ns < first_ns ? ns : first_ns;
        }
    return first_ns;
}

static void attribute(struct loader_iter *it, int w, uint64_t a, uint64_t b)
{
    uint64_t *wait_ns = it->stats.wait_ns;
    uint64_t up_ns = atomic_load(&it->pool->worker[w < 0 ? 0 : w].block->up_ns);
    uint64_t done_ns = w < 0 ? first_finished_ns(it, -1) : finished_ns(it, w);
    uint64_t other_ns = w < 0 ? UINT64_MAX : first_finished_ns(it, w);
    uint64_t up = between(a, up_ns ? up_ns : b, b);
    uint64_t done = between(up, done_ns, b);
    uint64_t pinned = between(done, pinned_ns(it, w), b);
    uint64_t other = between(up, other_ns, done);
    wait_ns[LOADER_WAIT_STARTUP] += up - a;
    wait_ns[LOADER_WAIT_COMPUTE] += other - up;
    wait_ns[LOADER_WAIT_HEAD_OF_LINE] += done - other;
    wait_ns[LOADER_WAIT_HANDOFF] += b - pinned;
    wait_ns[LOADER_WAIT_PIN] += pinned - done;
    it->stats.head_of_line_waits += done > other;
    it->stats.queue_empty++;
    it->waited_ns += b - a;
    it->now_ns = b;
}

/* A consumer that never waits still hears of a death now and then. */
static int look_for_deaths(struct loader_iter *it, struct err *err)
{
    enum { EVERY_NS = 100000000 };
    if (it->now_ns - it->checked_ns < EVERY_NS)
        return 0;
    it->checked_ns = it->now_ns;
    int rc = block(it, 0) ? pool_check(it->pool, &it->failed) : 0;
    return rc ? err_set(err, rc, "%s", it->failed.text) : 0;
}

int iter__await(struct loader_iter *it, int w, struct err *err)
{
    if (ready(it, w))
        return it->l->cfg.out_of_order ? look_for_deaths(it, err) : 0;
    uint64_t start_ns = clock_now_ns();
    int rc = spin(it, w) ? 0 : sleep_until_ready(it, w, err);
    attribute(it, w, start_ns, clock_now_ns());
    spinner_note(&it->spinner, it->now_ns - start_ns);
    return rc;
}
