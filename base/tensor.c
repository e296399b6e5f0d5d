/* Tensor shapes: sizes, text, and back. */
#include "base/tensor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} dtypes[TENSOR_DTYPES] = {
    [TENSOR_F32] = {"f32", 4}, [TENSOR_U8] = {"u8", 1}, [TENSOR_I16] = {"i16", 2}, [TENSOR_F64] = {"f64", 8}};

static const int64_t elements_max = INT64_C(1) << 40;

size_t tensor_dtype_bytes(enum tensor_dtype dtype)
{
    return dtypes[dtype].bytes;
}

const char *tensor_dtype_name(enum tensor_dtype dtype)
{
    return dtypes[dtype].name;
}

int64_t tensor_elements(const struct tensor_shape *shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape->ndim; i++)
        n *= shape->dim[i];
    return n;
}

size_t tensor_bytes(const struct tensor_shape *shape)
{
    return (size_t)tensor_elements(shape) * tensor_dtype_bytes(shape->dtype);
}

bool tensor_shape_equal(const struct tensor_shape *a, const struct tensor_shape *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

char *tensor_shape_format(char buf[TENSOR_TEXT], const struct tensor_shape *shape)
{
    int n = 0;
    buf[0] = '\0';
    for (int i = 0; i < shape->ndim; i++)
        n += snprintf(buf + n, (size_t)(TENSOR_TEXT - n), "%s%" PRId64, i ? "x" : "", shape->dim[i]);
    snprintf(buf + n, (size_t)(TENSOR_TEXT - n), "%s:%s", shape->ndim ? "" : "scalar",
             tensor_dtype_name(shape->dtype));
    return buf;
}

static int parse_dtype(const char *what, const char *text, enum tensor_dtype *out, struct err *err)
{
    for (int i = 0; i < TENSOR_DTYPES; i++)
        if (!strcmp(text, dtypes[i].name)) {
            *out = (enum tensor_dtype)i;
            return 0;
        }
    return err_set(err, -EINVAL, "%s: '%s' is not a dtype (f32, u8, i16, f64)", what, text);
}

static int parse_dims(const char *what, const char *text, struct tensor_shape *out, struct err *err)
{
    int64_t elements = 1;
    for (const char *p = text;;) {
        char *end;
        errno = 0;
        long long dim = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : 0;
        if (dim < 1 || out->ndim == TENSOR_DIMS_MAX || (*end && *end != 'x' && *end != ':'))
            return err_set(err, -EINVAL, "%s: '%s' is not a shape of 1 to %d sizes (such as 224x224x3:u8)",
                           what, text, TENSOR_DIMS_MAX);
        if (errno == ERANGE || dim > elements_max / elements)
            return err_set(err, -ERANGE, "%s: '%s' has more than %" PRId64 " elements", what, text,
                           elements_max);
        elements *= dim;
        out->dim[out->ndim++] = dim;
        if (*end != 'x')
            return 0;
        p = end + 1;
    }
}

int tensor_shape_parse(const char *what, const char *text, struct tensor_shape *out, struct err *err)
{
    struct tensor_shape shape = {.dtype = TENSOR_F32};
    *out = (struct tensor_shape){0};
    const char *colon = strchr(text, ':');
    int rc = parse_dims(what, text, &shape, err);
    if (!rc && colon)
        rc = parse_dtype(what, colon + 1, &shape.dtype, err);
    if (!rc)
        *out = shape;
    return rc;
}

double tensor_get(const struct tensor *t, int64_t i)
{
    switch (t->shape.dtype) {
    case TENSOR_F32:
        return ((const float *)t->data)[i];
    case TENSOR_U8:
        return ((const uint8_t *)t->data)[i];
    case TENSOR_I16:
        return ((const int16_t *)t->data)[i];
    case TENSOR_F64:
        return ((const double *)t->data)[i];
    }
    return 0;
}
