/* Records of a fixed size in one file, mapped: a sample costs its page faults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "files.h"

static int raw_open(struct data_source *s, char *args, struct err *err)
{
    char *colon = strrchr(args, ':'); /* the last one, as a path may have some */
    if (!colon)
        return err_set(err, -EINVAL, "raw: no record size is named: say %s", s->format->usage);
    *colon = '\0';
    int64_t record;
    int rc = unit_parse_bytes("raw", colon + 1, 1, INT64_C(1) << 32, &record, err);
    if (!rc)
        rc = data__find_files(s, args, NULL, err);
    if (rc)
        return rc;
    struct data__map *m = s->self = calloc(1, sizeof *m);
    if (!m)
        return err_set(err, -ENOMEM, "%s: no memory", args);
    rc = s->paths == 1
             ? data__map_open(m, s->path[0], err)
             : err_set(err, -EISDIR, "%s: a directory of %lld files, not one", args, (long long)s->paths);
    if (rc)
        return rc;
    if (m->bytes % (size_t)record)
        return err_set(err, -EINVAL, "%s: %zu bytes are not a whole number of records of %lld", args,
                       m->bytes, (long long)record);
    s->info.samples = (int64_t)(m->bytes / (size_t)record);
    s->info.shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 1, .dim = {record}};
    return 0;
}

static void raw_close(struct data_source *s)
{
    if (s->self)
        data__map_close(s->self);
    free(s->self);
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    (void)reader, (void)err;
    const struct data__map *m = s->self;
    *view = (struct tensor){s->info.shape, m->data + index * s->info.shape.dim[0]};
    return 0;
}

static int whole(const struct data_source *s, void *reader, struct err *err)
{
    (void)reader;
    return data__map_whole(s->self, s->path[0], err);
}

const struct data_format data_raw = {
    .name = "raw",
    .usage = "raw:FILE:RECORD_BYTES",
    .help = "records of a fixed size, mapped",
    .open = raw_open,
    .close = raw_close,
    .get = get,
    .whole = whole,
};
