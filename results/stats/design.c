/* Block orders by Williams squares, drawn by counters so that any block can be had without those before it.
 */
#include "results/stats/design.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/counter_rng.h"

/* Streams of the counter generator: far from the epochs that the loader draws its samples by. */
#define STREAM_BLOCKS (UINT64_C(1) << 62)
#define STREAM_WARMUP (UINT64_C(1) << 62 | 1)
#define STREAM_CPUS (UINT64_C(1) << 62 | 2)

static void shuffle(struct counter_rng *rng, int *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = counter_rng_below(rng, (uint32_t)i);
        int swapped = x[i - 1];
        x[i - 1] = x[j];
        x[j] = swapped;
    }
}

size_t stats_design_slots(size_t narms)
{
    return narms == 2 ? 4 : narms;
}

size_t stats_design_cycle(size_t narms)
{
    if (narms <= 2)
        return narms;
    return narms % 2 == 0 ? narms : 2 * narms;
}

/* Label in `slot` of row `row`: the zigzag 0, 1, k-1, 2, k-2, ... shifted by the row; differences between
 * neighbours run through 1 .. k-1 once when k is even, and through each twice over a row and its mirror image
 * when k is odd. */
static size_t williams(size_t k, size_t row, size_t slot)
{
    if (row >= k) {
        row -= k;
        slot = k - 1 - slot;
    }
    size_t zigzag = slot % 2 == 1 ? (slot + 1) / 2 : (k - slot / 2) % k;
    return (zigzag + row) % k;
}

static void fill_row(size_t k, size_t row, const int *relabelled, int *order)
{
    static const size_t abba[4] = {0, 1, 1, 0};
    for (size_t slot = 0; slot < stats_design_slots(k); slot++) {
        size_t label = k == 2 ? abba[slot] ^ row : williams(k, row, slot);
        order[slot] = relabelled[label];
    }
}

int stats_design_block(const struct stats_design *d, int invocation, int block, const int *arms, size_t narms,
                       int *order)
{
    assert(narms >= 1 && narms <= STATS_DESIGN_MAX_SLOTS);
    assert(block >= 0 && d->blocks >= 1 && block <= d->blocks && invocation >= d->first_invocation);
    size_t cycle = stats_design_cycle(narms);
    uint64_t from_first = (uint64_t)(invocation - d->first_invocation);
    uint64_t nth = from_first * (uint64_t)d->blocks + (uint64_t)(block > 0 ? block - 1 : 0);

    struct counter_rng rng;
    if (block == 0)
        counter_rng_init(&rng, d->seed, STREAM_WARMUP, (uint64_t)invocation);
    else
        counter_rng_init(&rng, d->seed ^ (uint64_t)d->first_invocation << 32, STREAM_BLOCKS, nth / cycle);

    int *drawn = calloc(cycle + narms, sizeof *drawn);
    if (!drawn)
        return -ENOMEM;
    int *rows = drawn, *relabelled = drawn + cycle;
    for (size_t i = 0; i < cycle; i++)
        rows[i] = (int)i;
    for (size_t i = 0; i < narms; i++)
        relabelled[i] = arms[i];
    shuffle(&rng, rows, cycle);
    shuffle(&rng, relabelled, narms);
    fill_row(narms, (size_t)rows[nth % cycle], relabelled, order);
    free(drawn);
    return 0;
}

void stats_design_cpus(uint64_t seed, int invocation, int *cpus, size_t n)
{
    struct counter_rng rng;
    counter_rng_init(&rng, seed, STREAM_CPUS, (uint64_t)invocation);
    shuffle(&rng, cpus, n);
}

size_t stats_design_groups(size_t narms, size_t capacity, size_t reference, size_t *group)
{
    assert(narms >= 1 && reference < narms && (capacity >= 2 || narms == 1));
    if (narms <= capacity) {
        for (size_t a = 0; a < narms; a++)
            group[a] = 0;
        return 1;
    }
    size_t ngroups = (narms - 1 + capacity - 2) / (capacity - 1);
    size_t next = 0;
    for (size_t a = 0; a < narms; a++)
        group[a] = a == reference ? 0 : next++ % ngroups;
    return ngroups;
}

double stats_design_next_look(double valid, double most, int left)
{
    return fmax(2 * valid, valid * pow(most / valid, 1.0 / left));
}
