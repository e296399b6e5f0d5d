/* The text of a saved state: one `name value ...` a line, in a fixed order. */
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_VERSION = 1, MOST_WORKERS = 1 << 20, MOST_PENDING = 1 << 26 };

static int64_t at_least_one(int64_t n)
{
    return n > 0 ? n : 1;
}

struct loader_state *state_create(int workers, int64_t n_pending)
{
    struct loader_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->workers = workers;
    s->n_pending = n_pending;
    s->worker = calloc((size_t)at_least_one(workers), sizeof *s->worker);
    s->pending = calloc((size_t)at_least_one(n_pending), sizeof *s->pending);
    if (s->worker && s->pending)
        return s;
    state_destroy(s);
    return NULL;
}

void state_destroy(struct loader_state *s)
{
    if (!s)
        return;
    free(s->worker);
    free(s->pending);
    free(s);
}

static void write_generator(const char *name, const struct generator *g, struct text *out)
{
    unsigned char bytes[GENERATOR_STATE_BYTES];
    generator_save(g, bytes);
    text_addf(out, "%s ", name);
    for (size_t i = 0; i < sizeof bytes; i++)
        text_addf(out, "%02x", bytes[i]);
    text_add(out, "\n");
}

void state_write(const struct loader_state *s, struct text *out)
{
    text_addf(out, "loader-state %d\n", STATE_VERSION);
    text_addf(out, "config %" PRId64 " %d %d %d %d %d\n", s->batch_max, s->shuffle, s->drop_last,
              s->persistent, s->out_of_order, s->stream);
    text_addf(out, "run %d %" PRIu64 " %" PRIu64 " %d %d %" PRId64 "\n", s->workers, s->seed, s->epoch,
              s->in_epoch, s->drew_base_seed, s->base_seed);
    text_addf(out, "place %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", s->sent, s->delivered,
              s->next_worker, s->n_pending);
    for (int64_t i = 0; i < s->n_pending; i++)
        text_addf(out, "pending %" PRId64 "\n", s->pending[i]);
    for (int w = 0; w < at_least_one(s->workers); w++) {
        const struct state_worker *worker = &s->worker[w];
        text_addf(out, "worker %" PRId64, worker->answers);
        for (int i = 0; i < LOADER_STREAMS; i++)
            text_addf(out, " %" PRIu64 " %" PRIu64, worker->drawn_at_start[i], worker->drawn[i]);
        text_add(out, "\n");
    }
    write_generator("generator", &s->generator, out);
    if (s->has_sampler_generator)
        write_generator("sampler-generator", &s->sampler_generator, out);
    text_add(out, "end\n");
}

/* Reads line by line; `line` counts from 1. */
struct reader {
    const char *at;
    int line;
    struct err *err;
};

static int damaged(const struct reader *r)
{
    return err_set(r->err, -EINVAL, "the loader's state is damaged in line %d", r->line);
}

/* A line `name` followed by n numbers: signed as int64_t, which a uint64_t takes by conversion. */
static int read_line(struct reader *r, const char *name, int n, ...)
{
    size_t length = strlen(name);
    va_list ap;
    r->line++;
    if (strncmp(r->at, name, length))
        return damaged(r);
    r->at += length;
    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        char *end;
        errno = 0;
        uint64_t value = strtoull(r->at, &end, 10);
        if (r->at[0] != ' ' || end == r->at || errno) {
            va_end(ap);
            return damaged(r);
        }
        *va_arg(ap, uint64_t *) = value;
        r->at = end;
    }
    va_end(ap);
    return *r->at++ == '\n' ? 0 : damaged(r);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_generator(struct reader *r, const char *name, struct generator *g)
{
    unsigned char bytes[GENERATOR_STATE_BYTES];
    size_t length = strlen(name);
    r->line++;
    if (strncmp(r->at, name, length) || r->at[length] != ' ')
        return damaged(r);
    r->at += length + 1;
    for (size_t i = 0; i < sizeof bytes; i++, r->at += 2) {
        int high = digit(r->at[0]), low = high < 0 ? -1 : digit(r->at[1]);
        if (low < 0)
            return damaged(r);
        bytes[i] = (unsigned char)(high * 16 + low);
    }
    if (*r->at++ != '\n')
        return damaged(r);
    return generator_load(g, bytes, sizeof bytes, r->err);
}

/* The head: everything before the lists, whose lengths it gives. */
struct head {
    uint64_t version, config[6], run[6], place[4];
};

static int read_head(struct reader *r, struct head *h)
{
    int rc = read_line(r, "loader-state", 1, &h->version);
    if (!rc && h->version != STATE_VERSION)
        return err_set(r->err, -EINVAL, "the loader's state has version %" PRIu64 ", this program reads %d",
                       h->version, STATE_VERSION);
    uint64_t *c = h->config, *n = h->run, *p = h->place;
    if (!rc)
        rc = read_line(r, "config", 6, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5]);
    if (!rc)
        rc = read_line(r, "run", 6, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
    if (!rc)
        rc = read_line(r, "place", 4, &p[0], &p[1], &p[2], &p[3]);
    if (!rc && (n[0] > MOST_WORKERS || p[3] > MOST_PENDING || p[2] > n[0]))
        rc = damaged(r);
    return rc;
}

static void take_head(struct loader_state *s, const struct head *h)
{
    s->batch_max = (int64_t)h->config[0];
    s->shuffle = h->config[1];
    s->drop_last = h->config[2];
    s->persistent = h->config[3];
    s->out_of_order = h->config[4];
    s->stream = h->config[5];
    s->seed = h->run[1];
    s->epoch = h->run[2];
    s->in_epoch = h->run[3];
    s->drew_base_seed = h->run[4];
    s->base_seed = (int64_t)h->run[5];
    s->sent = (int64_t)h->place[0];
    s->delivered = (int64_t)h->place[1];
    s->next_worker = (int64_t)h->place[2];
}

static int read_lists(struct reader *r, struct loader_state *s)
{
    int rc = 0;
    for (int64_t i = 0; !rc && i < s->n_pending; i++)
        rc = read_line(r, "pending", 1, &s->pending[i]);
    for (int w = 0; !rc && w < at_least_one(s->workers); w++) {
        struct state_worker *worker = &s->worker[w];
        uint64_t *a = worker->drawn_at_start, *b = worker->drawn;
        rc = read_line(r, "worker", 7, &worker->answers, &a[0], &b[0], &a[1], &b[1], &a[2], &b[2]);
    }
    if (!rc)
        rc = read_generator(r, "generator", &s->generator);
    s->has_sampler_generator = !rc && !strncmp(r->at, "sampler-generator", 17);
    if (s->has_sampler_generator)
        rc = read_generator(r, "sampler-generator", &s->sampler_generator);
    if (!rc)
        rc = read_line(r, "end", 0);
    return !rc && *r->at ? damaged(r) : rc;
}

int state_read(struct loader_state **out, const char *text, struct err *err)
{
    struct reader r = {.at = text, .err = err};
    struct head head;
    *out = NULL;
    int rc = read_head(&r, &head);
    if (rc)
        return rc;
    struct loader_state *s = state_create((int)head.run[0], (int64_t)head.place[3]);
    if (!s)
        return err_set(err, -ENOMEM, "no memory for a loader's state");
    take_head(s, &head);
    rc = read_lists(&r, s);
    if (rc)
        state_destroy(s);
    else
        *out = s;
    return rc;
}
