/* A child process that loads the BLAS afresh and says what it found: kernels, threads, affinity, speed, and how long
 * the pool of threads spins after its work. What a library decides while it is loaded (its kernels, its threads, with
 * some builds the affinity of the process) can only be seen, or changed, in another process. */
#ifndef HARNESS_PROBE_H
#define HARNESS_PROBE_H

#include <stdbool.h>

#include "base/err.h"

/* All-zero: environment as it is, one thread, a product of 768 x 768, about 60 ms of products. */
struct probe_request {
    const char *const *set;   /* "NAME=VALUE", ends with NULL; NULL = none */
    const char *const *unset; /* "NAME", ends with NULL; NULL = none */
    int threads;              /* of the products; 0 = 1 */
    int size;                 /* rows of the matrices; 0 = 768 */
    double work_ns;           /* 0 = 60 ms */
};

/* Strings are owned: harness_probe_fini. */
struct probe {
    char *config, *core, *threading; /* as kernel_blas_info */
    char *allowed;       /* CPUs of the threads once the library was loaded, all of them together */
    int same;            /* all its threads may use the same CPUs */
    int threads_at_load; /* of a product, before anyone set a number */
    double gflop_per_s;  /* of the fastest product */
    bool exact;          /* the products are right: small whole numbers, checked in integers (Freivalds) */
    double spin_ns,
        spin_cpu_ns; /* after the last product: until the process stands still, and the CPU time of that */
};

/* Runs `program probe` (argv[0] looked up in PATH). Errors: -ETIMEDOUT, -EILSEQ it died from SIGILL or another signal
 * (named), -EPROTO it said something else. */
int harness_probe(const char *program, const struct probe_request *request, struct probe *out,
                  struct err *err);
void harness_probe_fini(struct probe *p);

/* The child's half: measures in the calling process. out is owned as above. */
int harness_probe_self(const struct probe_request *request, struct probe *out, struct err *err);

/* The same as one line of JSON, for the child to print. The caller frees; NULL when memory ran out. */
char *harness_probe_line(const struct probe *p);

#endif
