/* What calibrate measures: arms that differ by a known slowdown and in nothing else. */
#ifndef BENCH_CALIBRATE_ARM_H
#define BENCH_CALIBRATE_ARM_H

#include <stdint.h>

#include "results/record.h"

struct calibrate_work {
    const char *transform; /* a hundredth of what a sample costs */
    int64_t workers;
};

/* Samples that need no file, with this transform; borrowed. */
struct workload calibrate_workload(const char *transform);

/* Appends an arm: the transform a hundred times for each sample, and a share of that more, so that what is injected is of
 * one kind with what is there. slowdown: 0.05 = 105 times. Errors: -ENOMEM. */
int calibrate_add_arm(struct result *r, const char *name, const struct calibrate_work *work, double slowdown,
                      struct err *err);

#endif
