/* A dataset of the user's own, in a shared object.
 *
 * It is foreign code: before it is believed, a child process opens it and takes the first sample, so that a crash there
 * is an error that names the file. */
#include "base/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { ALIGNMENT = 64 };

struct plugged {
    struct plugin plugin;
    void *self; /* the plugin's */
    bool opened;
};

static int open_plugin(struct data_source *s, struct plugged *g, const char *args, struct err *err)
{
    char why[PLUGIN_WHY] = "";
    struct loaderbench_shape shape = {0};
    int64_t samples = 0;
    if (g->plugin.is->open(args, &g->self, &samples, &shape, why, sizeof why))
        return plugin_failed(s->path[0], "open", why, err);
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

/* What is tried in a child. */
struct rehearsal {
    struct data_source *s;
    struct plugged *g;
    const char *args;
};

/* What it has to say is said again by the parent. */
static void rehearse(void *arg)
{
    const struct rehearsal *r = arg;
    int rc = open_plugin(r->s, r->g, r->args, NULL);
    void *out = rc ? NULL : sample_memory(r->s);
    struct loaderbench_shape shape = plugin_shape_from(&r->s->info.shape);
    char why[PLUGIN_WHY];
    if (out)
        r->g->plugin.is->get(r->g->self, 0, out, &shape, why, sizeof why);
    if (!rc && r->g->plugin.is->close)
        r->g->plugin.is->close(r->g->self);
    free(out);
}

static int plugin_source_open(struct data_source *s, char *spec, struct err *err)
{
    const char *args = plugin_split(spec);
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
        rc = plugin_survives(s->path[0], "opened", rehearse, &(struct rehearsal){s, g, args}, err);
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
    char why[PLUGIN_WHY] = "";
    if (g->plugin.is->get(g->self, index, reader, &shape, why, sizeof why))
        return plugin_failed(s->path[0], "get", why, err);
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
