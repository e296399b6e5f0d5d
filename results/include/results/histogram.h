/* A log-linear histogram of times in ns: 64 powers of two, each in 32 equal steps, so a value is known
 * within 3.2 %. Merging two is exact. After Gil Tene's HdrHistogram (the bucketing). */
#ifndef RESULTS_HISTOGRAM_H
#define RESULTS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 32, HISTOGRAM_BUCKETS = 60 * HISTOGRAM_STEPS };

/* Caller's storage; all-zero is empty. */
struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t max; /* exact */
};

void histogram_add(struct histogram *h, uint64_t value_ns);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Bucket of a value, and the half-open range of values [low, high) a bucket holds. */
size_t histogram_bucket(uint64_t value_ns);
uint64_t histogram_low(size_t bucket);
uint64_t histogram_high(size_t bucket);

/* Value at quantile p in (0, 1]: middle of its bucket, capped by the maximum; NaN when empty. */
double histogram_quantile(const struct histogram *h, double p);

#endif
