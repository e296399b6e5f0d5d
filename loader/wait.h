/* How either side waits for a ring: look for a moment, let others run for a moment, then sleep in the kernel. */
#ifndef LOADER_WAIT_H
#define LOADER_WAIT_H

#include "ring.h"

/* What a waiting side knows of its waits; one for each side. All-zero is the start. */
struct spinner {
    uint64_t typical_ns; /* of late */
    unsigned waits;
};

/* Spins until `ready(arg)`; true: it is ready. False: go to sleep. Whether it is worth while is told by the
 * waits before: a side whose partner is slow goes to sleep at once. */
bool spinner_wait(struct spinner *s, bool (*ready)(const void *arg), const void *arg);

/* How long a wait took altogether, spun or slept. */
void spinner_note(struct spinner *s, uint64_t waited_ns);

/* ring_ready as a spinner's question. */
bool ring_is_ready(const void *reader);

/* Blocks on the ring's futex until it has a value. Returns how often it slept. */
uint64_t ring_sleep(const struct ring_reader *r);

/* Wakes a reader that blocks in ring_sleep. */
void ring_wake(struct ring *r);

#endif
