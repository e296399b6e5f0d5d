/* The universal scalability law: how throughput grows, and falls again, with the number of workers.
 *
 *     X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))
 *
 * lambda: samples a second of one worker; sigma: share that has to wait its turn; kappa: cost of keeping
 * workers coherent. The peak lies at N = sqrt((1 - sigma) / kappa).
 * Source: Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 and 6. */
#ifndef RESULTS_STATS_SCALING_H
#define RESULTS_STATS_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "results/stats/interval.h"

struct stats_scaling_parameter {
    double value;
    struct interval ci;
};

struct stats_scaling {
    struct stats_scaling_parameter lambda_per_s, sigma, kappa;
    struct stats_scaling_parameter peak_workers; /* INFINITY = no peak */
    double peak_rate_per_s; /* at the peak, or at twice the most workers measured when it lies beyond */
    bool peak_beyond;       /* past twice the most workers measured: "not seen", not a number to quote */
    int most_workers;
    size_t n; /* invocations that could be fitted */
};

/* Fits each invocation by least squares on ln(cost) and takes medians with their order-statistic intervals over
 * invocations: no distribution of the noise is assumed, and swings common to an invocation go into lambda.
 * sigma and kappa may come out below 0 (throughput that grows faster than the workers); nothing is clipped.
 * Shapes: workers[npoints], from 1 up; cost_ns[ninvocations][npoints], NaN = not measured.
 * Errors: -EINVAL fewer than 4 different worker counts, or none of the invocations could be fitted; -ENOMEM. */
int stats_scaling(const int *workers, size_t npoints, const double *cost_ns, size_t ninvocations,
                  double level, struct stats_scaling *out, struct err *err);

/* Throughput at `workers`; *beyond tells that it is more than a factor of two past what was measured. */
double stats_scaling_rate(const struct stats_scaling *s, double workers, bool *beyond);

#endif
