/* Arrays, mapped. One file: its first dimension counts the samples, and a sample in C order of a type that tensors have
 * is a view without a copy; others are converted into the reader's memory. A directory: one file a sample. */
#include "npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

struct array {
    struct data__map map;
    struct data__npy header;
};

struct npy {
    bool one_file;
    struct array array; /* of the one file */
};

struct reader {
    struct array array; /* directory: the sample's file */
    int64_t index;      /* of that file */
    struct data__buffer converted;
};

static const char *const endings[] = {"npy", NULL};

static void array_close(struct array *a)
{
    data__map_close(&a->map);
}

static int array_open(struct array *a, const char *path, struct err *err)
{
    *a = (struct array){0};
    int rc = data__map_open(&a->map, path, err);
    if (!rc)
        rc = data__npy_parse(a->map.data, a->map.bytes, path, &a->header, err);
    if (rc)
        array_close(a);
    return rc;
}

/* The shape of a sample: dimensions from `first` on; a sample that is one number has one dimension of 1. */
static int shape_of(const struct data__npy *n, int first, const char *path, struct tensor_shape *out,
                    struct err *err)
{
    if (n->ndim - first > TENSOR_DIMS_MAX || n->ndim < first)
        return err_set(err, -EINVAL, "%s: shape has %d dimensions; a sample has at most %d", path, n->ndim,
                       TENSOR_DIMS_MAX);
    *out = (struct tensor_shape){.dtype = n->dtype, .ndim = n->ndim - first};
    for (int i = first; i < n->ndim; i++)
        out->dim[i - first] = n->dim[i];
    if (out->ndim == 0) {
        out->ndim = 1;
        out->dim[0] = 1;
    }
    return 0;
}

static int open_one(struct data_source *s, struct err *err)
{
    struct npy *y = s->self;
    y->one_file = true;
    int rc = array_open(&y->array, s->path[0], err);
    if (rc)
        return rc;
    if (y->array.header.ndim == 0)
        return err_set(err, -EINVAL, "%s: shape is (): one number, no samples", s->path[0]);
    s->info.samples = y->array.header.dim[0];
    return shape_of(&y->array.header, 1, s->path[0], &s->info.shape, err);
}

static int look_at(struct data_source *s, const char *path, struct err *err)
{
    struct array a;
    struct tensor_shape shape;
    int rc = array_open(&a, path, err);
    if (rc)
        return rc;
    rc = shape_of(&a.header, 0, path, &shape, err);
    array_close(&a);
    if (rc)
        return rc;
    const struct tensor_shape *had = &s->info.shape;
    if (had->ndim && (had->ndim != shape.ndim || had->dtype != shape.dtype)) {
        char is[TENSOR_TEXT], was[TENSOR_TEXT];
        return err_set(err, -EINVAL, "%s: %s does not go with the %s of the files before it", path,
                       tensor_shape_format(is, &shape), tensor_shape_format(was, had));
    }
    data__widen(&s->info.shape, &shape, &s->info.varies);
    return 0;
}

static int open_directory(struct data_source *s, const char *name, struct err *err)
{
    s->info.samples = s->paths;
    for (int64_t i = 0; i < s->paths; i++) {
        struct err why = {0};
        int rc = look_at(s, s->path[i], &why);
        if (rc && (s->on_error == DATA_ON_ERROR_FAIL || rc == -ENOMEM))
            return err_set(err, rc, "%s", why.text);
    }
    if (s->info.shape.ndim == 0)
        return err_set(err, -EBADMSG, "%s: none of the %lld files is an array", name, (long long)s->paths);
    return 0;
}

static int npy_open(struct data_source *s, char *args, struct err *err)
{
    int rc = data__find_files(s, args, endings, err);
    if (rc)
        return rc;
    s->self = calloc(1, sizeof(struct npy));
    if (!s->self)
        return err_set(err, -ENOMEM, "%s: no memory", args);
    return s->paths == 1 && !strcmp(s->path[0], args) ? open_one(s, err) : open_directory(s, args, err);
}

static void npy_close(struct data_source *s)
{
    struct npy *y = s->self;
    if (y)
        array_close(&y->array);
    free(y);
}

static int reader_open(struct data_source *s, int worker, int workers, void **reader, struct err *err)
{
    (void)s, (void)worker, (void)workers;
    *reader = calloc(1, sizeof(struct reader));
    return *reader ? 0 : err_set(err, -ENOMEM, "npy: no memory for a reader");
}

static void reader_close(void *reader)
{
    struct reader *r = reader;
    array_close(&r->array);
    data__buffer_fini(&r->converted);
    free(r);
}

/* Where element `i` (C order within the sample) of sample `index` lies; dimensions from `first` on are the sample's. */
static int64_t place(const struct data__npy *n, int first, int64_t index, int64_t elements, int64_t i)
{
    if (!n->fortran)
        return index * elements + i;
    int64_t sub[NPY_DIMS_MAX] = {index};
    for (int d = n->ndim - 1; d >= first; d--) {
        sub[d] = i % n->dim[d];
        i /= n->dim[d];
    }
    int64_t at = 0;
    for (int d = n->ndim - 1; d >= 0; d--)
        at = at * n->dim[d] + sub[d];
    return at;
}

static int sample_of(struct reader *r, const struct array *a, int first, int64_t index, struct tensor *view,
                     struct err *err)
{
    const struct data__npy *n = &a->header;
    const unsigned char *data = a->map.data + n->offset;
    int64_t elements = tensor_elements(&view->shape);
    size_t at = (size_t)(index * elements) * (size_t)n->item_bytes;
    bool aligned = (n->offset + at) % (size_t)n->item_bytes == 0; /* a mapping begins at a page */
    if (data__npy_is_plain(n) && aligned) {
        view->data = a->map.data + n->offset + at;
        return 0;
    }
    int rc = data__buffer_reserve(&r->converted, tensor_bytes(&view->shape), err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < elements; i++)
        data__npy_convert(n, data, place(n, first, index, elements, i), r->converted.data, i);
    view->data = r->converted.data;
    return 0;
}

static int get(const struct data_source *s, void *reader, int64_t index, struct tensor *view, struct err *err)
{
    const struct npy *y = s->self;
    struct reader *r = reader;
    if (y->one_file) {
        view->shape = s->info.shape;
        return sample_of(r, &y->array, 1, index, view, err);
    }
    array_close(&r->array);
    r->index = index;
    int rc = array_open(&r->array, s->path[index], err);
    if (!rc)
        rc = shape_of(&r->array.header, 0, s->path[index], &view->shape, err);
    if (!rc && view->shape.dtype != s->info.shape.dtype)
        rc = err_set(err, -EINVAL, "%s: descr is not that of the other files", s->path[index]);
    return rc ? rc : sample_of(r, &r->array, 0, 0, view, err);
}

static int whole(const struct data_source *s, void *reader, struct err *err)
{
    const struct npy *y = s->self;
    const struct reader *r = reader;
    return y->one_file ? data__map_whole(&y->array.map, s->path[0], err)
                       : data__map_whole(&r->array.map, s->path[r->index], err);
}

const struct data_format data_npy = {
    .name = "npy",
    .usage = "npy:FILE|DIR",
    .help = "arrays, mapped: a file's first dimension counts samples; a directory has one a file",
    .open = npy_open,
    .close = npy_close,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .get = get,
    .whole = whole,
};
