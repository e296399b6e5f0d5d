/* Loading a shared object that holds a dataset, transforms or a consumer of the user's own; loaderbench/plugin.h is its contract. */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/err.h"
#include "base/tensor.h"
#include "loaderbench/plugin.h"

enum { PLUGIN_WHY = 256 }; /* room for a hook's own words */

struct plugin {
    void *handle;
    const struct loaderbench_plugin *is; /* borrowed, until plugin_close */
};

/* Cuts "FILE.so:ARGS" behind the first ".so"; returns ARGS, "" when there are none. */
char *plugin_split(char *spec);

/* Errors: -ENOENT and others of the file, -EBADMSG no plugin, another version, or a table that lacks what it must have;
 * the text names the file. */
int plugin_open(struct plugin *p, const char *path, struct err *err);
void plugin_close(struct plugin *p);

/* NULL when it has none of that name. */
const struct loaderbench_transform *plugin_transform(const struct plugin *p, const char *name);

/* NULL when it has none, or is of a version that had none. */
const struct loaderbench_consumer *plugin_consumer(const struct plugin *p);

/* Foreign code is not believed: `rehearse` runs in a child process, which ends when it returns.
 * Errors: -EBADMSG "PATH: it crashes when WHEN: Segmentation fault", or ends the process, or takes over a minute. */
int plugin_survives(const char *path, const char *when, void (*rehearse)(void *arg), void *arg,
                    struct err *err);

/* -EBADMSG "PATH: WHAT: WHY", for a hook that failed. */
int plugin_failed(const char *path, const char *what, const char *why, struct err *err);

struct loaderbench_shape plugin_shape_from(const struct tensor_shape *shape);

/* Errors: -EBADMSG a dtype, a number of dimensions or a size that is none; `what` names who said so. */
int plugin_shape_to(const char *what, const struct loaderbench_shape *shape, struct tensor_shape *out,
                    struct err *err);

#endif
