/* What a result was measured on: enough to tell whether two results can be compared. */
#ifndef HARNESS_FINGERPRINT_H
#define HARNESS_FINGERPRINT_H

#include <stdbool.h>

#include "base/err.h"
#include "harness/budget.h"
#include "harness/topology.h"

/* One JSON object as text: CPU, topology in one line, kernel, libc, BLAS and its kernels, compiler, governor, limits,
 * hypervisor, and the environment variables that change a placement. No user name, and the host's only where `host` asks for it.
 * Owner: the caller frees *out. Errors: -ENOMEM. */
int harness_fingerprint(const struct harness_topology *t, const struct harness_budget *b, bool host,
                        char **out, struct err *err);

#endif
