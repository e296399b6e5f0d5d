/* A map-style and an iterable-style dataset whose samples can be told to misbehave, and a run of a whole epoch.
 */
#ifndef TESTS_LOADER_FIXTURE_H
#define TESTS_LOADER_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "loader/loader.h"
#include "loader/sampler.h"
#include "loader/streams.h"
#include "testing/cmocka.h"

#define MS UINT64_C(1000000)

enum deed { DEED_NONE, DEED_SLEEP, DEED_KILL, DEED_EXIT, DEED_ERROR, DEED_TOO_LONG };

/* Sample `at` does the deed (only in worker `in_worker`, if that is >= 0). */
struct fixture {
    int64_t n; /* iterable: of each replica */
    enum deed deed;
    int64_t at;
    int in_worker;
    int signal;
    uint64_t sleep_ns;
    int error;
    bool in_open, in_init, draw;
    _Atomic int *opened, *closed; /* in shared memory; may be NULL */
};

static int fixture_do(const struct fixture *f, struct sample *out, struct err *err)
{
    const struct worker_info *info = loader_worker_info();
    if (f->in_worker >= 0 && (!info || info->id != f->in_worker))
        return 0;
    switch (f->deed) {
    case DEED_SLEEP:
        clock_sleep_ns(f->sleep_ns);
        return 0;
    case DEED_KILL:
        kill(getpid(), f->signal);
        clock_sleep_ns(100 * MS);
        return 0;
    case DEED_EXIT:
        _exit(f->error);
    case DEED_ERROR:
        return err_set(err, f->error ? f->error : -EILSEQ, "this one is rotten");
    case DEED_TOO_LONG:
        out->bytes = out->capacity + 1;
        return 0;
    default:
        return 0;
    }
}

static int fixture_write(const struct fixture *f, int64_t value, struct sample *out, struct err *err)
{
    out->bytes = sizeof value;
    out->index = value;
    memcpy(out->data, &value, sizeof value);
    if (f->draw)
        generator_uniform_f32(&loader_streams()->torch);
    return f->deed != DEED_NONE && (f->at < 0 || f->at == value) && !f->in_open && !f->in_init
               ? fixture_do(f, out, err)
               : 0;
}

static int64_t fixture_len(void *self)
{
    return ((struct fixture *)self)->n;
}

static int fixture_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    return fixture_write(self, index, out, err);
}

struct fixture_replica {
    const struct fixture *f;
    int64_t at;
};

static int fixture_open(void *self, const struct worker_info *info, void **replica, struct err *err)
{
    const struct fixture *f = self;
    (void)info;
    struct sample none = {0};
    int rc = f->in_open ? fixture_do(f, &none, err) : 0;
    if (rc)
        return rc;
    struct fixture_replica *r = malloc(sizeof *r);
    if (!r)
        return -ENOMEM;
    *r = (struct fixture_replica){f, 0};
    if (f->opened)
        atomic_fetch_add(f->opened, 1);
    *replica = r;
    return 0;
}

static int fixture_next(void *replica, struct sample *out, struct err *err)
{
    struct fixture_replica *r = replica;
    if (r->at == r->f->n)
        return 0;
    int rc = fixture_write(r->f, r->at++, out, err);
    return rc ? rc : 1;
}

static void fixture_close(void *replica)
{
    struct fixture_replica *r = replica;
    if (r->f->closed)
        atomic_fetch_add(r->f->closed, 1);
    free(r);
}

__attribute__((unused)) static int fixture_init(void *arg, const struct worker_info *info, struct err *err)
{
    (void)info;
    struct sample none = {0};
    return fixture_do(arg, &none, err);
}

__attribute__((unused)) static struct dataset fixture_map(struct fixture *f)
{
    return (struct dataset){
        .name = "numbers", .self = f, .sample_bytes_max = 64, .len = fixture_len, .get = fixture_get};
}

__attribute__((unused)) static struct dataset fixture_stream(struct fixture *f)
{
    return (struct dataset){.name = "stream",
                            .self = f,
                            .sample_bytes_max = 64,
                            .open = fixture_open,
                            .next = fixture_next,
                            .close = fixture_close};
}

__attribute__((unused)) static struct loader *must_create(const struct loader_config *cfg)
{
    struct loader *l;
    struct err err = {0};
    if (loader_create(cfg, &l, &err))
        fail_msg("%s", err.text);
    return l;
}

__attribute__((unused)) static struct loader_iter *must_open(struct loader *l)
{
    struct loader_iter *it;
    struct err err = {0};
    if (loader_iter_open(l, &it, &err))
        fail_msg("%s", err.text);
    return it;
}

/* What a loader warned of: the .warn and .warn_arg of its configuration. */
struct warnings {
    int n;
    char last[512], all[2048]; /* all: one behind the other */
};

__attribute__((unused)) static void note(void *arg, const char *text)
{
    struct warnings *w = arg;
    w->n++;
    snprintf(w->last, sizeof w->last, "%s", text);
    strncat(w->all, text, sizeof w->all - strlen(w->all) - 1);
}

__attribute__((unused)) static int64_t value_at(const struct batch *b, int64_t i)
{
    int64_t value;
    memcpy(&value, b->data + b->offset[i], sizeof value);
    return value;
}

/* Appends the values of at most max_batches more batches; the code that ended it (0: max_batches). */
__attribute__((unused)) static int collect(struct loader_iter *it, int64_t max_batches, int64_t *values,
                                           int64_t *n, struct err *err)
{
    const struct batch *b;
    for (int64_t k = 0; k < max_batches; k++) {
        int rc = loader_next(it, &b, err);
        if (rc)
            return rc;
        for (int64_t i = 0; i < b->samples; i++)
            values[(*n)++] = value_at(b, i);
        loader_release(it, b);
    }
    return 0;
}

__attribute__((unused)) static void *share(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

__attribute__((unused)) static int count_entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

__attribute__((unused)) static int open_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

__attribute__((unused)) static bool has_children(void)
{
    return !(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

#endif
