/* Where a series changed its level for good: a step of at least some magnitude that lasts; a spike is none.
 *
 * The series is cut into segments of at least `least` values so that
 *     sum over segments of sum |x - median of its segment| / s  +  penalty x segments
 * is smallest, with s the noise, estimated from the differences of neighbours (so that steps do not count as noise) and
 * never below a quarter of the magnitude. A single outlier costs the same in every segmentation, so no segment is made
 * for it. Steps between neighbouring segments that are smaller than the magnitude are then taken back, the smallest first.
 * penalty = 1.5 ln n + 1: with normal noise and no change, a change is found in fewer than 1 of 100 series of 30 to 200
 * values (tests/results/test_change_point.c).
 * Source: optimal partitioning, Jackson et al. (2005), "An algorithm for optimal partitioning of data on an interval",
 * IEEE Signal Processing Letters 12, which PELT (Killick, Fearnhead and Eckley 2012) prunes; the absolute loss as in
 * Fearnhead and Rigaill (2019), "Changepoint detection in the presence of outliers", JASA 114. */
#ifndef RESULTS_STATS_CHANGE_POINT_H
#define RESULTS_STATS_CHANGE_POINT_H

#include <stddef.h>

#include "base/err.h"

enum { STATS_CHANGE_SERIES_MAX = 2000 };

/* A level: values from `from` up to (not including) `to`, and their median. */
struct stats_level_segment {
    size_t from, to;
    double median;
};

/* Segments of x[n], in order; one when nothing changed. least >= 1; magnitude > 0 in the units of x.
 * Shapes: out[n / least + 1]. Errors: -ERANGE n = 0 or above STATS_CHANGE_SERIES_MAX, -ENOMEM. */
int stats_change_points(const double *x, size_t n, size_t least, double magnitude,
                        struct stats_level_segment *out, size_t *nsegments, struct err *err);

#endif
