/* What the consumer does with a batch while the loader makes the next ones: nothing, a step of a training emulated, or code
 * of the user's own. */
#ifndef HARNESS_CONSUMER_H
#define HARNESS_CONSUMER_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/plugin.h"
#include "base/tensor.h"
#include "loader/loader.h"

struct consumer;

/* What stands behind the kind's name. */
enum consumer_takes {
    CONSUMER_TAKES_NOTHING,
    CONSUMER_TAKES_TIME,   /* "gpu=5ms" */
    CONSUMER_TAKES_PLUGIN, /* "plugin:FILE.so[:ARGS]" */
};

/* A kind of step. One entry in the list of consumer.c. */
struct consumer_kind {
    const char *name; /* required: "gpu" */
    const char *help; /* required; one line */
    enum consumer_takes takes;
    /* Optional, NULL = there is no step. Errors: what a plugin says of it, naming its file. */
    int (*step)(struct consumer *c, const struct batch *batch, struct err *err);
};

/* All kinds; ends with NULL. */
extern const struct consumer_kind *const consumer_kinds[];

struct consumer {
    const struct consumer_kind *kind;
    double step_ns;
    char file[PATH_MAX]; /* of a plugin; args point into it */
    const char *args;
    struct plugin plugin;            /* from here on: once it is open */
    struct loaderbench_shape sample; /* as it is told to the plugin */
    void *self;                      /* the plugin's */
    bool opened;
};

/* "none", "gpu=120ms", "cpu=5ms", "plugin:./mine.so:args"; NULL is "none". Loads nothing yet.
 * Errors: -EINVAL unknown kind (with the nearest), no duration or no file, -ERANGE, -ENAMETOOLONG. */
int consumer_parse(const char *text, struct consumer *out, struct err *err);

/* Does it keep the consumer from asking for the next batch at once? */
bool consumer_has_step(const struct consumer *c);

/* Loads a plugin and opens its consumer for batches of such samples; of other kinds there is nothing to open.
 * Owner:  the caller, until consumer_close, which may be called after a failure and twice.
 * Errors: those of plugin_open; -EBADMSG it has no consumer, or what its open says. */
int consumer_open(struct consumer *c, const struct tensor_shape *sample, int64_t batch_size, struct err *err);
void consumer_close(struct consumer *c);

/* Tries a plugin in a child process, on a batch of one sample of zeros, and its open once more here, for what it says.
 * Errors: those of consumer_open; -EBADMSG it crashes. */
int consumer_rehearse(struct consumer *c, const struct tensor_shape *sample, int64_t batch_size,
                      struct err *err);

#endif
