/* Registering the loader's events with libsde: callbacks that read the loader's statistics when somebody asks. */
#include "harness/sde.h"

#include <errno.h>
#include <sde_lib.h>
#include <stdlib.h>
#include <string.h>

/* Without descriptions: libsde 1.0 leaks those it is given. */
static const struct {
    const char *name;
    size_t offset; /* of an int64_t in struct loader_stats */
} events[] = {
    {"sde:::loaderbench::batches", offsetof(struct loader_stats, batches)},
    {"sde:::loaderbench::samples", offsetof(struct loader_stats, samples)},
    {"sde:::loaderbench::bytes", offsetof(struct loader_stats, bytes)},
    {"sde:::loaderbench::queue_full", offsetof(struct loader_stats, queue_full)},
    {"sde:::loaderbench::queue_empty", offsetof(struct loader_stats, queue_empty)},
    {"sde:::loaderbench::head_of_line_waits", offsetof(struct loader_stats, head_of_line_waits)},
    {"sde:::loaderbench::futex_sleeps", offsetof(struct loader_stats, futex_sleeps)},
};

enum { EVENTS = sizeof events / sizeof *events };

struct counter_of {
    struct loader_iter *const *iter;
    size_t offset;
};

struct harness_sde {
    papi_handle_t handle;
    struct counter_of counter[EVENTS];
};

/* libsde's own name of an event has no component and no library before it. */
static const char *own_name(size_t i)
{
    return events[i].name + sizeof "sde:::loaderbench::" - 1;
}

const char *harness_sde_name(size_t i)
{
    return i < EVENTS ? events[i].name : NULL;
}

static long long read_event(void *arg)
{
    const struct counter_of *c = arg;
    struct loader_stats stats;
    int64_t value;
    if (!*c->iter)
        return 0;
    loader_iter_stats(*c->iter, &stats);
    memcpy(&value, (const char *)&stats + c->offset, sizeof value);
    return value;
}

int harness_sde_open(struct loader_iter *const *iter, struct harness_sde **out, struct err *err)
{
    struct harness_sde *s = *out = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, -ENOMEM, "out of memory for software-defined events");
    s->handle = papi_sde_init("loaderbench");
    int rc = s->handle ? 0 : -1;
    for (size_t i = 0; !rc && i < EVENTS; i++) {
        s->counter[i] = (struct counter_of){iter, events[i].offset};
        rc = papi_sde_register_counter_cb(s->handle, own_name(i), PAPI_SDE_RO | PAPI_SDE_INSTANT,
                                          PAPI_SDE_long_long, read_event, &s->counter[i]);
    }
    if (!rc)
        return 0;
    harness_sde_close(s);
    *out = NULL;
    return err_set(err, -ENOTSUP, "libsde does not register the loader's events");
}

void harness_sde_close(struct harness_sde *s)
{
    if (!s)
        return;
    if (s->handle)
        papi_sde_shutdown(s->handle);
    free(s);
}
