/* Shapes and views that flow through a chain of transforms. */
#ifndef KERNELS_TENSOR_H
#define KERNELS_TENSOR_H

#include <stddef.h>
#include <stdint.h>

enum tensor_dtype { TENSOR_F32, TENSOR_U8, TENSOR_I16, TENSOR_F64 };

enum { TENSOR_DIMS_MAX = 4 };

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
int64_t tensor_elements(const struct tensor_shape *shape);
size_t tensor_bytes(const struct tensor_shape *shape);

/* "768x768:f32". Returns buf. */
enum { TENSOR_TEXT = 96 };
char *tensor_shape_format(char buf[TENSOR_TEXT], const struct tensor_shape *shape);

#endif
