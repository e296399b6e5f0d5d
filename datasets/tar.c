/* Shards: tar files whose members are grouped by key into samples. A stream: worker w of n reads files w, w + n, ...
 * With decode the first image of a sample is decoded; without, a sample is the bytes of all its members. */
#include "tar.h"

#include <archive.h>
#include <errno.h>
#include <stdlib.h>

#include "image.h"

enum { BLOCK_BYTES = 1 << 16 };

struct reader {
    const struct data_source *source;
    struct data__tar tar;
    struct data__image_decoder *decoder;
    int64_t file, step; /* the shard that comes next, in steps of the worker count */
};

/* Plain, or compressed in any way that libarchive knows. */
static int open_shard(struct data__tar *t, const char *path, struct err *err)
{
    struct archive *a = archive_read_new();
    if (!a)
        return err_set(err, -ENOMEM, "%s: no memory", path);
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    if (archive_read_open_filename(a, path, BLOCK_BYTES) != ARCHIVE_OK) {
        int rc = err_set(err, -EBADMSG, "%s: %s", path, archive_error_string(a));
        archive_read_free(a);
        return rc;
    }
    data__tar_start_take(t, a, path);
    return 0;
}

/* What a scan of the shards found. */
struct scan {
    struct data__tar tar;
    struct data__image_decoder *decoder;
    int64_t samples, largest_bytes;
    bool images; /* look at the pictures' headers too */
};

static int scan_sample(struct data_source *s, struct scan *c, struct err *err)
{
    const struct data__tar *t = &c->tar;
    c->samples++;
    if ((int64_t)t->bytes.bytes > c->largest_bytes)
        c->largest_bytes = (int64_t)t->bytes.bytes;
    if (!c->images)
        return 0;
    if (!t->image_bytes)
        return err_set(err, -EBADMSG, "%s: sample %s: no member is an image by its name", t->name, t->key);
    int64_t size[2];
    int rc = data__image_size(c->decoder, t->bytes.data + t->image_at, t->image_bytes, t->key, size, err);
    if (rc)
        err_prefix(err, "%s", t->name);
    if (rc)
        return rc;
    struct tensor_shape shape = {.dtype = TENSOR_U8, .ndim = 3, .dim = {size[0], size[1], 3}};
    data__widen(&s->info.shape, &shape, &s->info.varies);
    return 0;
}

static int scan_shard(struct data_source *s, struct scan *c, const char *path, struct err *err)
{
    struct err why = {0};
    int rc = open_shard(&c->tar, path, &why);
    while (!rc) {
        rc = data__tar_next(&c->tar, !c->images, &why);
        if (rc == 0)
            return 0;
        rc = rc == 1 ? scan_sample(s, c, &why) : rc;
        if (rc && s->on_error == DATA_ON_ERROR_SKIP && rc != -ENOMEM && !c->tar.ended) {
            rc = 0;
            why = (struct err){0};
        }
    }
    if (s->on_error == DATA_ON_ERROR_SKIP && rc != -ENOMEM)
        return 0; /* it is counted when its turn comes */
    return err_set(err, rc, "%s", why.text);
}

/* Pictures are looked into as long as a larger one would matter: all of them, or the first shard when a resize makes
 * them the same size anyway. */
static int scan_all(struct data_source *s, struct scan *c, struct err *err)
{
    int rc = 0;
    for (int64_t i = 0; i < s->paths && !rc; i++) {
        c->images = s->decode && (!s->resize[0] || s->info.shape.ndim == 0);
        rc = scan_shard(s, c, s->path[i], err);
    }
    return rc;
}

static int tar_open(struct data_source *s, char *args, struct err *err)
{
    struct scan c = {0};
    int rc = data__find_glob(s, args, err);
    if (!rc && s->decode)
        rc = data__image_decoder_create(&c.decoder, err);
    if (!rc)
        rc = scan_all(s, &c, err);
    if (!rc && (c.samples == 0 || (s->decode && s->info.shape.ndim == 0)))
        rc = err_set(err, -ENODATA, "%s: no sample in %lld file%s", args, (long long)s->paths,
                     s->paths == 1 ? "" : "s");
    s->info.iterable = true;
    s->info.samples = c.samples;
    if (!s->decode) {
        s->info.shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 1, .dim = {c.largest_bytes}};
        s->info.varies = true;
    }
    if (!rc && s->info.shape.dim[0] == 0)
        rc = err_set(err, -ENODATA, "%s: all members are empty", args);
    data__image_decoder_destroy(c.decoder);
    data__tar_fini(&c.tar);
    return rc;
}

static void reader_close(void *reader)
{
    struct reader *r = reader;
    data__image_decoder_destroy(r->decoder);
    data__tar_fini(&r->tar);
    free(r);
}

static int reader_open(struct data_source *s, int worker, int workers, void **reader, struct err *err)
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "tar: no memory for a reader");
    r->source = s;
    r->file = worker;
    r->step = workers > 0 ? workers : 1;
    int rc = s->decode ? data__image_decoder_create(&r->decoder, err) : 0;
    if (rc)
        free(r);
    else
        *reader = r;
    return rc;
}

static int view_of(const struct data_source *s, struct reader *r, struct tensor *view, struct err *err)
{
    const struct data__tar *t = &r->tar;
    if (!s->decode) {
        view->shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 1, .dim = {(int64_t)t->bytes.bytes}};
        view->data = t->bytes.data;
        return t->bytes.bytes ? 1 : err_set(err, -ENODATA, "%s: sample %s is empty", t->name, t->key);
    }
    if (!t->image_bytes)
        return err_set(err, -EBADMSG, "%s: sample %s: no member is an image by its name", t->name, t->key);
    int rc = data__image_decode(r->decoder, t->bytes.data + t->image_at, t->image_bytes, t->key, s->resize,
                                view, err);
    if (rc)
        err_prefix(err, "%s", t->name);
    return rc ? rc : 1;
}

static int next(const struct data_source *s, void *reader, struct tensor *view, struct err *err)
{
    struct reader *r = reader;
    for (;;) {
        int rc = r->tar.archive ? data__tar_next(&r->tar, false, err) : 0;
        if (rc)
            return rc == 1 ? view_of(s, r, view, err) : rc;
        if (r->file >= s->paths)
            return 0;
        const char *path = s->path[r->file];
        r->file += r->step;
        rc = open_shard(&r->tar, path, err);
        if (rc)
            return rc;
    }
}

const struct data_format data_tar = {
    .name = "tar",
    .usage = "tar:GLOB",
    .help = "shards of samples, members grouped by key; a stream, sharded by file",
    .decodes = true,
    .open = tar_open,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .next = next,
};
