/* The pin stage's thread. It reads every worker's ring, and writes a ring for each worker that the consumer
 * reads; both directions follow ring.h. It sleeps on the bell that workers ring. */
#include "pin.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "wait.h"

struct pin_stage {
    struct pool *pool;
    struct page_lock *lock;
    struct ring_reader *in; /* [workers] */
    unsigned char *rings;   /* [workers] rings the consumer reads */
    /* [slots] When each slot was handed on. The consumer's read of one turn comes before the write of the next by
     * way of a worker's process, where a race checker cannot follow: hence atomic. */
    _Atomic uint64_t *done_ns;
    int bell_fd; /* the consumer's */
    _Atomic bool stop;
    struct err failed; /* written before the first batch is handed on */
    pthread_t thread;
    bool started;
};

static struct ring *ring_out(const struct pin_stage *pin, int w)
{
    return (struct ring *)(void *)(pin->rings + (size_t)w * ring_bytes(pin->pool->layout.ring_capacity));
}

static void hand_on(struct pin_stage *pin, int w)
{
    struct pool *p = pin->pool;
    uint32_t value = ring_pop(&pin->in[w]);
    if (value < p->layout.slots)
        atomic_store_explicit(&pin->done_ns[value], clock_now_ns(), memory_order_relaxed);
    if (ring_push(ring_out(pin, w), p->ring_mask, value))
        bell_ring(pin->bell_fd);
}

static bool hand_on_all(struct pin_stage *pin)
{
    bool any = false;
    for (int w = 0; w < pin->pool->layout.workers; w++)
        while (ring_ready(&pin->in[w])) {
            hand_on(pin, w);
            any = true;
        }
    return any;
}

static void set_sleeping(const struct pin_stage *pin, uint32_t sleeping)
{
    for (int w = 0; w < pin->pool->layout.workers; w++)
        atomic_store(&pin->in[w].ring->sleeping, sleeping);
}

static bool any_ready_after_all(const struct pin_stage *pin)
{
    for (int w = 0; w < pin->pool->layout.workers; w++)
        if (ring_ready_after_all(&pin->in[w]))
            return true;
    return false;
}

static void sleep_until_rung(struct pin_stage *pin)
{
    set_sleeping(pin, 1);
    if (!any_ready_after_all(pin) && !atomic_load(&pin->stop)) {
        struct pollfd bell = {.fd = pin->pool->bell_fd, .events = POLLIN};
        uint64_t count;
        poll(&bell, 1, -1);
        if (read(pin->pool->bell_fd, &count, sizeof count) < 0 && errno != EAGAIN)
            return;
    }
    set_sleeping(pin, 0);
}

static void *pin_main(void *arg)
{
    struct pin_stage *pin = arg;
    struct pool *p = pin->pool;
    page_lock_take(pin->lock, p->map + p->layout.slots_at, p->layout.total_bytes - p->layout.slots_at,
                   &pin->failed);
    err_prefix(&pin->failed, "in the pin stage");
    while (!atomic_load(&pin->stop))
        if (!hand_on_all(pin))
            sleep_until_rung(pin);
    return NULL;
}

static int allocate(struct pin_stage *pin, struct err *err)
{
    const struct shared_layout *layout = &pin->pool->layout;
    size_t workers = (size_t)layout->workers;
    pin->in = calloc(workers, sizeof *pin->in);
    pin->done_ns = calloc(layout->slots, sizeof *pin->done_ns);
    pin->rings = aligned_alloc(64, workers * ring_bytes(layout->ring_capacity));
    pin->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pin->bell_fd < 0)
        return err_set_errno(err, -errno, "the pin stage's bell");
    if (!pin->in || !pin->done_ns || !pin->rings)
        return err_set(err, -ENOMEM, "no memory for the pin stage");
    return 0;
}

static void take_over_rings(struct pin_stage *pin)
{
    struct pool *p = pin->pool;
    for (int w = 0; w < p->layout.workers; w++) {
        struct ring *out = ring_out(pin, w);
        atomic_init(&out->tail, 0);
        atomic_init(&out->sleeping, 0);
        pin->in[w] = p->worker[w].results;
        p->worker[w].results.ring = out;
    }
}

int pin_stage_create_take(struct pool *p, struct page_lock *lock, struct err *err)
{
    struct pin_stage *pin = calloc(1, sizeof *pin);
    if (!pin) {
        page_lock_close(lock);
        return err_set(err, -ENOMEM, "no memory for the pin stage");
    }
    pin->pool = p;
    pin->lock = lock;
    pin->bell_fd = -1;
    int rc = allocate(pin, err);
    if (!rc)
        rc = pool_watch_pin(p, pin->bell_fd, err);
    if (rc) {
        pin_stage_destroy(pin);
        return rc;
    }
    take_over_rings(pin);
    p->pin = pin;
    return 0;
}

int pin_stage_start(struct pin_stage *pin, struct err *err)
{
    int rc = pthread_create(&pin->thread, NULL, pin_main, pin);
    pin->started = rc == 0;
    return rc ? err_set_errno(err, -rc, "cannot start the pin stage's thread") : 0;
}

void pin_stage_destroy(struct pin_stage *pin)
{
    if (!pin)
        return;
    atomic_store(&pin->stop, true);
    if (pin->started) {
        bell_ring(pin->pool->bell_fd);
        pthread_join(pin->thread, NULL);
    }
    page_lock_close(pin->lock);
    if (pin->bell_fd >= 0)
        close(pin->bell_fd);
    free(pin->rings);
    free(pin->done_ns);
    free(pin->in);
    free(pin);
}

uint64_t pin_stage_done_ns(const struct pin_stage *pin, uint32_t slot)
{
    return atomic_load_explicit(&pin->done_ns[slot], memory_order_relaxed);
}

int pin_stage_error(const struct pin_stage *pin, struct err *err)
{
    return pin->failed.code ? err_set(err, pin->failed.code, "%s", pin->failed.text) : 0;
}
