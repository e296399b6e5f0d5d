/* The endless sampler. */
#include <errno.h>
#include <stdlib.h>

#include "workload.h"

struct endless {
    const struct sampler *inner;
    struct generator *generator;
    void *epoch; /* of inner; NULL between two */
};

static int64_t endless_len(void *self)
{
    (void)self;
    return -1;
}

static int endless_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    struct endless *e = *epoch = calloc(1, sizeof *e);
    if (!e)
        return err_set(err, -ENOMEM, "out of memory for a sampler");
    e->inner = self;
    e->generator = g;
    return 0;
}

static void end_epoch(struct endless *e)
{
    if (e->epoch && e->inner->close)
        e->inner->close(e->epoch);
    e->epoch = NULL;
}

/* An epoch that gives nothing at all would make this loop for ever: it ends the sampler. */
static int64_t endless_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct endless *e = epoch;
    int64_t n = 0;
    int64_t got_in_epoch = 1;
    while (n < max) {
        if (!e->epoch) {
            if (!got_in_epoch)
                return n;
            int rc = e->inner->open(e->inner->self, e->generator, &e->epoch, err);
            if (rc)
                return rc;
            got_in_epoch = 0;
        }
        int64_t got = e->inner->read(e->epoch, out + n, max - n, err);
        if (got < 0)
            return got;
        n += got;
        got_in_epoch += got;
        if (got < max - (n - got))
            end_epoch(e);
    }
    return n;
}

static void endless_close(void *epoch)
{
    struct endless *e = epoch;
    end_epoch(e);
    free(e);
}

void workload_endless_sampler(struct sampler *out, struct sampler *inner)
{
    *out = (struct sampler){.name = "endless",
                            .self = inner,
                            .len = endless_len,
                            .open = endless_open,
                            .read = endless_read,
                            .close = endless_close};
}
