/* Does a subject spend time beside what it times? What it tells of a turn is held against the harness's own clock. */
#ifndef RESULTS_OUTSIDE_H
#define RESULTS_OUTSIDE_H

#include <stddef.h>

#include "base/err.h"
#include "results/record.h"

/* Two builds of one arm are asked for turns in the same way, so what each does outside of its timed parts (from the request
 * to the answer, less wall_ns: batches taken untimed, counters read, the ways there and back) is of one kind, however many
 * batches are timed: it takes either the same time, or as much longer as the build is slower. With o outside and w timed, a
 * turn each, and c timed, a batch, the excess of `arm` over `other` is
 *     (o_arm - o_other * max(1, c_arm / c_other)) / w_other
 * which an honest build has around or below 0, however fast it is, and one that tells w_arm too short by a share of
 * w_other has above 0 by that share. One an invocation that counts and that both were in, over its turns that count.
 * Shapes: out[r->ninvocations], *n of them. Errors: -ENOMEM. */
int result_outside_excess(const struct result *r, int arm, int other, double *out, size_t *n,
                          struct err *err);

#endif
