/* Sound files: one file a sample, frames x channels. */
#include "wav.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are copied as they lie in the file");

struct reader {
    struct data__buffer file, frames;
};

static const char *const endings[] = {"wav", "wave", NULL};

static int read_header(const char *path, struct data__wav *w, struct err *err)
{
    struct data__map m; /* only the pages with chunk headers are touched */
    int rc = data__map_open(&m, path, err);
    if (rc)
        return rc;
    rc = data__wav_parse(m.data, m.bytes, path, w, err);
    rc = rc ? rc : data__map_whole(&m, path, err);
    data__map_close(&m);
    return rc;
}

static int wav_open(struct data_source *s, char *args, struct err *err)
{
    int rc = data__find_files(s, args, endings, err);
    for (int64_t i = 0; i < s->paths && !rc; i++) {
        struct data__wav w;
        struct err why = {0};
        rc = read_header(s->path[i], &w, &why);
        if (rc && s->on_error == DATA_ON_ERROR_SKIP && rc != -ENOMEM) {
            rc = 0; /* it is counted when its turn comes */
            continue;
        }
        if (rc)
            err_set(err, rc, "%s", why.text);
        else if (s->info.shape.ndim && s->info.shape.dtype != w.shape.dtype)
            rc = err_set(err, -EINVAL, "%s: %s, but the files before it are %s", s->path[i],
                         tensor_dtype_name(w.shape.dtype), tensor_dtype_name(s->info.shape.dtype));
        else
            data__widen(&s->info.shape, &w.shape, &s->info.varies);
    }
    s->info.samples = s->paths;
    if (!rc && s->info.shape.ndim == 0)
        rc = err_set(err, -EBADMSG, "%s: none of the %lld files is a WAVE file", args, (long long)s->paths);
    return rc;
}

static int reader_open(struct data_source *s, int worker, int workers, void **reader, struct err *err)
{
    (void)s, (void)worker, (void)workers;
    *reader = calloc(1, sizeof(struct reader));
    return *reader ? 0 : err_set(err, -ENOMEM, "wav: no memory for a reader");
}

static void reader_close(void *reader)
{
    struct reader *r = reader;
    data__buffer_fini(&r->file);
    data__buffer_fini(&r->frames);
    free(r);
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    struct reader *r = reader;
    struct data__wav w;
    int rc = data__read_file(s->path[index], SIZE_MAX, &r->file, err);
    if (!rc)
        rc = data__wav_parse(r->file.data, r->file.bytes, s->path[index], &w, err);
    if (!rc && w.shape.dtype != s->info.shape.dtype)
        rc = err_set(err, -EINVAL, "%s: %s, but the source is %s", s->path[index],
                     tensor_dtype_name(w.shape.dtype), tensor_dtype_name(s->info.shape.dtype));
    if (!rc)
        rc = data__buffer_reserve(&r->frames, tensor_bytes(&w.shape), err);
    if (rc)
        return rc;
    data__wav_decode(&w, r->file.data + w.offset, r->frames.data);
    *view = (struct tensor){w.shape, r->frames.data};
    return 0;
}

const struct data_format data_wav = {
    .name = "wav",
    .usage = "wav:DIR|FILE",
    .help = "sound, frames x channels; PCM of 8 to 32 bits, float",
    .open = wav_open,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .get = get,
};
