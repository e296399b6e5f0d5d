/* A saved state in memory, and its text. */
#ifndef LOADER_STATE_PRIVATE_H
#define LOADER_STATE_PRIVATE_H

#include "base/text.h"
#include "iter.h"

struct state_worker {
    int64_t answers;
    uint64_t drawn_at_start[LOADER_STREAMS], drawn[LOADER_STREAMS];
};

struct loader_state {
    /* What has to be equal in the loader that resumes. */
    int64_t batch_max;
    bool shuffle, drop_last, persistent, out_of_order, stream;

    int workers; /* 0 = inline */
    uint64_t seed, epoch;
    bool in_epoch;       /* in the middle of `epoch`; else before it */
    bool drew_base_seed; /* in this epoch (a persistent loader's later epochs draw none) */
    int64_t base_seed;
    int64_t sent, delivered, n_pending, next_worker;
    int64_t *pending;            /* [n_pending] */
    struct state_worker *worker; /* [max(workers, 1)] */
    struct generator generator, sampler_generator;
    bool has_sampler_generator;
};

void state_write(const struct loader_state *s, struct text *out);
/* Owner: the caller, until state_destroy. Errors: -EINVAL with the line, -ENOMEM. */
int state_read(struct loader_state **out, const char *text, struct err *err);
struct loader_state *state_create(int workers, int64_t n_pending);
void state_destroy(struct loader_state *s);

#endif
