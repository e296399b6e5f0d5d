/* Loading a shared object that holds a dataset or transforms of the user's own; loaderbench/plugin.h is its contract. */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/err.h"
#include "base/tensor.h"
#include "loaderbench/plugin.h"

struct plugin {
    void *handle;
    const struct loaderbench_plugin *is; /* borrowed, until plugin_close */
};

/* Errors: -ENOENT and others of the file, -EBADMSG no plugin, another version, or a table that lacks what it must have;
 * the text names the file. */
int plugin_open(struct plugin *p, const char *path, struct err *err);
void plugin_close(struct plugin *p);

/* NULL when it has none of that name. */
const struct loaderbench_transform *plugin_transform(const struct plugin *p, const char *name);

struct loaderbench_shape plugin_shape_from(const struct tensor_shape *shape);

/* Errors: -EBADMSG a dtype, a number of dimensions or a size that is none; `what` names who said so. */
int plugin_shape_to(const char *what, const struct loaderbench_shape *shape, struct tensor_shape *out,
                    struct err *err);

#endif
