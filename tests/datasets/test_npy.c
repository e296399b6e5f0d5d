#include "npy.h"

#include "helpers.h"

/* An npy file with the given dictionary; returns its bytes. */
static size_t make_npy(unsigned char *out, int version, const char *dictionary, const void *data,
                       size_t bytes)
{
    size_t n = strlen(dictionary), head = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        out[8 + i] = (unsigned char)(n >> (8 * i));
    memcpy(out + head, dictionary, n);
    memcpy(out + head + n, data, bytes);
    return head + n + bytes;
}

static void write_npy(const char *path, int version, const char *dictionary, const void *data, size_t bytes)
{
    unsigned char buf[4096];
    write_file(path, buf, make_npy(buf, version, dictionary, data, bytes));
}

static void the_first_dimension_counts_samples_and_nothing_is_copied(void **state)
{
    const char *path = temp_path(state, "a.npy");
    float data[6] = {1, 2, 3, 4, 5, 6};
    /* 64 bytes in front, as NumPy pads. */
    write_npy(path, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n ", data, sizeof data);
    struct data_source *s = open_source(spec_of("npy", path), NULL, DATA_ON_ERROR_FAIL);
    const struct data_info *info = data_source_info(s);
    assert_int_equal(info->samples, 3);
    char text[TENSOR_TEXT];
    assert_string_equal(tensor_shape_format(text, &info->shape), "2:f32");
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor first, last;
    assert_int_equal(data_reader_get(r, 0, &first, NULL), 0);
    assert_int_equal(data_reader_get(r, 2, &last, NULL), 0);
    assert_true(tensor_get(&last, 0) == 5 && tensor_get(&last, 1) == 6);
    data_reader_close(r);
    data_source_close(s);
}

static void fortran_order_is_turned_into_c_order(void **state)
{
    const char *path = temp_path(state, "f.npy");
    int16_t data[12]; /* shape 2 x 3 x 2, element (i, j, k) = 100 i + 10 j + k */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                data[i + 2 * j + 6 * k] = (int16_t)(100 * i + 10 * j + k);
    write_npy(path, 2, "{'shape': (2,3,2), 'fortran_order': True, \"descr\": '<i2'}", data, sizeof data);
    struct data_source *s = open_source(spec_of("npy", path), NULL, DATA_ON_ERROR_FAIL);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_get(r, 1, &t, NULL), 0);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 2; k++)
            assert_true(tensor_get(&t, j * 2 + k) == 100 + 10 * j + k);
    data_reader_close(r);
    data_source_close(s);
}

static void every_usual_type_is_read(void **state)
{
    static const struct {
        const char *descr;
        unsigned char bytes[8]; /* of one element */
        double value;
        enum tensor_dtype dtype;
    } types[] = {
        {"|b1", {1}, 1, TENSOR_U8},
        {"|u1", {200}, 200, TENSOR_U8},
        {"|i1", {0xFE}, -2, TENSOR_I16},
        {"<i2", {0xFE, 0xFF}, -2, TENSOR_I16},
        {">i2", {0xFF, 0xFE}, -2, TENSOR_I16},
        {"<u2", {0xFE, 0xFF}, 65534, TENSOR_F32},
        {"<i4", {0xFD, 0xFF, 0xFF, 0xFF}, -3, TENSOR_F64},
        {"<u4", {0xFD, 0xFF, 0xFF, 0xFF}, 4294967293.0, TENSOR_F64},
        {"<i8", {0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, -3, TENSOR_F64},
        {">u8", {0, 0, 0, 0, 0, 0, 1, 2}, 258, TENSOR_F64},
        {"<f2", {0x00, 0xC1}, -2.5, TENSOR_F32},
        {"<f2", {0x01, 0x00}, 0x1p-24, TENSOR_F32},
        {"<f4", {0, 0, 0x20, 0xC0}, -2.5, TENSOR_F32},
        {">f4", {0xC0, 0x20, 0, 0}, -2.5, TENSOR_F32},
        {"<f8", {0, 0, 0, 0, 0, 0, 0x04, 0xC0}, -2.5, TENSOR_F64},
        {">f8", {0xC0, 0x04, 0, 0, 0, 0, 0, 0}, -2.5, TENSOR_F64},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }\n",
                 types[i].descr);
        const char *path = temp_path(state, "t.npy");
        write_npy(path, 1 + (int)(i % 3), dictionary, types[i].bytes, (size_t)(types[i].descr[2] - '0'));
        struct data_source *s = open_source(spec_of("npy", path), NULL, DATA_ON_ERROR_FAIL);
        struct data_reader *r = open_reader(s, 0, 1);
        struct tensor t;
        assert_int_equal(data_reader_get(r, 0, &t, NULL), 0);
        if (t.shape.dtype != types[i].dtype || tensor_get(&t, 0) != types[i].value)
            fail_msg("%s: %g", types[i].descr, tensor_get(&t, 0));
        data_reader_close(r);
        data_source_close(s);
    }
}

static void a_directory_has_one_sample_a_file_and_they_may_differ(void **state)
{
    uint8_t data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    write_npy(temp_path(state, "b.npy"), 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 6), }",
              data, 12);
    write_npy(temp_path(state, "a.npy"), 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }",
              data, 12);
    write_file(temp_path(state, "readme.txt"), "x", 1);
    struct data_source *s = open_source(spec_of("npy", *state), NULL, DATA_ON_ERROR_FAIL);
    const struct data_info *info = data_source_info(s);
    char text[TENSOR_TEXT];
    assert_int_equal(info->samples, 2);
    assert_true(info->varies);
    assert_string_equal(tensor_shape_format(text, &info->shape), "4x6:u8");
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_get(r, 1, &t, NULL), 0);
    assert_string_equal(tensor_shape_format(text, &t.shape), "2x6:u8");
    assert_true(tensor_get(&t, 11) == 12);
    data_reader_close(r);
    data_source_close(s);
}

static void a_broken_file_is_refused_by_name_and_field(void **state)
{
    static const struct {
        const char *dictionary, *says;
    } bad[] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "Python objects"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "records"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "descr '<f16'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "descr '<c8'"},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (1,), }", "descr '|f4'"},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }", "fortran_order"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "shape has something that is no size"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,2,3,4,5,6), }", "more than 5 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "one number, no samples"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", "empty"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 1000), }", "ask for 4000000 bytes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 3), }", "2^63"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, ), }", "no size"},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks shape"},
        {"{'descr': '<f4', 'descr': '<f4'}", "twice"},
        {"{'descr': '<f4', 'colour': 'red'}", "'colour'"},
        {"[1, 2]", "not a dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,", "shape"},
        {"", "not a dictionary"},
    };
    const char *path = temp_path(state, "bad.npy");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_npy(path, 1, bad[i].dictionary, "\0\0\0\0", 4);
        struct data_source *s;
        struct err err = {0};
        assert_true(data_source_open(&(struct data_config){.spec = spec_of("npy", path)}, &s, &err) < 0);
        if (!strstr(err.text, path) || !strstr(err.text, bad[i].says))
            fail_msg("'%s' does not name the file and '%s'", err.text, bad[i].says);
    }
    write_file(path, "\x93NUMPY\x01\0\xFF\xFF{", 11);
    assert_open_says(spec_of("npy", path), NULL, -EBADMSG, path, "cut off: a header of 65535 bytes");
    write_file(path, "\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{", 13);
    assert_open_says(spec_of("npy", path), NULL, -EBADMSG, path,
                     "a header of 4294967295 bytes is over the limit");
    write_file(path, "\x93NUMPY\x04\0\x01\0{", 11);
    assert_open_says(spec_of("npy", path), NULL, -EBADMSG, path, "version 4.0");
    write_file(path, "GIF89a, honestly", 16);
    assert_open_says(spec_of("npy", path), NULL, -EBADMSG, path, "not an npy file");
    write_file(path, "", 0);
    assert_open_says(spec_of("npy", path), NULL, -ENODATA, path, "empty");
    assert_open_says(spec_of("npy", temp_path(state, "none.npy")), NULL, -ENOENT, "none.npy", "No such file");
    assert_open_says("npy", NULL, -EINVAL, "npy", "npy:FILE|DIR");
}

static void a_broken_sample_can_be_left_out_and_is_counted(void **state)
{
    uint8_t data[3] = {1, 2, 3};
    static const char good[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }";
    write_npy(temp_path(state, "a.npy"), 1, good, data, 3);
    write_file(temp_path(state, "b.npy"), "junk", 4);
    write_npy(temp_path(state, "c.npy"), 1, good, data, 3);
    assert_open_says(spec_of("npy", *state), NULL, -EBADMSG, "b.npy", "not an npy file");
    struct data_source *s = open_source(spec_of("npy", *state), NULL, DATA_ON_ERROR_SKIP);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    char first[256];
    assert_int_equal(data_source_skipped(s, first, sizeof first), 0);
    assert_string_equal(first, "");
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(data_reader_get(r, i, &t, NULL), 0);
    assert_int_equal(data_source_skipped(s, first, sizeof first), 1);
    assert_non_null(strstr(first, "b.npy"));
    data_reader_close(r);
    data_source_close(s);
    write_file(temp_path(state, "a.npy"), "junk", 4);
    write_file(temp_path(state, "c.npy"), "junk", 4);
    struct err err = {0};
    struct data_config cfg = {.spec = spec_of("npy", *state), .on_error = DATA_ON_ERROR_SKIP};
    assert_int_equal(data_source_open(&cfg, &s, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "none of the 3 files"));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(the_first_dimension_counts_samples_and_nothing_is_copied),
        IN_TEMP(fortran_order_is_turned_into_c_order),
        IN_TEMP(every_usual_type_is_read),
        IN_TEMP(a_directory_has_one_sample_a_file_and_they_may_differ),
        IN_TEMP(a_broken_file_is_refused_by_name_and_field),
        IN_TEMP(a_broken_sample_can_be_left_out_and_is_counted),
    };
    return CASES(cases);
}
