#include "wav.h"

#include "helpers.h"

static void put(unsigned char *p, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(value >> (8 * i));
}

/* A WAVE file with a junk chunk of an odd length in front; returns its bytes. */
static size_t make_wav(unsigned char *p, uint32_t code, uint32_t channels, uint32_t bits, const void *data,
                       uint32_t bytes)
{
    memcpy(p, "RIFF\0\0\0\0WAVE", 12);
    memcpy(p + 12, "junk\3\0\0\0abc\0", 12);
    memcpy(p + 24, "fmt ", 4);
    put(p + 28, 16, 4);
    put(p + 32, code, 2);
    put(p + 34, channels, 2);
    put(p + 36, 16000, 4);
    put(p + 40, 16000 * channels * bits / 8, 4);
    put(p + 44, channels * bits / 8, 2);
    put(p + 46, bits, 2);
    memcpy(p + 48, "data", 4);
    put(p + 52, bytes, 4);
    memcpy(p + 56, data, bytes);
    return 56 + bytes;
}

static void every_coding_is_read_at_its_scale(void **state)
{
    static const struct {
        uint32_t code, bits;
        unsigned char bytes[16]; /* two channels, one frame: half of full scale down, a quarter up */
        enum tensor_dtype dtype;
        double left, right;
    } codings[] = {
        {1, 8, {64, 160}, TENSOR_I16, -16384, 8192},
        {1, 16, {0, 0xC0, 0, 0x20}, TENSOR_I16, -16384, 8192},
        {1, 24, {0, 0, 0xC0, 0, 0, 0x20}, TENSOR_F32, -0.5, 0.25},
        {1, 32, {0, 0, 0, 0xC0, 0, 0, 0, 0x20}, TENSOR_F32, -0.5, 0.25},
        {3, 32, {0, 0, 0, 0xBF, 0, 0, 0x80, 0x3E}, TENSOR_F32, -0.5, 0.25},
        {3, 64, {0, 0, 0, 0, 0, 0, 0xE0, 0xBF, 0, 0, 0, 0, 0, 0, 0xD0, 0x3F}, TENSOR_F64, -0.5, 0.25},
    };
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        unsigned char file[128];
        const char *path = temp_path(state, "x.wav");
        write_file(
            path, file,
            make_wav(file, codings[i].code, 2, codings[i].bits, codings[i].bytes, codings[i].bits / 4));
        struct data_source *s = open_source(spec_of("wav", path), NULL, DATA_ON_ERROR_FAIL);
        struct data_reader *r = open_reader(s, 0, 1);
        struct tensor t;
        assert_int_equal(data_reader_get(r, 0, &t, NULL), 0);
        assert_int_equal(t.shape.dtype, codings[i].dtype);
        assert_int_equal(t.shape.dim[0], 1);
        assert_int_equal(t.shape.dim[1], 2);
        assert_true(tensor_get(&t, 0) == codings[i].left && tensor_get(&t, 1) == codings[i].right);
        data_reader_close(r);
        data_source_close(s);
    }
}

static void lengths_may_differ_and_the_longest_is_known(void **state)
{
    unsigned char file[256], sound[64] = {0};
    write_file(temp_path(state, "a.wav"), file, make_wav(file, 1, 1, 16, sound, 20));
    write_file(temp_path(state, "b.WAV"), file, make_wav(file, 1, 1, 16, sound, 64));
    struct data_source *s = open_source(spec_of("wav", *state), NULL, DATA_ON_ERROR_FAIL);
    const struct data_info *info = data_source_info(s);
    assert_int_equal(info->samples, 2);
    assert_true(info->varies);
    assert_int_equal(info->shape.dim[0], 32);
    data_source_close(s);
}

static void a_broken_file_is_refused_by_name_and_place(void **state)
{
    unsigned char file[256], sound[64] = {0};
    const char *path = temp_path(state, "x.wav"), *spec = spec_of("wav", path);
    size_t n = make_wav(file, 1, 1, 16, sound, 64);
    for (size_t cut = 1; cut < n; cut++) { /* each cut is an error that names the file */
        write_file(path, file, cut);
        assert_open_says(spec, NULL, -EBADMSG, path, "");
    }
    write_file(path, file, n - 1);
    assert_open_says(spec, NULL, -EBADMSG, path, "cut off: the data chunk has 64 bytes, the file 63");
    write_file(path, file, make_wav(file, 2, 1, 4, sound, 64));
    assert_open_says(spec, NULL, -EBADMSG, path, "coding 2 with 4 bits");
    write_file(path, file, make_wav(file, 1, 0, 16, sound, 64));
    assert_open_says(spec, NULL, -EBADMSG, path, "0 channels");
    write_file(path, file, make_wav(file, 1, 1, 16, sound, 1));
    assert_open_says(spec, NULL, -EBADMSG, path, "no sound");
    make_wav(file, 1, 1, 16, sound, 64);
    put(file + 28, 0xFFFFFFF0, 4); /* fmt longer than the file */
    write_file(path, file, n);
    assert_open_says(spec, NULL, -EBADMSG, path, "chunk of 4294967280 bytes at offset 24");
    write_file(path, "not a sound at all", 18);
    assert_open_says(spec, NULL, -EBADMSG, path, "not a WAVE file");
}

static void mixed_sample_formats_are_refused_by_name(void **state)
{
    unsigned char file[256], sound[64] = {0};
    write_file(temp_path(state, "a.wav"), file, make_wav(file, 1, 1, 16, sound, 20));
    write_file(temp_path(state, "b.wav"), file, make_wav(file, 3, 1, 32, sound, 64));
    assert_open_says(spec_of("wav", *state), NULL, -EINVAL, "b.wav", "f32, but the files before it are i16");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(every_coding_is_read_at_its_scale),
        IN_TEMP(lengths_may_differ_and_the_longest_is_known),
        IN_TEMP(a_broken_file_is_refused_by_name_and_place),
        IN_TEMP(mixed_sample_formats_are_refused_by_name),
    };
    return CASES(cases);
}
