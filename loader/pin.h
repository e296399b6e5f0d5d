/* The pin stage: a thread of the consumer's process between the workers' rings and the consumer. It page-locks
 * the slots, then hands on each batch in its worker's order. */
#ifndef LOADER_PIN_H
#define LOADER_PIN_H

#include "page_lock.h"
#include "pool.h"

/* Takes over the pool's result rings: the consumer reads the stage's from now on, and sleeps on its bell.
 * The lock becomes the stage's, also when it fails. Start it after the workers.
 * Errors: -ENOMEM, -EMFILE. */
int pin_stage_create_take(struct pool *p, struct page_lock *lock, struct err *err);
int pin_stage_start(struct pin_stage *pin, struct err *err);
/* Ends the thread and unlocks. NULL is fine. */
void pin_stage_destroy(struct pin_stage *pin);

/* When the slot's batch left the stage. */
uint64_t pin_stage_done_ns(const struct pin_stage *pin, uint32_t slot);
/* 0, or why the slots could not be locked: every batch fails with it. */
int pin_stage_error(const struct pin_stage *pin, struct err *err);

#endif
