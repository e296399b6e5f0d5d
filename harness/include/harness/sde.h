/* The loader's own events as PAPI software-defined events ("sde:::loaderbench::batches"): any tool that reads PAPI
 * sees them beside cycles and misses, in the process that consumes the batches. */
#ifndef HARNESS_SDE_H
#define HARNESS_SDE_H

#include <stddef.h>

#include "base/err.h"
#include "loader/loader.h"

struct harness_sde;

/* Registers all of them. *iter is looked at whenever an event is read: NULL = 0 so far. It must outlive the events.
 * Owner:  the caller, until harness_sde_close. Once in a process: PAPI's component keeps what it found of a library,
 *         and looking events up again after that library was shut down ends in freed memory (PAPI 7).
 * Errors: -ENOTSUP libsde refuses, -ENOMEM. */
int harness_sde_open(struct loader_iter *const *iter, struct harness_sde **out, struct err *err);
void harness_sde_close(struct harness_sde *s);

/* Full names in the order of registration, NULL beyond the last. */
const char *harness_sde_name(size_t i);

#endif
