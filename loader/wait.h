/* How either side waits for a ring: look for a moment, let others run for a moment, then sleep in the kernel. */
#ifndef LOADER_WAIT_H
#define LOADER_WAIT_H

#include "ring.h"

/* How long the next wait may take before it sleeps; one for each waiting side. Start with spinner_init. */
struct spinner {
    uint64_t budget_ns;
};

void spinner_init(struct spinner *s);

/* Spins until `ready(arg)` or the budget is used up; true: it is ready. The budget grows with success and
 * shrinks with failure, so that a side whose partner is slow goes to sleep at once. */
bool spinner_wait(struct spinner *s, bool (*ready)(const void *arg), const void *arg);

/* ring_ready as a spinner's question. */
bool ring_is_ready(const void *reader);

/* Blocks on the ring's futex until it has a value. Returns how often it slept. */
uint64_t ring_sleep(const struct ring_reader *r);

/* Wakes a reader that blocks in ring_sleep. */
void ring_wake(struct ring *r);

#endif
