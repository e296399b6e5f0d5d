#include "helpers.h"

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, PLUGIN_DIR "/%s.so", name);
    return path;
}

static void the_worked_example_gives_its_squares(void **state)
{
    (void)state;
    struct data_source *s = open_source("plugin:" PLUGIN_DIR "/squares.so:16", NULL, DATA_ON_ERROR_FAIL);
    char text[TENSOR_TEXT];
    assert_string_equal(tensor_shape_format(text, &data_source_info(s)->shape), "16x16x3:u8");
    assert_int_equal(data_source_info(s)->samples, 1000);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_get(r, 19, &t, NULL), 0);
    int64_t white = 0;
    for (int64_t i = 0; i < tensor_elements(&t.shape); i++)
        white += tensor_get(&t, i) == 255;
    assert_int_equal(white, 3 * 3 * 3);
    data_reader_close(r);
    data_source_close(s);
    s = open_source("plugin:" PLUGIN_DIR "/squares.so", NULL, DATA_ON_ERROR_FAIL);
    assert_int_equal(data_source_info(s)->shape.dim[0], 64);
    data_source_close(s);
}

static void what_is_wrong_with_a_plugin_is_said_with_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } faults[] = {
        {"version", "made for version 99 of the plugin header, this is 1 to 2"},
        {"size", "struct_bytes is 8, not the "},
        {"no_symbol", "no symbol loaderbench_plugin"},
        {"no_get", "open or get, not both"},
        {"open_fails", "open: the server is gone"},
        {"open_crashes", "it crashes when opened: Segmentation fault"},
        {"open_exits", "it ends the process when opened, with status 3"},
        {"get_crashes", "it crashes when opened: Segmentation fault"},
        {"no_samples", "0 samples"},
        {"bad_shape", "a shape of 9 dimensions"},
        {"no_step", "its consumer lacks step"},
        {"no_run", "transform 0 lacks its name or run"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        assert_open_says(spec_of("plugin", path_of(faults[i].name)), NULL, -EBADMSG, path_of(faults[i].name),
                         faults[i].says);
    assert_open_says("plugin:" PLUGIN_DIR "/squares.so:7", NULL, -EBADMSG, "squares.so",
                     "open: a side of 7 is outside 8 to 4096");
    assert_open_says("plugin:none.so", NULL, -ENOENT, "none.so", "");
    assert_open_says("plugin", NULL, -EINVAL, "plugin", "plugin:FILE.so");
}

static void a_sample_that_fails_or_grows_is_an_error_or_left_out(void **state)
{
    (void)state;
    const char *spec = spec_of("plugin", path_of("get_grows"));
    struct data_source *s = open_source(spec, NULL, DATA_ON_ERROR_FAIL);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    struct err err = {0};
    assert_int_equal(data_reader_get(r, 0, &t, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "sample 0 is larger than open said"));
    err = (struct err){0};
    assert_int_equal(data_reader_get(r, 3, &t, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "get: sample three is under repair"));
    data_reader_close(r);
    data_source_close(s);
}

static void a_plugin_made_for_version_1_still_gives_samples(void **state)
{
    (void)state;
    struct data_source *s = open_source(spec_of("plugin", path_of("old")), NULL, DATA_ON_ERROR_FAIL);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_source_info(s)->samples, 5);
    assert_int_equal(data_reader_get(r, 1, &t, NULL), 0);
    data_reader_close(r);
    data_source_close(s);
}

static void a_file_that_is_no_shared_object_is_refused(void **state)
{
    const char *path = temp_path(state, "text.so");
    write_file(path, "hello", 5);
    assert_open_says(spec_of("plugin", path), NULL, -EBADMSG, path, "");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_worked_example_gives_its_squares),
        cmocka_unit_test(what_is_wrong_with_a_plugin_is_said_with_its_name),
        cmocka_unit_test(a_sample_that_fails_or_grows_is_an_error_or_left_out),
        cmocka_unit_test(a_plugin_made_for_version_1_still_gives_samples),
        IN_TEMP(a_file_that_is_no_shared_object_is_refused),
    };
    return CASES(cases);
}
