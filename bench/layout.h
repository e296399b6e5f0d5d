/* Where workers would run: the plan of a placement as a picture in text. */
#ifndef BENCH_LAYOUT_H
#define BENCH_LAYOUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "bench/option.h"

struct layout_ask {
    const char *topology, *allowed;     /* as harness_topology_parse; NULL = this machine, all */
    const struct bench_words *affinity; /* none = every policy */
    int workers, threads;
    bool reserve_main;
};

/* Errors: -EINVAL of topology, list or policy; those of a topology's file. */
int layout_draw(const struct layout_ask *ask, struct text *out, struct err *err);

#endif
