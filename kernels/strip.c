/* Eight rows side by side. The rows are turned into a strip, and sums back into rows, by transposing 8 x 8 blocks; what
 * stands in the last block is moved back over the one before it, so that no row needs room behind its end. */
#include "strip.h"

#include <string.h>

#include "common.h"

typedef uint64_t words2 __attribute__((vector_size(16)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes32 __attribute__((vector_size(32)));
typedef uint16_t words16 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));
typedef float vec8_anywhere __attribute__((vector_size(32), aligned(4)));

#define ALWAYS static inline __attribute__((always_inline))

/* Rows of an 8 x 8 block to its columns, in place: neighbours, then pairs, then fours change places. */
#define LOW_NEIGHBOURS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_NEIGHBOURS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOW_FOURS(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_FOURS(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

ALWAYS void transpose(strip_vec v[8])
{
    strip_vec n[8], p[8];
    for (int i = 0; i < 4; i++) {
        n[2 * i] = LOW_NEIGHBOURS(v[2 * i], v[2 * i + 1]);
        n[2 * i + 1] = HIGH_NEIGHBOURS(v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            p[i + 2 * j] = LOW_PAIRS(n[i + j], n[i + j + 2]);
            p[i + 2 * j + 1] = HIGH_PAIRS(n[i + j], n[i + j + 2]);
        }
    for (int i = 0; i < 4; i++) {
        v[i] = LOW_FOURS(p[i], p[i + 4]);
        v[i + 4] = HIGH_FOURS(p[i], p[i + 4]);
    }
}

KERNEL_WIDE static void load_f32(const float *const row[8], strip_vec *strip, int64_t n)
{
    for (int64_t i = 0; i < n; i += 8) {
        int64_t at = i + 8 <= n ? i : n - 8;
        strip_vec v[8];
        for (int r = 0; r < 8; r++)
            v[r] = *(const vec8_anywhere *)(const void *)(row[r] + at);
        transpose(v);
        for (int c = 0; c < 8; c++)
            strip[at + c] = v[c];
    }
}

ALWAYS bytes16 eight_bytes(const uint8_t *p)
{
    uint64_t low;
    memcpy(&low, p, sizeof low);
    return (bytes16)(words2){low, 0};
}

#define LOW_BYTES(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define LOW_TWOS(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define HIGH_TWOS(a, b)                                                                                      \
    __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
#define JOINED(a, b)                                                                                         \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,  \
                            21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
/* Of both halves. */
#define LOW_BYTES_EACH(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49,    \
                            18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55)
#define HIGH_BYTES_EACH(a, b)                                                                                \
    __builtin_shufflevector(a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25,  \
                            57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63)
#define LOW_TWOS_EACH(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27)
#define HIGH_TWOS_EACH(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31)

ALWAYS void two_columns(const bytes32 *bytes, strip_vec *to)
{
    words16 two = (words16)*bytes, zero = {0};
    to[0] = __builtin_convertvector((ints8)LOW_TWOS_EACH(two, zero), strip_vec);
    to[1] = __builtin_convertvector((ints8)HIGH_TWOS_EACH(two, zero), strip_vec);
}

/* Bytes of an 8 x 8 block to its columns, as floats. Four rows first, then a byte of the upper four beside each of the
 * lower four, in the halves of a vector; zeros make an integer of each. */
ALWAYS void transpose_bytes(const uint8_t *const row[8], int64_t at, strip_vec *to)
{
    bytes16 pair[4];
    bytes32 zero = {0};
    for (int i = 0; i < 4; i++)
        pair[i] = LOW_BYTES(eight_bytes(row[2 * i] + at), eight_bytes(row[2 * i + 1] + at));
    bytes32 low = JOINED(LOW_TWOS(pair[0], pair[1]), LOW_TWOS(pair[2], pair[3]));
    bytes32 high = JOINED(HIGH_TWOS(pair[0], pair[1]), HIGH_TWOS(pair[2], pair[3]));
    const bytes32 columns[4] = {LOW_BYTES_EACH(low, zero), HIGH_BYTES_EACH(low, zero),
                                LOW_BYTES_EACH(high, zero), HIGH_BYTES_EACH(high, zero)};
    for (int i = 0; i < 4; i++)
        two_columns(&columns[i], to + 2 * i);
}

KERNEL_WIDE static void load_u8(const uint8_t *const from[8], strip_vec *restrict strip, int64_t n)
{
    const uint8_t *row[8];
    memcpy(row, from, sizeof row);
    for (int64_t i = 0; i < n; i += 8) {
        int64_t at = i + 8 <= n ? i : n - 8;
        transpose_bytes(row, at, strip + at);
    }
}

/* Fewer values than a block has. */
static void load_few(const void *const row[8], enum tensor_dtype dtype, strip_vec *strip, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < 8; r++)
            strip[i][r] = dtype == TENSOR_U8 ? ((const uint8_t *)row[r])[i] : ((const float *)row[r])[i];
}

void kernel__strip_load(const void *const row[STRIP_ROWS], enum tensor_dtype dtype, strip_vec *strip,
                        int64_t n)
{
    if (n < 8)
        load_few(row, dtype, strip, n);
    else if (dtype == TENSOR_U8)
        load_u8((const uint8_t *const *)row, strip, n);
    else
        load_f32((const float *const *)row, strip, n);
}

/* Eight sums, each of eight rows, to the rows. */
ALWAYS void block_to_rows(strip_vec block[8], float *to, int64_t pitch)
{
    transpose(block);
    for (int r = 0; r < 8; r++)
        *(vec8_anywhere *)(void *)(to + r * pitch) = block[r];
}

/* Eight outputs from v, which holds their channels one after the other, to each row. */
ALWAYS void to_rows(const strip_vec *v, float *to, int64_t pitch, int64_t channels)
{
    for (int64_t c = 0; c < channels; c++) {
        strip_vec block[8];
        for (int i = 0; i < 8; i++)
            block[i] = v[8 * c + i];
        block_to_rows(block, to + 8 * c, pitch);
    }
}

/* Value n of the three channels of eight pixels, for each of eight rows. */
ALWAYS void sum_value(const strip_vec *const from[8], const float *const weight[8], int width, int n,
                      strip_vec *sum)
{
    const strip_vec *v = from[n / 3] + n % 3;
    const float *w = weight[n / 3];
    *sum = v[0] * w[0];
    for (int k = 1; k < width; k++)
        *sum += v[k * 3] * w[k];
}

/* Values n to n + 7 to the rows. Written out: the sums stay in registers. */
ALWAYS void eight_values(const strip_vec *const from[8], const float *const weight[8], int width, int n,
                         float *to, int64_t pitch)
{
    strip_vec block[8];
    sum_value(from, weight, width, n, block);
    sum_value(from, weight, width, n + 1, block + 1);
    sum_value(from, weight, width, n + 2, block + 2);
    sum_value(from, weight, width, n + 3, block + 3);
    sum_value(from, weight, width, n + 4, block + 4);
    sum_value(from, weight, width, n + 5, block + 5);
    sum_value(from, weight, width, n + 6, block + 6);
    sum_value(from, weight, width, n + 7, block + 7);
    block_to_rows(block, to + n, pitch);
}

/* Three channels and a width of at most 4, which the compiler knows. */
ALWAYS void apply_narrow(const struct strip_bands *b, const strip_vec *strip, float *to, int64_t pitch,
                         int width)
{
    for (int64_t i = 0; i < b->outputs; i += 8) {
        const strip_vec *from[8];
        const float *weight[8];
        for (int j = 0; j < 8; j++) {
            from[j] = strip + b->first[i + j] * 3;
            weight[j] = b->weight + (i + j) * width;
        }
        eight_values(from, weight, width, 0, to + i * 3, pitch);
        eight_values(from, weight, width, 8, to + i * 3, pitch);
        eight_values(from, weight, width, 16, to + i * 3, pitch);
    }
}

KERNEL_WIDE static void apply_three(const struct strip_bands *b, const strip_vec *strip, float *to,
                                    int64_t pitch)
{
    if (b->width == 2)
        apply_narrow(b, strip, to, pitch, 2);
    else if (b->width == 3)
        apply_narrow(b, strip, to, pitch, 3);
    else
        apply_narrow(b, strip, to, pitch, 4);
}

KERNEL_WIDE static void apply_any(const struct strip_bands *b, const strip_vec *strip, float *to,
                                  int64_t pitch)
{
    int64_t channels = b->channels;
    for (int64_t i = 0; i < b->outputs; i += 8) {
        for (int64_t j = 0; j < 8; j++) {
            const strip_vec *from = strip + b->first[i + j] * channels;
            const float *weight = b->weight + (i + j) * b->width;
            for (int64_t c = 0; c < channels; c++) {
                strip_vec sum = from[c] * weight[0];
                for (int64_t k = 1; k < b->width; k++)
                    sum += from[k * channels + c] * weight[k];
                b->scratch[j * channels + c] = sum;
            }
        }
        to_rows(b->scratch, to + i * channels, pitch, channels);
    }
}

void kernel__strip_apply(const struct strip_bands *b, const strip_vec *strip, float *to, int64_t pitch)
{
    if (b->channels == 3 && b->width >= 2 && b->width <= 4)
        apply_three(b, strip, to, pitch);
    else
        apply_any(b, strip, to, pitch);
}
