/* Private: time that this process's CPUs were taken away: by the CFS quota of its group, by the hypervisor. */
#ifndef HARNESS_THROTTLE_H
#define HARNESS_THROTTLE_H

#include "results/record.h"

/* Where to look. All-zero, then harness_throttle_init. */
struct harness_throttle {
    char stat[1200]; /* cpu.stat of the group whose quota binds; "" = there is no quota */
};

void harness_throttle_init(struct harness_throttle *t, const char *quota_from);

/* Time taken from all CPUs by the hypervisor so far, in steps of a clock tick; NaN where the kernel does not tell.
 * Source: proc(5), /proc/stat. */
double harness_steal_ns(void);

/* CPU time so far that was wanted and not given, in ns: throttled by the quota (all CPUs of the group together) and
 * stolen by the hypervisor (in steps of a clock tick). NaN where neither is told. */
double harness_throttle_ns(const struct harness_throttle *t);

/* Moves the part of the waits for workers (compute, head of line, and the hand-off, which takes a CPU too) that was spent
 * kept from running into `throttled`: of the time they wanted to run, cpu_ns + held_ns, they were kept for held_ns. The sum
 * stays what it was. */
void harness_throttle_split(double wait_ns[RESULT_WAIT_CAUSES], double cpu_ns, double held_ns);

#endif
