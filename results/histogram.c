/* Log-linear buckets: below 32 one for each value, above that 32 for each power of two. */
#include "results/histogram.h"

#include <assert.h>
#include <math.h>

enum { STEP_BITS = 5 };
_Static_assert(HISTOGRAM_STEPS == 1 << STEP_BITS, "a bucket's number is read off the value's top bits");

size_t histogram_bucket(uint64_t value_ns)
{
    if (value_ns < HISTOGRAM_STEPS)
        return (size_t)value_ns;
    int exponent = 63 - __builtin_clzll(value_ns);
    int shift = exponent - STEP_BITS;
    return (size_t)(shift + 1) * HISTOGRAM_STEPS + (size_t)(value_ns >> shift) - HISTOGRAM_STEPS;
}

uint64_t histogram_low(size_t bucket)
{
    assert(bucket < HISTOGRAM_BUCKETS);
    if (bucket < HISTOGRAM_STEPS)
        return bucket;
    size_t shift = bucket / HISTOGRAM_STEPS - 1;
    return (uint64_t)(HISTOGRAM_STEPS + bucket % HISTOGRAM_STEPS) << shift;
}

uint64_t histogram_high(size_t bucket)
{
    assert(bucket < HISTOGRAM_BUCKETS);
    return bucket + 1 < HISTOGRAM_BUCKETS ? histogram_low(bucket + 1) : UINT64_MAX;
}

void histogram_add(struct histogram *h, uint64_t value_ns)
{
    h->count[histogram_bucket(value_ns)]++;
    h->total++;
    if (value_ns > h->max)
        h->max = value_ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->count[i] += from->count[i];
    into->total += from->total;
    if (from->max > into->max)
        into->max = from->max;
}

static double middle(const struct histogram *h, size_t bucket)
{
    uint64_t low = histogram_low(bucket);
    double width = bucket < HISTOGRAM_STEPS ? 0 : (double)(histogram_high(bucket) - low);
    double value = (double)low + width / 2;
    return value < (double)h->max ? value : (double)h->max;
}

double histogram_quantile(const struct histogram *h, double p)
{
    assert(p > 0 && p <= 1);
    if (h->total == 0)
        return NAN;
    if (p == 1)
        return (double)h->max;
    double wanted = ceil(p * (double)h->total);
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->count[i];
        if ((double)seen >= wanted)
            return middle(h, i);
    }
    return (double)h->max;
}
