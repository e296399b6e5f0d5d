/* The cache-line latency matrix as a picture: which CPUs are close to each other. */
#ifndef PLOTS_LATENCY_H
#define PLOTS_LATENCY_H

#include "plots/plot.h"

/* Draws latency.svg, .png and what redraws them into opt->dir. round_trip_ns: [n][n], from the CPU of the row to
 * that of the column and back, NaN = not measured. cpus: [n] their numbers, NULL = 0, 1, ...
 * Errors: -ENODATA no value at all, -EINVAL n outside 2 to 1024, the rest as plot_draw. */
int plot_latency(const double *round_trip_ns, const int *cpus, size_t n, const struct plot_options *opt,
                 struct err *err);

#endif
