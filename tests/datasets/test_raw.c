#include "helpers.h"

static void records_are_views_into_the_file(void **state)
{
    const char *path = temp_path(state, "a:b.bin"); /* a colon in the name is no trouble */
    write_file(path, "aaabbbccc", 9);
    char spec[600];
    snprintf(spec, sizeof spec, "raw:%s:3", path);
    struct data_source *s = open_source(spec, NULL, DATA_ON_ERROR_FAIL);
    assert_int_equal(data_source_info(s)->samples, 3);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_get(r, 1, &t, NULL), 0);
    assert_memory_equal(t.data, "bbb", 3);
    data_reader_close(r);
    data_source_close(s);
}

static void a_rest_or_a_missing_size_is_refused(void **state)
{
    const char *path = temp_path(state, "x.bin");
    write_file(path, "aaabbbcc", 8);
    char spec[600];
    snprintf(spec, sizeof spec, "raw:%s:3", path);
    assert_open_says(spec, NULL, -EINVAL, path, "8 bytes are not a whole number of records of 3");
    snprintf(spec, sizeof spec, "raw:%s:0", path);
    assert_open_says(spec, NULL, -ERANGE, "raw", "0 is outside 1");
    assert_open_says("raw:x", NULL, -EINVAL, "raw", "raw:FILE:RECORD_BYTES");
    write_file(temp_path(state, "y.bin"), "z", 1);
    snprintf(spec, sizeof spec, "raw:%s:1", (const char *)*state);
    assert_open_says(spec, NULL, -EISDIR, *state, "a directory of 2 files, not one");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(records_are_views_into_the_file),
        IN_TEMP(a_rest_or_a_missing_size_is_refused),
    };
    return CASES(cases);
}
