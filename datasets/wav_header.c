/* RIFF/WAVE: chunks of a four-letter name and a 32-bit length. Source: Microsoft and IBM, Multimedia Programming
 * Interface and Data Specifications 1.0 (1991); WAVE_FORMAT_EXTENSIBLE: Microsoft, 2001. */
#include <errno.h>
#include <string.h>

#include "files.h"
#include "wav.h"

enum { RIFF_BYTES = 12, CHUNK_BYTES = 8, FMT_BYTES = 16, EXTENSIBLE_BYTES = 40 };
enum { CODE_PCM = 1, CODE_FLOAT = 3, CODE_EXTENSIBLE = 0xFFFE };

static const struct {
    uint32_t code, bits;
    enum tensor_dtype dtype;
} codings[] = {
    [WAV_U8] = {CODE_PCM, 8, TENSOR_I16},     [WAV_S16] = {CODE_PCM, 16, TENSOR_I16},
    [WAV_S24] = {CODE_PCM, 24, TENSOR_F32},   [WAV_S32] = {CODE_PCM, 32, TENSOR_F32},
    [WAV_F32] = {CODE_FLOAT, 32, TENSOR_F32}, [WAV_F64] = {CODE_FLOAT, 64, TENSOR_F64},
};

static int parse_fmt(const unsigned char *p, size_t n, const char *name, struct data__wav *w, struct err *err)
{
    if (n < FMT_BYTES)
        return err_set(err, -EBADMSG, "%s: the fmt chunk has %zu bytes, fewer than %d", name, n, FMT_BYTES);
    uint32_t code = data__u16(p), channels = data__u16(p + 2), align = data__u16(p + 12),
             bits = data__u16(p + 14);
    if (code == CODE_EXTENSIBLE && n >= EXTENSIBLE_BYTES)
        code = data__u16(p + 24);
    w->rate_per_s = data__u32(p + 4);
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        if (codings[i].code != code || codings[i].bits != bits)
            continue;
        if (channels == 0 || align != channels * bits / 8)
            return err_set(err, -EBADMSG, "%s: %u channels of %u bits do not make frames of %u bytes", name,
                           channels, bits, align);
        w->coding = (enum data__wav_coding)i;
        w->shape = (struct tensor_shape){.dtype = codings[i].dtype, .ndim = 2, .dim = {0, channels}};
        return 0;
    }
    return err_set(err, -EBADMSG, "%s: coding %u with %u bits is neither PCM of 8 to 32 bits nor float", name,
                   code, bits);
}

static int parse_data(size_t at, size_t n, size_t bytes, const char *name, struct data__wav *w,
                      struct err *err)
{
    if (w->shape.ndim == 0)
        return err_set(err, -EBADMSG, "%s: the data chunk at offset %zu comes before fmt", name, at);
    if (n > bytes - at)
        return err_set(err, -EBADMSG,
                       "%s: cut off: the data chunk has %zu bytes, the file %zu behind offset %zu", name, n,
                       bytes - at, at);
    size_t frame = (size_t)w->shape.dim[1] * codings[w->coding].bits / 8;
    w->offset = at;
    w->shape.dim[0] = (int64_t)(n / frame);
    if (w->shape.dim[0] == 0)
        return err_set(err, -EBADMSG, "%s: no sound: the data chunk has %zu bytes", name, n);
    return 0;
}

int data__wav_parse(const unsigned char *p, size_t bytes, const char *name, struct data__wav *out,
                    struct err *err)
{
    *out = (struct data__wav){0};
    if (bytes < RIFF_BYTES || memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WAVE", 4) != 0)
        return err_set(err, -EBADMSG, "%s: not a WAVE file: no RIFF WAVE at its start", name);
    size_t at = RIFF_BYTES;
    while (bytes - at >= CHUNK_BYTES) {
        const unsigned char *chunk = p + at;
        size_t n = data__u32(chunk + 4);
        at += CHUNK_BYTES;
        if (!memcmp(chunk, "data", 4))
            return parse_data(at, n, bytes, name, out, err);
        if (n > bytes - at)
            return err_set(err, -EBADMSG, "%s: cut off: a chunk of %zu bytes at offset %zu, the file has %zu",
                           name, n, at - CHUNK_BYTES, bytes);
        int rc = memcmp(chunk, "fmt ", 4) ? 0 : parse_fmt(chunk + CHUNK_BYTES, n, name, out, err);
        if (rc)
            return rc;
        at += n;
        at += at < bytes ? n % 2 : 0; /* chunks begin at even offsets */
    }
    return err_set(err, -EBADMSG, "%s: no data chunk", name);
}

static void decode_f32(const struct data__wav *w, const unsigned char *p, int64_t n, float *out)
{
    if (w->coding == WAV_S24)
        for (int64_t i = 0; i < n; i++, p += 3) /* in the upper bits, so that the sign is right */
            out[i] = (float)(int32_t)(data__u16(p) << 8 | (uint32_t)p[2] << 24) * 0x1p-31F;
    else
        for (int64_t i = 0; i < n; i++, p += 4)
            out[i] = (float)(int32_t)data__u32(p) * 0x1p-31F;
}

void data__wav_decode(const struct data__wav *w, const unsigned char *p, void *out)
{
    int64_t n = tensor_elements(&w->shape);
    int16_t *i16 = out;
    switch (w->coding) {
    case WAV_U8:
        for (int64_t i = 0; i < n; i++)
            i16[i] = (int16_t)((p[i] - 128) * 256);
        break;
    case WAV_S24:
    case WAV_S32:
        decode_f32(w, p, n, out);
        break;
    case WAV_S16:
    case WAV_F32:
    case WAV_F64:
        memcpy(out, p, tensor_bytes(&w->shape)); /* little-endian hosts only, as the build checks */
        break;
    }
}
