/* What the consumer does with a batch while the loader makes the next ones: nothing, or a step of a training emulated. */
#ifndef HARNESS_CONSUMER_H
#define HARNESS_CONSUMER_H

#include <stdbool.h>

#include "base/err.h"

/* A kind of step. One entry in the list of consumer.c. */
struct consumer_kind {
    const char *name; /* required: "gpu" */
    const char *help; /* required; one line */
    bool takes_time;  /* "gpu=5ms" */
    /* Optional, NULL = there is no step. */
    void (*step)(double ns);
};

/* All kinds; ends with NULL. */
extern const struct consumer_kind *const consumer_kinds[];

struct consumer {
    const struct consumer_kind *kind;
    double step_ns;
};

/* "none", "gpu=120ms", "cpu=5ms"; NULL is "none".
 * Errors: -EINVAL unknown kind (with the nearest) or no duration, -ERANGE. */
int consumer_parse(const char *text, struct consumer *out, struct err *err);

/* Does it keep the consumer from asking for the next batch at once? */
bool consumer_has_step(const struct consumer *c);

#endif
