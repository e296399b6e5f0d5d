/* Shapes and views of samples: what a dataset gives and what flows through a chain of transforms. */
#ifndef BASE_TENSOR_H
#define BASE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tensor_dtype { TENSOR_F32, TENSOR_U8, TENSOR_I16, TENSOR_F64 };

enum { TENSOR_DTYPES = 4, TENSOR_DIMS_MAX = 4 };

/* Row-major, no strides. Images are height x width x channels, audio is frames x channels. */
struct tensor_shape {
    enum tensor_dtype dtype;
    int ndim;
    int64_t dim[TENSOR_DIMS_MAX];
};

/* A view: data belongs to whoever made it. */
struct tensor {
    struct tensor_shape shape;
    void *data;
};

size_t tensor_dtype_bytes(enum tensor_dtype dtype);
const char *tensor_dtype_name(enum tensor_dtype dtype); /* "f32" */
int64_t tensor_elements(const struct tensor_shape *shape);
size_t tensor_bytes(const struct tensor_shape *shape);
bool tensor_shape_equal(const struct tensor_shape *a, const struct tensor_shape *b);

/* "768x768:f32". Returns buf. */
enum { TENSOR_TEXT = 96 };
char *tensor_shape_format(char buf[TENSOR_TEXT], const struct tensor_shape *shape);

/* "768x768:f32", "224x224x3:u8"; without a dtype f32. Each size is at least 1, all together at most 2^40
 * elements. Errors: -EINVAL or -ERANGE, naming the text; `what` says where it stands ("synthetic"). */
int tensor_shape_parse(const char *what, const char *text, struct tensor_shape *out, struct err *err);

/* The number behind element i, unscaled. */
double tensor_get(const struct tensor *t, int64_t i);

#endif
