/* The header of a WAVE file. */
#ifndef DATASETS_WAV_H
#define DATASETS_WAV_H

#include "base/err.h"
#include "base/tensor.h"

enum data__wav_coding {
    WAV_U8,
    WAV_S16,
    WAV_S24,
    WAV_S32,
    WAV_F32,
    WAV_F64,
};

struct data__wav {
    enum data__wav_coding coding;
    struct tensor_shape
        shape; /* frames x channels: i16 for 8 and 16 bits, f32 for 24, 32 and float, f64 for double */
    int64_t rate_per_s;
    size_t offset; /* of the first frame */
};

/* Reads the chunks of a file of `bytes` bytes, all at p. Errors: -EBADMSG, naming `name` and the chunk or offset. */
int data__wav_parse(const unsigned char *p, size_t bytes, const char *name, struct data__wav *out,
                    struct err *err);

/* All frames, from the first one at p, to `out`, which has room for the shape. */
void data__wav_decode(const struct data__wav *w, const unsigned char *p, void *out);

#endif
