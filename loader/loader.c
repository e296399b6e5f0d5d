/* Making a loader: checks, defaults, default samplers, the forecast. */
#include "loader/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "iter.h"
#include "sampler_util.h"
#include "state.h"

enum { WARNING_BYTES = 512 };

void loader__warn(struct loader *l, enum loader_told what, const char *fmt, ...)
{
    if (!l->cfg.warn || (l->told & what))
        return;
    l->told |= what;
    char text[WARNING_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    l->cfg.warn(l->cfg.warn_arg, text);
}

static void set_defaults(struct loader *l, const struct loader_config *cfg)
{
    l->cfg = *cfg;
    if (!l->cfg.batch_size)
        l->cfg.batch_size = 1;
    if (l->cfg.num_workers && !l->cfg.prefetch_factor)
        l->cfg.prefetch_factor = 2;
    l->seed = cfg->seed;
    l->len_told = -1;
    generator_seed(&l->own, cfg->seed);
    l->generator = cfg->generator ? cfg->generator : &l->own;
    l->inline_context.info = (struct worker_info){.id = -1, .seed = -1, .dataset = cfg->dataset};
    l->inline_context.seed = cfg->seed;
    loader_streams_seed(&l->inline_context.streams, (int64_t)cfg->seed, 0);
}

/* The sampler of indices: the caller's, or sequential, or random off the loader's generator. */
static int choose_sampler(struct loader *l, const struct sampler **out, struct err *err)
{
    const struct loader_config *cfg = &l->cfg;
    *out = cfg->sampler;
    if (cfg->sampler)
        return 0;
    struct sampler_params params = {.dataset = cfg->dataset, .generator = l->generator};
    int64_t n = cfg->dataset->len(cfg->dataset->self);
    if (cfg->shuffle && n <= 0)
        return sampler__refuse_num_samples(n, err);
    int rc = sampler_create(cfg->shuffle ? "random" : "sequential", &params, &l->made[0], err);
    *out = l->made[0];
    return rc;
}

static int choose_order(struct loader *l, struct err *err)
{
    const struct loader_config *cfg = &l->cfg;
    bool batching = cfg->batch_size != LOADER_BATCHING_OFF;
    l->batch_max = batching ? cfg->batch_size : 1;
    if (cfg->batch_sampler) {
        l->order = cfg->batch_sampler;
        l->batch_max = l->order->batch_max;
    }
    if (!cfg->dataset->get || cfg->batch_sampler)
        return 0;
    const struct sampler *indices;
    int rc = choose_sampler(l, &indices, err);
    if (rc)
        return rc;
    if (!batching) {
        l->order = indices;
        l->batch_max = indices->batch_max > 0 ? indices->batch_max : 1;
        return 0;
    }
    struct sampler_params params = {
        .inner = indices, .batch_size = cfg->batch_size, .drop_last = cfg->drop_last};
    rc = sampler_create("batch", &params, &l->made[1], err);
    l->order = l->made[1];
    return rc;
}

static int plan_memory(struct loader *l, struct err *err)
{
    int rc = shared_layout_init(&l->layout, &l->cfg, l->batch_max);
    if (rc)
        return err_set(err, rc,
                       "batches of %" PRId64 " samples of %zu bytes do not fit into an address space",
                       l->batch_max, l->cfg.dataset->sample_bytes_max);
    return loader__check_room(l->layout.total_bytes, err);
}

static void warn_of_crowd(struct loader *l)
{
    int cpus = loader__cpus();
    if (l->cfg.num_workers > cpus)
        loader__warn(
            l, TOLD_CPUS,
            "this loader will start %d workers, more than the %d CPUs that this process may use: it may "
            "run slow or even freeze; consider fewer",
            l->cfg.num_workers, cpus);
}

int loader_create(const struct loader_config *cfg, struct loader **out, struct err *err)
{
    *out = NULL;
    int rc = loader__check_config(cfg, err);
    if (rc)
        return rc;
    struct loader *l = calloc(1, sizeof *l);
    if (!l)
        return err_set(err, -ENOMEM, "no memory for a loader");
    set_defaults(l, cfg);
    rc = choose_order(l, err);
    if (!rc)
        rc = plan_memory(l, err);
    if (rc) {
        loader_destroy(l);
        return rc;
    }
    warn_of_crowd(l);
    *out = l;
    return 0;
}

void loader_destroy(struct loader *l)
{
    if (!l)
        return;
    pool_destroy(l->pool);
    state_destroy(l->restored);
    free(l->persistent_drawn);
    sampler_destroy(l->made[1]);
    sampler_destroy(l->made[0]);
    free(l);
}

int loader_len(const struct loader *l, int64_t *out, struct err *err)
{
    const struct dataset *ds = l->cfg.dataset;
    *out = 0;
    if (l->order) {
        *out = l->order->len(l->order->self);
        return *out >= 0 ? 0 : err_set(err, -EOPNOTSUPP, "sampler '%s' has no end", l->order->name);
    }
    if (!ds->len)
        return err_set(err, -EOPNOTSUPP, "iterable dataset '%s' has no length", ds->name);
    int64_t n = ds->len(ds->self);
    ((struct loader *)l)->len_told =
        n; /* the length is checked against what comes only once somebody asked */
    *out = l->cfg.drop_last ? n / l->batch_max : (n + l->batch_max - 1) / l->batch_max;
    return 0;
}

bool loader_pin_memory(const struct loader *l)
{
    return l->cfg.pin_memory;
}

size_t loader_forecast_bytes(const struct loader *l)
{
    return l->layout.total_bytes;
}
