/* Samplers: in which order an epoch visits a map-style dataset. The built-in ones are made by name from one
 * struct of parameters; a custom one is a caller's own struct sampler. After torch.utils.data's samplers. */
#ifndef LOADER_SAMPLER_H
#define LOADER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "loader/generator.h"

/* A plain struct of hooks around `self`. Draws happen as late as the reference makes them: an epoch's first
 * when it is read, a last one when it is read past its end. */
struct sampler {
    const char *name; /* required; for messages */
    void *self;
    int64_t batch_max; /* > 0: this is a batch sampler, each read is one batch of at most so many indices */

    /* Required. Indices (batch sampler: batches) of an epoch; -1 = no end. */
    int64_t (*len)(void *self);
    /* Required. Starts an epoch; g is the loader's generator, borrowed until close. */
    int (*open)(void *self, struct generator *g, void **epoch, struct err *err);
    /* Required. Writes at most max indices, says how many; fewer than max only at the end (a batch sampler:
     * as many as the batch has), 0 at and after the end, or a negative errno. */
    int64_t (*read)(void *epoch, int64_t *out, int64_t max, struct err *err);
    /* Optional, NULL = nothing to do. */
    void (*close)(void *epoch);
    /* Optional, NULL = only the loader's: the generator this sampler draws from, for saving and resuming. */
    struct generator *(*generator)(void *self);
    /* Optional, NULL = the caller's storage. Frees self; called by sampler_destroy. */
    void (*destroy)(void *self);
};

/* What the built-in samplers take; each reads its own fields, all-zero fields are the defaults. Pointers are
 * borrowed and must outlive the sampler, `inner` too. */
struct sampler_params {
    int64_t n;                     /* length of the dataset ... */
    const struct dataset *dataset; /* ... or, if not NULL, asked anew each epoch */
    int64_t num_samples;           /* random, weighted: 0 = n */
    bool replacement;              /* random */
    struct generator *generator;   /* NULL = a private one, seeded by one draw of the loader's */
    const int64_t *indices;        /* subset_random: [n_indices] */
    int64_t n_indices;
    const double *weights;       /* weighted: [n] */
    int num_replicas, rank;      /* distributed */
    bool in_order;               /* distributed: shuffle = False */
    bool drop_last;              /* distributed, batch */
    uint64_t seed;               /* distributed */
    const struct sampler *inner; /* batch */
    int64_t batch_size;          /* batch */
};

/* One kind; sampler_kinds lists them all. */
struct sampler_kind {
    const char *name, *summary;
    /* Required. Fills out (all-zero but for the name) from the parameters; the errors are the reference's. */
    int (*create)(const struct sampler_params *params, struct sampler *out, struct err *err);
};

extern const struct sampler_kind *const sampler_kinds[]; /* ends in NULL */

/* Owner:  the caller, until sampler_destroy.
 * Errors: -EINVAL (a name or parameter that is no good), -ENOMEM. */
int sampler_create(const char *kind, const struct sampler_params *params, struct sampler **out,
                   struct err *err);
void sampler_destroy(struct sampler *s);

/* Distributed only: without it every epoch has the same order. */
void sampler_set_epoch(struct sampler *distributed, uint64_t epoch);

/* All indices of one epoch of an endable sampler, for tests and tables.
 * Owner: the caller frees *out. Errors: those of the sampler, -ENOMEM. */
int sampler_list(const struct sampler *s, struct generator *g, int64_t **out, int64_t *n, struct err *err);

#endif
