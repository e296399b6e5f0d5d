/* The header of an npy file. */
#ifndef DATASETS_NPY_H
#define DATASETS_NPY_H

#include "base/err.h"
#include "base/tensor.h"

enum { NPY_DIMS_MAX = TENSOR_DIMS_MAX + 1 };

struct data__npy {
    char kind;      /* 'f' 'i' 'u' 'b' */
    int item_bytes; /* 1, 2, 4, 8 */
    bool swapped;   /* big-endian */
    bool fortran;   /* first index runs fastest */
    int ndim;
    int64_t dim[NPY_DIMS_MAX];
    size_t offset; /* of the first element */
    enum tensor_dtype
        dtype; /* what elements become: f32 for floats of 2 and 4 bytes and for u2; u8 for bool and u1; i16
                                 for i1 and i2; f64 for the rest (64-bit integers beyond 2^53 are rounded) */
};

/* Reads the header of a file of `bytes` bytes, all at p. Errors: -EBADMSG naming `name` and the field. */
int data__npy_parse(const unsigned char *p, size_t bytes, const char *name, struct data__npy *out,
                    struct err *err);

/* Elements lie as a tensor has them: no conversion, C order. */
bool data__npy_is_plain(const struct data__npy *n);

/* Element `at` (of memory order, unscaled) as tensor element `to` of `out`. */
void data__npy_convert(const struct data__npy *n, const unsigned char *data, int64_t at, void *out,
                       int64_t to);

#endif
