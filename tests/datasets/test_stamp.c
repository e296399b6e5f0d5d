#include "datasets/source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "helpers.h"

static void stamp(const char *spec, char out[DATA_STAMP])
{
    struct data_source *s = open_source(spec, NULL, DATA_ON_ERROR_FAIL);
    assert_ptr_equal(data_source_stamp(s, out), out);
    data_source_close(s);
}

static void made_up_data_have_no_files(void **state)
{
    (void)state;
    char text[DATA_STAMP];
    stamp("synthetic:8:4:f32", text);
    assert_string_equal(text, "none");
}

static void files_that_change_in_size_or_date_have_another_stamp(void **state)
{
    static const char bytes[128];
    const char *path = temp_path(state, "x.bin");
    char spec[600], text[DATA_STAMP];
    const struct timespec then[2] = {{1000000000, 250000000}, {1000000000, 250000000}},
                          later[2] = {{1000000000, 251000000}, {1000000000, 251000000}};
    snprintf(spec, sizeof spec, "raw:%s:64", path);
    write_file(path, bytes, 64);
    utimensat(AT_FDCWD, path, then, 0);
    stamp(spec, text);
    assert_string_equal(text, "1 (64 bytes, changed last 2001-09-09T01:46:40.250Z)");
    utimensat(AT_FDCWD, path, later, 0);
    stamp(spec, text);
    assert_string_equal(text, "1 (64 bytes, changed last 2001-09-09T01:46:40.251Z)");
    write_file(path, bytes, 128);
    utimensat(AT_FDCWD, path, then, 0);
    stamp(spec, text);
    assert_string_equal(text, "1 (128 bytes, changed last 2001-09-09T01:46:40.250Z)");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(made_up_data_have_no_files),
        IN_TEMP(files_that_change_in_size_or_date_have_another_stamp),
    };
    return CASES(cases);
}
