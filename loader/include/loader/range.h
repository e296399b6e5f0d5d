/* Datasets of whole numbers, to see what a loader does: each sample is its number and the first draw of the
 * worker's torch-like stream. */
#ifndef LOADER_RANGE_H
#define LOADER_RANGE_H

#include <stdbool.h>

#include "loader/dataset.h"
#include "loader/shard.h"

/* What a sample holds. */
struct range_sample {
    int64_t value;
    float rand;
};

struct range_data {
    struct dataset dataset; /* self points here: do not move */
    int64_t start, end;
    bool stream;
    enum loader_shard shard; /* stream only */
};

/* From "range-map:N" (0 .. N - 1) or "range-iter:START:END[:SHARD]" (SHARD none, stride or contiguous; default
 * none). Errors: -EINVAL, -ERANGE with what is wrong. */
int range_data_init(struct range_data *out, const char *spec, struct err *err);

#endif
