/* What the counters of an arm say: medians over its invocations, and the figures that follow from them. What cannot be
 * known is NaN with the reason, never 0. */
#ifndef RESULTS_COUNTED_H
#define RESULTS_COUNTED_H

#include "results/record.h"

struct counted {
    double value, share; /* a sample; share of the time it counted */
    char reason[256];    /* "" = available */
};

/* A counter of an arm, or the part of one ("consumer", "worker 0"; NULL = the whole). */
struct counted result_counted(const struct result *r, int arm, const char *counter, const char *who);

enum derived_figure {
    DERIVED_IPC,           /* instructions a cycle: PAPI_TOT_INS / PAPI_TOT_CYC */
    DERIVED_STALLED,       /* share of cycles: PAPI_RES_STL / PAPI_TOT_CYC */
    DERIVED_L2_MISSES,     /* a sample: PAPI_L2_TCM */
    DERIVED_L3_MISSES,     /* a sample: PAPI_L3_TCM */
    DERIVED_GFLOP_PER_S,   /* of one maker: declared flops of the transforms / item_ns */
    DERIVED_COUNTED_GFLOP, /* of one maker: PAPI_FP_OPS / item_ns */
    DERIVED_PEAK_SHARE,    /* of the declared flops' rate in threads x cpu.peak of the environment */
    DERIVED_FIGURES,
};

/* "IPC", "GFLOP/s (declared)"; for people. */
extern const char *const result_derived_names[DERIVED_FIGURES];

/* Median over the invocations that count. Shapes: out[DERIVED_FIGURES]. Errors: -ENOMEM. */
int result_derived(const struct result *r, int arm, struct counted *out, struct err *err);

#endif
