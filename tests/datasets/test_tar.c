#include "tar.h"

#include <archive.h>
#include <archive_entry.h>

#include "pictures.h"

static unsigned char jpeg[PICTURE_MAX];

struct member {
    const char *name;
    const void *data;
    size_t bytes;
};

static void write_tar(const char *path, const struct member *m, size_t n, int compress)
{
    struct archive *a = archive_write_new();
    if (compress)
        archive_write_add_filter_gzip(a);
    archive_write_set_format_ustar(a);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, m[i].name);
        archive_entry_set_size(e, (la_int64_t)m[i].bytes);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_write_header(a, e);
        archive_write_data(a, m[i].data, m[i].bytes);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static const struct member three[] = {
    {"train/001.txt", "one", 3}, {"train/001.cls", "1", 1},     {"train/002.txt", "two", 3},
    {"train/003.json", "{}", 2}, {"train/003.txt", "three", 5},
};

static void neighbours_that_share_a_key_are_one_sample(void **state)
{
    const char *path = temp_path(state, "a.tar");
    for (int compress = 0; compress < 2; compress++) {
        write_tar(path, three, 5, compress);
        struct data_source *s = open_source(spec_of("tar", path), NULL, DATA_ON_ERROR_FAIL);
        assert_true(data_source_info(s)->iterable);
        assert_int_equal(data_source_info(s)->samples, 3);
        assert_int_equal(data_source_info(s)->shape.dim[0], 7);
        struct data_reader *r = open_reader(s, 0, 1);
        static const char *const want[] = {"one1", "two", "{}three"};
        struct tensor t;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(data_reader_next(r, &t, NULL), 1);
            assert_int_equal(t.shape.dim[0], strlen(want[i]));
            assert_memory_equal(t.data, want[i], strlen(want[i]));
        }
        assert_int_equal(data_reader_next(r, &t, NULL), 0);
        assert_int_equal(data_reader_next(r, &t, NULL), 0);
        data_reader_close(r);
        data_source_close(s);
    }
}

static void a_key_that_begins_another_is_another(void **state)
{
    const char *path = temp_path(state, "a.tar");
    struct member m[] = {{"10.txt", "a", 1}, {"1.txt", "b", 1}, {"1.cls", "c", 1}, {"11.txt", "d", 1}};
    write_tar(path, m, 4, 0);
    struct data_source *s = open_source(spec_of("tar", path), NULL, DATA_ON_ERROR_FAIL);
    assert_int_equal(data_source_info(s)->samples, 3);
    data_source_close(s);
}

static void shards_go_to_workers_in_turn_and_each_sample_to_one(void **state)
{
    char name[32], key[32];
    for (int shard = 0; shard < 5; shard++) {
        struct member m[2] = {{key, name, 0}, {"z.txt", "z", 1}};
        snprintf(key, sizeof key, "%d.txt", shard);
        snprintf(name, sizeof name, "s%d.tar", shard);
        m[0].bytes = strlen(name);
        write_tar(temp_path(state, name), m, 2, 0);
    }
    struct data_source *s = open_source(spec_of("tar", temp_path(state, "s*.tar")), NULL, DATA_ON_ERROR_FAIL);
    assert_int_equal(data_source_info(s)->samples, 10);
    int seen[5] = {0}, total = 0;
    for (int worker = 0; worker < 3; worker++) {
        struct data_reader *r = open_reader(s, worker, 3);
        struct tensor t;
        while (data_reader_next(r, &t, NULL) == 1) {
            const char *text = t.data;
            total++;
            if (text[0] == 's') {
                seen[text[1] - '0']++;
                assert_int_equal((text[1] - '0') % 3, worker);
            }
        }
        data_reader_close(r);
    }
    assert_int_equal(total, 10);
    for (int i = 0; i < 5; i++)
        assert_int_equal(seen[i], 1);
    data_source_close(s);
}

static void the_picture_of_a_sample_is_decoded(void **state)
{
    const char *path = temp_path(state, "a.tar");
    size_t n = make_jpeg(jpeg, 16, 24, 3, 0);
    struct member m[] = {{"1.cls", "7", 1}, {"1.jpg", jpeg, n}, {"2.jpg", jpeg, n}};
    write_tar(path, m, 3, 0);
    struct data_source *s = open_source(spec_of("tar", path), "decode", DATA_ON_ERROR_FAIL);
    char text[TENSOR_TEXT];
    assert_string_equal(tensor_shape_format(text, &data_source_info(s)->shape), "16x24x3:u8");
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_next(r, &t, NULL), 1);
    assert_string_equal(tensor_shape_format(text, &t.shape), "16x24x3:u8");
    data_reader_close(r);
    data_source_close(s);
    write_tar(path, three, 5, 0);
    assert_open_says(spec_of("tar", path), "decode", -EBADMSG, path,
                     "sample train/001: no member is an image");
}

static void a_name_that_climbs_out_is_refused(void **state)
{
    assert_true(data__tar_name_is_safe("a/b..c/...d"));
    static const char *const bad[] = {"../a.txt", "a/../../b.txt", "/etc/passwd", "a/.."};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = temp_path(state, "bad.tar");
        struct member m[] = {{"1.txt", "x", 1}, {bad[i], "y", 1}, {"2.txt", "z", 1}};
        write_tar(path, m, 3, 0);
        assert_false(data__tar_name_is_safe(bad[i]));
        assert_open_says(spec_of("tar", path), NULL, -EBADMSG, path, "leaves its directory");
    }
}

static void a_tar_cut_in_the_middle_is_refused_with_its_offset(void **state)
{
    const char *path = temp_path(state, "cut.tar");
    static char big[100000];
    struct member m[] = {{"1.txt", big, sizeof big}, {"2.txt", big, sizeof big}};
    write_tar(path, m, 2, 0);
    assert_int_equal(truncate(path, 150000), 0);
    struct data_source *s;
    struct err err = {0};
    struct data_config cfg = {.spec = spec_of("tar", path)};
    int rc = data_source_open(&cfg, &s, &err);
    if (!rc) { /* skipping by seeking saw nothing: reading must */
        struct data_reader *r = open_reader(s, 0, 1);
        struct tensor t;
        while ((rc = data_reader_next(r, &t, &err)) == 1)
            ;
        data_reader_close(r);
        data_source_close(s);
    }
    assert_int_equal(rc, -EBADMSG);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "offset"));
}

static void what_is_damaged_is_left_out_when_asked(void **state)
{
    size_t n = make_jpeg(jpeg, 16, 24, 3, 0);
    struct member good[] = {
        {"1.jpg", jpeg, n}, {"2.jpg", "junk", 4}, {"../3.jpg", jpeg, n}, {"4.jpg", jpeg, n}};
    write_tar(temp_path(state, "a.tar"), good, 4, 0);
    write_file(temp_path(state, "b.tar"), "this is no archive at all", 25);
    write_tar(temp_path(state, "c.tar"), good, 1, 0);
    struct data_source *s =
        open_source(spec_of("tar", temp_path(state, "*.tar")), "decode", DATA_ON_ERROR_SKIP);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    int samples = 0, rc;
    while ((rc = data_reader_next(r, &t, NULL)) == 1)
        samples++;
    assert_int_equal(rc, 0);
    assert_int_equal(samples, 3); /* 1 and 4 of a, 1 of c; sample 2 is lost either way */
    assert_true(data_source_skipped(s, NULL, 0) >= 2);
    data_reader_close(r);
    data_source_close(s);
}

static void no_file_and_no_sample_are_told_apart(void **state)
{
    assert_open_says(spec_of("tar", temp_path(state, "none*.tar")), NULL, -ENOENT, "none*.tar",
                     "no such file");
    write_tar(temp_path(state, "empty.tar"), NULL, 0, 0);
    assert_open_says(spec_of("tar", temp_path(state, "empty.tar")), NULL, -ENODATA, "empty.tar", "no sample");
    assert_open_says("tar", NULL, -EINVAL, "tar", "tar:GLOB");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(neighbours_that_share_a_key_are_one_sample),
        IN_TEMP(a_key_that_begins_another_is_another),
        IN_TEMP(shards_go_to_workers_in_turn_and_each_sample_to_one),
        IN_TEMP(the_picture_of_a_sample_is_decoded),
        IN_TEMP(a_name_that_climbs_out_is_refused),
        IN_TEMP(a_tar_cut_in_the_middle_is_refused_with_its_offset),
        IN_TEMP(what_is_damaged_is_left_out_when_asked),
        IN_TEMP(no_file_and_no_sample_are_told_apart),
    };
    return CASES(cases);
}
