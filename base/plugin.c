/* dlopen, and a look at whether what was found is a plugin of this version. */
#include "base/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)LOADERBENCH_F32 == (int)TENSOR_F32 && (int)LOADERBENCH_U8 == (int)TENSOR_U8 &&
                   (int)LOADERBENCH_I16 == (int)TENSOR_I16 && (int)LOADERBENCH_F64 == (int)TENSOR_F64,
               "one numbering of dtypes");

static int check(const struct loaderbench_plugin *is, const char *path, struct err *err)
{
    if (!is)
        return err_set(err, -EBADMSG, "%s: no symbol loaderbench_plugin in it", path);
    if (is->version != LOADERBENCH_PLUGIN_VERSION)
        return err_set(err, -EBADMSG, "%s: made for version %u of the plugin header, this is %d", path,
                       is->version, LOADERBENCH_PLUGIN_VERSION);
    if (is->struct_bytes != sizeof *is)
        return err_set(err, -EBADMSG, "%s: struct_bytes is %u, not %zu", path, is->struct_bytes, sizeof *is);
    if (!is->open != !is->get)
        return err_set(err, -EBADMSG, "%s: it has open or get, not both", path);
    if (is->transforms_n < 0 || (is->transforms_n > 0 && !is->transforms))
        return err_set(err, -EBADMSG, "%s: transforms_n is %d, and transforms is %s", path, is->transforms_n,
                       is->transforms ? "there" : "NULL");
    for (int i = 0; i < is->transforms_n; i++)
        if (!is->transforms[i].name || !is->transforms[i].run)
            return err_set(err, -EBADMSG, "%s: transform %d lacks its name or run", path, i);
    return 0;
}

int plugin_open(struct plugin *p, const char *path, struct err *err)
{
    *p = (struct plugin){0};
    char *absolute = realpath(path, NULL); /* without a slash the loader would search the system's folders */
    if (!absolute)
        return err_set_errno(err, -errno, "%s", path);
    p->handle = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
    free(absolute);
    if (!p->handle)
        return err_set(err, -EBADMSG, "%s: %s", path, dlerror());
    p->is = dlsym(p->handle, "loaderbench_plugin");
    int rc = check(p->is, path, err);
    if (rc)
        plugin_close(p);
    return rc;
}

void plugin_close(struct plugin *p)
{
    if (p->handle)
        dlclose(p->handle);
    *p = (struct plugin){0};
}

const struct loaderbench_transform *plugin_transform(const struct plugin *p, const char *name)
{
    for (int i = 0; i < p->is->transforms_n; i++)
        if (!strcmp(p->is->transforms[i].name, name))
            return &p->is->transforms[i];
    return NULL;
}

struct loaderbench_shape plugin_shape_from(const struct tensor_shape *shape)
{
    struct loaderbench_shape out = {.dtype = (int32_t)shape->dtype, .ndim = shape->ndim};
    memcpy(out.dim, shape->dim, sizeof out.dim);
    return out;
}

int plugin_shape_to(const char *what, const struct loaderbench_shape *shape, struct tensor_shape *out,
                    struct err *err)
{
    *out = (struct tensor_shape){0};
    if (shape->dtype < 0 || shape->dtype >= TENSOR_DTYPES)
        return err_set(err, -EBADMSG, "%s: a shape of dtype %d", what, shape->dtype);
    if (shape->ndim < 1 || shape->ndim > TENSOR_DIMS_MAX)
        return err_set(err, -EBADMSG, "%s: a shape of %d dimensions", what, shape->ndim);
    int64_t elements = 1;
    for (int i = 0; i < shape->ndim; i++) {
        if (shape->dim[i] < 1 || shape->dim[i] > (INT64_C(1) << 40) / elements)
            return err_set(err, -EBADMSG, "%s: a shape with a size of %lld", what, (long long)shape->dim[i]);
        elements *= shape->dim[i];
        out->dim[i] = shape->dim[i];
    }
    out->dtype = (enum tensor_dtype)shape->dtype;
    out->ndim = shape->ndim;
    return 0;
}
