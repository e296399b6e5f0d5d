/* Arms of a known slowdown; see calibrate_arm.h. */
#include "calibrate_arm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/plan.h"

enum { REPEATS = 100 };

struct workload calibrate_workload(const char *transform)
{
    return (struct workload){.data = (char *)"synthetic:1048576",
                             .transform = (char *)transform,
                             .sampler = (char *)"sequential",
                             .batch_size = 1};
}

int calibrate_add_arm(struct result *r, const char *name, const struct calibrate_work *work, double slowdown,
                      struct err *err)
{
    char *transform = NULL;
    if (asprintf(&transform, "%s,repeat=%.9g", work->transform, REPEATS * (1 + slowdown)) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    const struct workload w = calibrate_workload(transform);
    const struct setting s = {.workers = (int)work->workers,
                              .threads = 1,
                              .prefetch_factor = 2,
                              .affinity = (char *)"scatter",
                              .backend = (char *)"process"};
    int rc = plan_add(r, name, "core", &w, &s, err);
    free(transform);
    return rc;
}
