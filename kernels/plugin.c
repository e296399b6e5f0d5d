/* A transform of the user's own, in a shared object. */
#include "base/plugin.h"

#include <stdlib.h>

#include "common.h"

enum { ARG_FILE, ARG_NAME, ARG_TEXT };

struct plugged {
    struct plugin plugin;
    const struct loaderbench_transform *transform;
    void *self; /* the transform's */
};

static const struct kernel_arg args[] = {
    [ARG_FILE] = {.name = "file",
                  .kind = KERNEL_ARG_TEXT,
                  .help = "shared object (no colon or comma in its path)"},
    [ARG_NAME] = {.name = "name", .kind = KERNEL_ARG_TEXT, .help = "which of its transforms"},
    [ARG_TEXT] = {.name = "args", .kind = KERNEL_ARG_TEXT, .def = "", .help = "handed to it"},
};

static int failed(const struct kernel_plan *p, const char *why, struct err *err)
{
    return err_set(err, -EBADMSG, "%s: %s: %s", p->arg[ARG_FILE].text, p->arg[ARG_NAME].text,
                   why[0] ? why : "it failed without a reason");
}

static void plugged_free(void *self)
{
    struct plugged *g = self;
    if (!g)
        return;
    if (g->transform && g->transform->free)
        g->transform->free(g->self);
    plugin_close(&g->plugin);
    free(g);
}

static int plan_transform(struct kernel_plan *p, struct plugged *g, struct err *err)
{
    int rc = plugin_open(&g->plugin, p->arg[ARG_FILE].text, err);
    if (rc)
        return rc;
    const struct loaderbench_transform *t = plugin_transform(&g->plugin, p->arg[ARG_NAME].text);
    if (!t)
        return err_set(err, -EINVAL, "%s has no transform '%s'", p->arg[ARG_FILE].text,
                       p->arg[ARG_NAME].text);
    struct loaderbench_shape in = plugin_shape_from(&p->in), out = in;
    char why[PLUGIN_WHY] = "";
    if (t->plan && t->plan(p->arg[ARG_TEXT].text, &in, &out, &g->self, why, sizeof why))
        return failed(p, why, err);
    g->transform = t;
    return plugin_shape_to(p->arg[ARG_FILE].text, &out, &p->out, err);
}

static int plan(struct kernel_plan *p, struct err *err)
{
    struct plugged *g = calloc(1, sizeof *g);
    if (!g)
        return kernel__no_memory(err);
    int rc = plan_transform(p, g, err);
    if (rc) {
        plugged_free(g);
        return rc;
    }
    p->self = g;
    p->work.bytes = kernel__bytes(p, 0); /* its flops are its own secret */
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng;
    const struct plugged *g = p->self;
    struct loaderbench_shape shape = plugin_shape_from(&p->in);
    char why[PLUGIN_WHY] = "";
    return g->transform->run(g->self, &shape, in, out, why, sizeof why) ? failed(p, why, err) : 0;
}

const struct kernel kernel_plugin = {
    .name = "plugin",
    .help = "a transform of your own, see loaderbench/plugin.h",
    .takes = "what it says",
    .gives = "what it says",
    .formula = "its own",
    .source = "yours",
    .blas = "none of loaderbench's",
    .any_dtype = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .plan = plan,
    .free = plugged_free,
    .run = run,
};
