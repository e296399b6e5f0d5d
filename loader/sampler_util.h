/* What several samplers share: the dataset's length, a list of indices handed out piece by piece, and the
 * choice of a generator. */
#ifndef LOADER_SAMPLER_UTIL_H
#define LOADER_SAMPLER_UTIL_H

#include "loader/dataset.h"
#include "loader/sampler.h"

/* params.n, or what the dataset says now. */
int64_t sampler__n(const struct sampler_params *params);

/* An array of indices and how far it was handed out. */
struct index_list {
    int64_t *index;
    int64_t n, at;
};

int index_list_init(struct index_list *list, int64_t capacity, struct err *err);
int64_t index_list_read(struct index_list *list, int64_t *out, int64_t max);
void index_list_fini(struct index_list *list);

/* An epoch whose whole order is drawn when it is read first: what its sampler's read draws lies in `order`. */
struct drawn_epoch {
    const struct sampler_params *params;
    struct generator
        *from; /* the sampler's own, or the loader's itself, as the reference takes its global one */
    struct index_list order;
};

int sampler__drawn_open(void *self, struct generator *g, void **epoch, struct err *err);
void sampler__drawn_close(void *epoch);

/* -EINVAL in the reference's words: no number of samples to draw. */
int sampler__refuse_num_samples(int64_t n, struct err *err);

/* A copy of the parameters as a sampler's self; -ENOMEM. */
int sampler__keep(const struct sampler_params *params, struct sampler *out, struct err *err);

/* The generator an epoch draws from: the sampler's own, or `private`, seeded by one draw of the loader's. */
struct generator *sampler__pick(const struct sampler_params *params, struct generator *loaders,
                                struct generator *private);

/* Hooks for samplers whose self is a struct sampler_params. */
struct generator *sampler__own_generator(void *self);

#endif
