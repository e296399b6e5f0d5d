/* A dataset of the user's own, in a shared object.
 *
 * It is foreign code: before it is believed, a child process opens it and takes the first sample, so that a crash there
 * is an error that names the file. */
#include "base/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

enum { WHY_BYTES = 256, ALIGNMENT = 64 };

struct plugged {
    struct plugin plugin;
    void *self; /* the plugin's */
    bool opened;
};

/* "FILE.so[:ARGS]": args begin behind the first ".so:". */
static char *split_args(char *spec)
{
    char *end = strstr(spec, ".so:");
    if (!end)
        return spec + strlen(spec);
    end[3] = '\0';
    return end + 4;
}

static int failed(const char *path, const char *what, const char *why, struct err *err)
{
    return err_set(err, -EBADMSG, "%s: %s: %s", path, what, why[0] ? why : "it failed without a reason");
}

static int open_plugin(struct data_source *s, struct plugged *g, const char *args, struct err *err)
{
    char why[WHY_BYTES] = "";
    struct loaderbench_shape shape = {0};
    int64_t samples = 0;
    if (g->plugin.is->open(args, &g->self, &samples, &shape, why, sizeof why))
        return failed(s->path[0], "open", why, err);
    g->opened = true;
    if (samples < 1)
        return err_set(err, -EBADMSG, "%s: open: %lld samples", s->path[0], (long long)samples);
    s->info.samples = samples;
    s->info.varies = true; /* get may say so for each */
    return plugin_shape_to(s->path[0], &shape, &s->info.shape, err);
}

static void *sample_memory(const struct data_source *s)
{
    size_t bytes = (tensor_bytes(&s->info.shape) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_alloc(ALIGNMENT, bytes);
}

/* In the child. Its exit status is all that is looked at; what it has to say is said again by the parent. */
static void rehearse(struct data_source *s, struct plugged *g, const char *args)
{
    int rc = open_plugin(s, g, args, NULL);
    void *out = rc ? NULL : sample_memory(s);
    struct loaderbench_shape shape = plugin_shape_from(&s->info.shape);
    char why[WHY_BYTES];
    if (out)
        g->plugin.is->get(g->self, 0, out, &shape, why, sizeof why);
    if (!rc && g->plugin.is->close)
        g->plugin.is->close(g->self);
    _exit(0);
}

static int survives(struct data_source *s, struct plugged *g, const char *args, struct err *err)
{
    pid_t child = fork();
    if (child < 0)
        return err_set_errno(err, -errno, "%s: no process to try it in", s->path[0]);
    if (child == 0)
        rehearse(s, g, args);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(err, -errno, "%s", s->path[0]);
    if (WIFSIGNALED(status))
        return err_set(err, -EBADMSG, "%s: it crashes when opened: %s", s->path[0],
                       strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status))
        return err_set(err, -EBADMSG, "%s: it ends the process when opened, with status %d", s->path[0],
                       WEXITSTATUS(status));
    return 0;
}

static int plugin_source_open(struct data_source *s, char *spec, struct err *err)
{
    const char *args = split_args(spec);
    int rc = data__find_files(s, spec, NULL, err);
    struct plugged *g = s->self = rc ? NULL : calloc(1, sizeof *g);
    if (!rc && !g)
        rc = err_set(err, -ENOMEM, "%s: no memory", spec);
    if (!rc && s->paths != 1)
        rc = err_set(err, -EISDIR, "%s: a directory, not a plugin", spec);
    if (!rc)
        rc = plugin_open(&g->plugin, s->path[0], err);
    if (!rc && !g->plugin.is->open)
        rc = err_set(err, -EBADMSG, "%s: it has transforms only, no dataset", s->path[0]);
    if (!rc)
        rc = survives(s, g, args, err);
    return rc ? rc : open_plugin(s, g, args, err);
}

static void plugin_source_close(struct data_source *s)
{
    struct plugged *g = s->self;
    if (!g)
        return;
    if (g->opened && g->plugin.is->close)
        g->plugin.is->close(g->self);
    plugin_close(&g->plugin);
    free(g);
}

static int reader_open(struct data_source *s, int worker, int workers, void **reader, struct err *err)
{
    (void)worker, (void)workers;
    *reader = sample_memory(s);
    return *reader ? 0 : err_set(err, -ENOMEM, "%s: no memory for a sample", s->path[0]);
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    const struct plugged *g = s->self;
    struct loaderbench_shape shape = plugin_shape_from(&s->info.shape);
    char why[WHY_BYTES] = "";
    if (g->plugin.is->get(g->self, index, reader, &shape, why, sizeof why))
        return failed(s->path[0], "get", why, err);
    int rc = plugin_shape_to(s->path[0], &shape, &view->shape, err);
    if (!rc && tensor_bytes(&view->shape) > tensor_bytes(&s->info.shape))
        rc = err_set(err, -EBADMSG, "%s: sample %lld is larger than open said", s->path[0], (long long)index);
    view->data = reader;
    return rc;
}

const struct data_format data_plugin = {
    .name = "plugin",
    .usage = "plugin:FILE.so[:ARGS]",
    .help = "a dataset of your own, see loaderbench/plugin.h",
    .open = plugin_source_open,
    .close = plugin_source_close,
    .reader_open = reader_open,
    .reader_close = free,
    .get = get,
};
