/* How either side waits for a ring: spin for a moment, then sleep in the kernel. */
#ifndef LOADER_WAIT_H
#define LOADER_WAIT_H

#include "ring.h"

/* Spins until the ring has a value or the time is over; true: it has. */
bool ring_spin(const struct ring_reader *r, uint64_t spin_ns);

/* Blocks on the ring's futex until it has a value. Returns how often it slept. */
uint64_t ring_sleep(const struct ring_reader *r);

/* Wakes a reader that blocks in ring_sleep. */
void ring_wake(struct ring *r);

#endif
