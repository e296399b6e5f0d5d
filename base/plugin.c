/* dlopen, and a look at whether what was found is a plugin of a version that is known; trying it in a child. */
#include "base/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert((int)LOADERBENCH_F32 == (int)TENSOR_F32 && (int)LOADERBENCH_U8 == (int)TENSOR_U8 &&
                   (int)LOADERBENCH_I16 == (int)TENSOR_I16 && (int)LOADERBENCH_F64 == (int)TENSOR_F64,
               "one numbering of dtypes");

enum { REHEARSAL_S = 60 };

/* Version 1 ended before the consumer. */
static size_t bytes_of_version(uint32_t version)
{
    return version == 1 ? offsetof(struct loaderbench_plugin, consumer) : sizeof(struct loaderbench_plugin);
}

static int check(const struct loaderbench_plugin *is, const char *path, struct err *err)
{
    if (!is)
        return err_set(err, -EBADMSG, "%s: no symbol loaderbench_plugin in it", path);
    if (is->version < 1 || is->version > LOADERBENCH_PLUGIN_VERSION)
        return err_set(err, -EBADMSG, "%s: made for version %u of the plugin header, this is 1 to %d", path,
                       is->version, LOADERBENCH_PLUGIN_VERSION);
    if (is->struct_bytes != bytes_of_version(is->version))
        return err_set(err, -EBADMSG, "%s: struct_bytes is %u, not the %zu of version %u", path,
                       is->struct_bytes, bytes_of_version(is->version), is->version);
    if (!is->open != !is->get)
        return err_set(err, -EBADMSG, "%s: it has open or get, not both", path);
    if (is->transforms_n < 0 || (is->transforms_n > 0 && !is->transforms))
        return err_set(err, -EBADMSG, "%s: transforms_n is %d, and transforms is %s", path, is->transforms_n,
                       is->transforms ? "there" : "NULL");
    for (int i = 0; i < is->transforms_n; i++)
        if (!is->transforms[i].name || !is->transforms[i].run)
            return err_set(err, -EBADMSG, "%s: transform %d lacks its name or run", path, i);
    if (is->version >= 2 && is->consumer && !is->consumer->step)
        return err_set(err, -EBADMSG, "%s: its consumer lacks step", path);
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

const struct loaderbench_consumer *plugin_consumer(const struct plugin *p)
{
    return p->is->version >= 2 ? p->is->consumer : NULL;
}

char *plugin_split(char *spec)
{
    char *end = strstr(spec, ".so:");
    if (!end)
        return spec + strlen(spec);
    end[3] = '\0';
    return end + 4;
}

int plugin_failed(const char *path, const char *what, const char *why, struct err *err)
{
    return err_set(err, -EBADMSG, "%s: %s: %s", path, what, why[0] ? why : "it failed without a reason");
}

int plugin_survives(const char *path, const char *when, void (*rehearse)(void *arg), void *arg,
                    struct err *err)
{
    pid_t child = fork();
    if (child < 0)
        return err_set_errno(err, -errno, "%s: no process to try it in", path);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(REHEARSAL_S);
        rehearse(arg);
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(err, -errno, "%s", path);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return err_set(err, -EBADMSG, "%s: it takes over %d s when %s", path, REHEARSAL_S, when);
    if (WIFSIGNALED(status))
        return err_set(err, -EBADMSG, "%s: it crashes when %s: %s", path, when, strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status))
        return err_set(err, -EBADMSG, "%s: it ends the process when %s, with status %d", path, when,
                       WEXITSTATUS(status));
    return 0;
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
