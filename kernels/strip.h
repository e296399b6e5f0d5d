/* Eight rows side by side: element i of a strip holds value i of each row, so that a weighted sum along the rows is done for
 * all of them at once, whatever the number of channels. */
#ifndef KERNELS_STRIP_H
#define KERNELS_STRIP_H

#include <stdint.h>

#include "base/tensor.h"

enum { STRIP_ROWS = 8 };

typedef float strip_vec __attribute__((vector_size(32)));

/* Rows of n values, f32 or u8, to a strip of n elements. */
void kernel__strip_load(const void *const row[STRIP_ROWS], enum tensor_dtype dtype, strip_vec *strip,
                        int64_t n);

/* A banded matrix applied to the pixels of a strip: output i is the sum over k < width of weight[i * width + k] times
 * pixel first[i] + k, for each channel. */
struct strip_bands {
    int64_t outputs; /* a multiple of 8 */
    int64_t width, channels;
    const int64_t *first; /* [outputs] */
    const float *weight;  /* [outputs * width] */
    strip_vec *scratch;   /* [8 * channels] */
};

/* The outputs of each row, in a row again: `pitch` floats from one row to the next. */
void kernel__strip_apply(const struct strip_bands *b, const strip_vec *strip, float *to, int64_t pitch);

#endif
