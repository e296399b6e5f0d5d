/* Combinations of arguments that make no sense, refused with the reference's words. */
#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>

#include "loader/sampler.h"

int loader__cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static int check_dataset(const struct dataset *ds, struct err *err)
{
    if (!ds)
        return err_set(err, -EINVAL, "a loader needs a dataset");
    if (!ds->name)
        return err_set(err, -EINVAL, "a dataset needs a name");
    bool map = ds->get, stream = ds->open || ds->next;
    if (map && stream)
        return err_set(err, -EINVAL, "dataset '%s' has hooks of both styles: get, or open and next",
                       ds->name);
    if (!map && !stream)
        return err_set(err, -EINVAL, "dataset '%s' has no hooks: len and get, or open and next", ds->name);
    if (map && !ds->len)
        return err_set(err, -EINVAL, "dataset '%s' has get but no len", ds->name);
    if (stream && !(ds->open && ds->next))
        return err_set(err, -EINVAL, "dataset '%s' needs both open and next", ds->name);
    return 0;
}

static int check_workers(const struct loader_config *cfg, struct err *err)
{
    if (cfg->num_workers < 0)
        return err_set(
            err, -EINVAL,
            "num_workers option should be non-negative, but got %d; use num_workers=0 to load inline",
            cfg->num_workers);
    if (cfg->prefetch_factor < 0)
        return err_set(err, -EINVAL, "prefetch_factor option should be non-negative, but got %d",
                       cfg->prefetch_factor);
    if (cfg->extra_slots < 0)
        return err_set(err, -EINVAL, "extra_slots option should be non-negative, but got %d",
                       cfg->extra_slots);
    if (cfg->num_workers > 0)
        return 0;
    if (cfg->prefetch_factor)
        return err_set(
            err, -EINVAL,
            "prefetch_factor option could only be specified with workers, but got %d with num_workers=0",
            cfg->prefetch_factor);
    if (cfg->persistent_workers)
        return err_set(err, -EINVAL, "persistent_workers option needs num_workers > 0");
    if (cfg->timeout_ns)
        return err_set(err, -EINVAL,
                       "timeout option needs num_workers > 0: inline loading cannot be timed out");
    return 0;
}

static int check_stream(const struct loader_config *cfg, struct err *err)
{
    const char *name = cfg->dataset->name;
    if (cfg->dataset->get)
        return 0;
    if (cfg->shuffle)
        return err_set(err, -EINVAL, "iterable dataset '%s': expected unspecified shuffle option", name);
    if (cfg->sampler)
        return err_set(err, -EINVAL, "iterable dataset '%s': expected unspecified sampler option", name);
    if (cfg->batch_sampler)
        return err_set(err, -EINVAL, "iterable dataset '%s': expected unspecified batch_sampler option",
                       name);
    return 0;
}

static int check_sampling(const struct loader_config *cfg, struct err *err)
{
    if (cfg->sampler && cfg->shuffle)
        return err_set(err, -EINVAL, "sampler option is mutually exclusive with shuffle");
    if (cfg->batch_sampler &&
        (cfg->batch_size > 1 || cfg->batch_size < 0 || cfg->shuffle || cfg->sampler || cfg->drop_last))
        return err_set(
            err, -EINVAL,
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last");
    if (cfg->batch_sampler && cfg->batch_sampler->batch_max < 1)
        return err_set(err, -EINVAL, "batch_sampler '%s' is no batch sampler: its batch_max is %" PRId64,
                       cfg->batch_sampler->name, cfg->batch_sampler->batch_max);
    if (cfg->batch_size == LOADER_BATCHING_OFF && cfg->drop_last)
        return err_set(
            err, -EINVAL,
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last");
    if (cfg->batch_size < 0 && cfg->batch_size != LOADER_BATCHING_OFF)
        return err_set(err, -EINVAL,
                       "batch_size should be a positive integer value, but got batch_size=%" PRId64,
                       cfg->batch_size);
    return 0;
}

int loader__check_config(const struct loader_config *cfg, struct err *err)
{
    int rc = check_dataset(cfg->dataset, err);
    if (!rc)
        rc = check_workers(cfg, err);
    if (!rc)
        rc = check_stream(cfg, err);
    return rc ? rc : check_sampling(cfg, err);
}
