/* The list of the doctor's checks: one word each, the file is harness/doctor/<word>.c. */
#ifndef HARNESS_DOCTORS_H
#define HARNESS_DOCTORS_H

#define HARNESS_DOCTORS(X)                                                                                   \
    X(quota)                                                                                                 \
    X(parallelism)                                                                                           \
    X(bandwidth)                                                                                             \
    X(roundtrip)                                                                                             \
    X(clock) X(blas) X(pool) X(variables) X(frequency) X(memory) X(hypervisor) X(limits) X(counters)

#endif
