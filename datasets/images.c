/* A directory of photos: with decode, height x width x 3; without, the files' bytes. */
#include <errno.h>
#include <stdlib.h>

#include "image.h"

enum { SCAN_WITH_RESIZE = 256 }; /* headers looked at when a resize makes all the same size anyway */

struct reader {
    struct data__image_decoder *decoder;
    struct data__buffer file;
};

static int look_at(struct data_source *s, struct data__image_decoder *d, const char *path, struct err *err)
{
    struct data__map m;
    int64_t size[2];
    int rc = data__map_open(&m, path, err);
    if (rc)
        return rc;
    rc = data__image_size(d, m.data, m.bytes, path, size, err);
    rc = rc ? rc : data__map_whole(&m, path, err);
    data__map_close(&m);
    if (rc)
        return rc;
    struct tensor_shape shape = {.dtype = TENSOR_U8, .ndim = 3, .dim = {size[0], size[1], 3}};
    data__widen(&s->info.shape, &shape, &s->info.varies);
    return 0;
}

/* All headers, so that the largest size is known; a part of them, evenly spread, when a resize follows. */
static int scan(struct data_source *s, struct data__image_decoder *d, struct err *err)
{
    int64_t step = s->resize[0] ? s->paths / SCAN_WITH_RESIZE + 1 : 1;
    for (int64_t i = 0; i < s->paths; i += step) {
        struct err why = {0};
        int rc = look_at(s, d, s->path[i], &why);
        if (rc && (s->on_error == DATA_ON_ERROR_FAIL || rc == -ENOMEM))
            return err_set(err, rc, "%s", why.text);
    }
    s->info.varies = s->info.varies || step > 1;
    return 0;
}

static int images_open(struct data_source *s, char *args, struct err *err)
{
    int rc = data__find_files(s, args, data__image_endings, err);
    if (rc)
        return rc;
    s->info.samples = s->paths;
    if (!s->decode) {
        s->info.shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 1, .dim = {data__largest_file(s)}};
        s->info.varies = true;
        return s->info.shape.dim[0] ? 0 : err_set(err, -ENODATA, "%s: all files are empty", args);
    }
    struct data__image_decoder *d;
    rc = data__image_decoder_create(&d, err);
    if (!rc)
        rc = scan(s, d, err);
    data__image_decoder_destroy(d);
    if (!rc && s->info.shape.ndim == 0)
        rc = err_set(err, -EBADMSG, "%s: none of the %lld files is an image", args, (long long)s->paths);
    return rc;
}

static void reader_close(void *reader)
{
    struct reader *r = reader;
    data__image_decoder_destroy(r->decoder);
    data__buffer_fini(&r->file);
    free(r);
}

static int reader_open(struct data_source *s, int worker, int workers, void **reader, struct err *err)
{
    (void)s, (void)worker, (void)workers;
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "images: no memory for a reader");
    int rc = data__image_decoder_create(&r->decoder, err);
    if (rc)
        free(r);
    else
        *reader = r;
    return rc;
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    struct reader *r = reader;
    const char *path = s->path[index];
    int rc = data__read_file(path, SIZE_MAX, &r->file, err);
    if (rc)
        return rc;
    if (s->decode)
        return data__image_decode(r->decoder, r->file.data, r->file.bytes, path, s->resize, view, err);
    view->shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 1, .dim = {(int64_t)r->file.bytes}};
    view->data = r->file.data;
    return 0;
}

const struct data_format data_images = {
    .name = "images",
    .usage = "images:DIR|FILE",
    .help = "JPEG and PNG, recursive; decode makes them H x W x 3",
    .decodes = true,
    .open = images_open,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .get = get,
};
