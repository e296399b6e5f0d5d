/* Consumers: training steps, emulated or the user's own. */
#include "harness/consumer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/name.h"
#include "base/unit.h"

/* A kernel on an accelerator: the process waits, its CPU is free. */
static int step_gpu(struct consumer *c, const struct batch *batch, struct err *err)
{
    (void)batch, (void)err;
    uint64_t until = clock_now_ns() + (uint64_t)c->step_ns;
    for (uint64_t now = clock_now_ns(); now < until; now = clock_now_ns())
        clock_sleep_ns(until - now);
    return 0;
}

/* A step on the CPU: one thread is busy. */
static int step_cpu(struct consumer *c, const struct batch *batch, struct err *err)
{
    (void)batch, (void)err;
    uint64_t until = clock_now_ns() + (uint64_t)c->step_ns;
    while (clock_now_ns() < until)
        ;
    return 0;
}

/* The user's own code. */
static int step_plugin(struct consumer *c, const struct batch *batch, struct err *err)
{
    char why[PLUGIN_WHY] = "";
    struct loaderbench_batch b = {.number = batch->number,
                                  .samples = batch->samples,
                                  .index = batch->index,
                                  .data = batch->data,
                                  .offset = batch->offset,
                                  .bytes = batch->bytes,
                                  .sample = c->sample};
    int rc = plugin_consumer(&c->plugin)->step(c->self, &b, why, sizeof why);
    return rc ? plugin_failed(c->file, "consumer", why, err) : 0;
}

static const struct consumer_kind none = {.name = "none", .help = "takes the next batch at once"};
static const struct consumer_kind gpu = {.name = "gpu",
                                         .help =
                                             "a step of that time on an accelerator: waits, its CPU is free",
                                         .takes = CONSUMER_TAKES_TIME,
                                         .step = step_gpu};
static const struct consumer_kind cpu = {.name = "cpu",
                                         .help = "a step of that time on the CPU: one thread is busy",
                                         .takes = CONSUMER_TAKES_TIME,
                                         .step = step_cpu};
static const struct consumer_kind own = {.name = "plugin",
                                         .help = "a step of your own on each batch, see loaderbench/plugin.h",
                                         .takes = CONSUMER_TAKES_PLUGIN,
                                         .step = step_plugin};

const struct consumer_kind *const consumer_kinds[] = {&none, &gpu, &cpu, &own, NULL};

enum { KINDS = sizeof consumer_kinds / sizeof *consumer_kinds - 1 };

static int find(const char *name, size_t n, const struct consumer_kind **out, struct err *err)
{
    const char *names[KINDS];
    char given[32];
    for (int i = 0; i < KINDS; i++) {
        names[i] = consumer_kinds[i]->name;
        if (strlen(names[i]) == n && !strncmp(names[i], name, n)) {
            *out = consumer_kinds[i];
            return 0;
        }
    }
    snprintf(given, sizeof given, "%.*s", n < 31 ? (int)n : 31, name);
    int near = name_nearest(given, names, KINDS);
    return err_set(err, -EINVAL, "unknown consumer '%s'%s%s%s", given, near < 0 ? "" : " (did you mean '",
                   near < 0 ? "" : names[near], near < 0 ? "" : "'?)");
}

static int parse_plugin(const char *text, struct consumer *out, struct err *err)
{
    size_t n = strlen(text);
    if (n >= sizeof out->file)
        return err_set(err, -ENAMETOOLONG, "consumer 'plugin': a path of %zu letters, at most %zu", n,
                       sizeof out->file - 1);
    memcpy(out->file, text, n + 1);
    out->args = plugin_split(out->file);
    if (!out->file[0])
        return err_set(err, -EINVAL, "consumer 'plugin' wants a file: 'plugin:FILE.so[:ARGS]'");
    return 0;
}

int consumer_parse(const char *text, struct consumer *out, struct err *err)
{
    *out = (struct consumer){.kind = &none};
    if (!text)
        return 0;
    size_t n = strcspn(text, "=:");
    int rc = find(text, n, &out->kind, err);
    if (rc)
        return rc;
    const char *name = out->kind->name, *behind = text + n;
    switch (out->kind->takes) {
    case CONSUMER_TAKES_TIME:
        if (*behind != '=')
            return err_set(err, -EINVAL, "consumer '%s' wants the time of a step: '%s=5ms'", text, name);
        return unit_parse_ns("consumer", behind + 1, 1, 3600e9, &out->step_ns, err);
    case CONSUMER_TAKES_PLUGIN:
        return parse_plugin(*behind == ':' ? behind + 1 : "", out, err);
    case CONSUMER_TAKES_NOTHING:
        break;
    }
    return *behind ? err_set(err, -EINVAL, "consumer '%s' takes no time: '%s'", name, text) : 0;
}

bool consumer_has_step(const struct consumer *c)
{
    return c->kind->step != NULL;
}

int consumer_open(struct consumer *c, const struct tensor_shape *sample, int64_t batch_size, struct err *err)
{
    if (c->kind->takes != CONSUMER_TAKES_PLUGIN)
        return 0;
    int rc = plugin_open(&c->plugin, c->file, err);
    if (rc)
        return rc;
    const struct loaderbench_consumer *own_code = plugin_consumer(&c->plugin);
    if (!own_code)
        return err_set(err, -EBADMSG, "%s: it has no consumer%s", c->file,
                       c->plugin.is->version < 2 ? " (made for version 1 of the plugin header)" : "");
    char why[PLUGIN_WHY] = "";
    c->sample = plugin_shape_from(sample);
    if (own_code->open && own_code->open(c->args, &c->sample, batch_size, &c->self, why, sizeof why))
        return plugin_failed(c->file, "consumer: open", why, err);
    c->opened = true;
    return 0;
}

void consumer_close(struct consumer *c)
{
    if (c->opened && plugin_consumer(&c->plugin)->close)
        plugin_consumer(&c->plugin)->close(c->self);
    c->opened = false;
    c->self = NULL;
    plugin_close(&c->plugin);
}

struct rehearsal {
    struct consumer *c;
    const struct tensor_shape *sample;
    int64_t batch_size;
};

static void rehearse(void *arg)
{
    const struct rehearsal *r = arg;
    int64_t index = 0;
    size_t offset[2] = {0, tensor_bytes(r->sample)}, bytes = offset[1];
    unsigned char *zeros = aligned_alloc(64, (bytes + 63) / 64 * 64);
    struct batch batch = {.samples = 1, .index = &index, .data = zeros, .offset = offset, .bytes = &bytes};
    if (zeros && !consumer_open(r->c, r->sample, r->batch_size, NULL)) {
        memset(zeros, 0, bytes);
        step_plugin(r->c, &batch, NULL);
        consumer_close(r->c);
    }
    free(zeros);
}

int consumer_rehearse(struct consumer *c, const struct tensor_shape *sample, int64_t batch_size,
                      struct err *err)
{
    if (c->kind->takes != CONSUMER_TAKES_PLUGIN)
        return 0;
    struct plugin looked_at; /* what is no plugin is told before anything runs */
    int rc = plugin_open(&looked_at, c->file, err);
    rc = rc ? rc
            : plugin_survives(c->file, "given a batch", rehearse, &(struct rehearsal){c, sample, batch_size},
                              err);
    rc = rc ? rc : consumer_open(c, sample, batch_size, err);
    consumer_close(c);
    plugin_close(&looked_at);
    return rc;
}
