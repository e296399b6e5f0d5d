/* Who am I: asked from inside a dataset's hooks or the worker_init hook. After PyTorch's get_worker_info. */
#ifndef LOADER_WORKER_INFO_H
#define LOADER_WORKER_INFO_H

#include <stdint.h>

struct dataset;

struct worker_info {
    int id; /* 0 .. num_workers - 1 */
    int num_workers;
    int64_t seed; /* base seed + id */
    const struct dataset *dataset;
};

/* The calling worker's info (one for each process or thread); NULL in the consumer, inline loading included.
 * Owner: borrowed, valid while the worker lives. */
const struct worker_info *loader_worker_info(void);

#endif
