#include <sys/wait.h>

#include "pictures.h"

static unsigned char file[PICTURE_MAX];

/* All pixels of the upright picture within `slack` of what was drawn. */
static void assert_picture(const struct tensor *t, int h, int w, int slack)
{
    assert_int_equal(t->shape.ndim, 3);
    assert_int_equal(t->shape.dim[0], h);
    assert_int_equal(t->shape.dim[1], w);
    assert_int_equal(t->shape.dim[2], 3);
    const unsigned char *p = t->data;
    for (int i = 0; i < h * w; i++) {
        unsigned char rgb[3];
        picture_pixel(i / w, i % w, h, w, rgb);
        for (int c = 0; c < 3; c++)
            if (abs(p[i * 3 + c] - rgb[c]) > slack)
                fail_msg("pixel %d,%d colour %d: %d, drawn %d", i / w, i % w, c, p[i * 3 + c], rgb[c]);
    }
}

/* The first sample of a source: first_close. */
struct first {
    struct data_source *source;
    struct data_reader *reader;
    struct tensor view;
};

static struct first first_of(const char *spec, const char *transform)
{
    struct first f = {.source = open_source(spec, transform, DATA_ON_ERROR_FAIL)};
    struct err err = {0};
    f.reader = open_reader(f.source, 0, 1);
    if (data_reader_get(f.reader, 0, &f.view, &err))
        fail_msg("%s", err.text);
    return f;
}

static void first_close(struct first *f)
{
    data_reader_close(f->reader);
    data_source_close(f->source);
}

static void a_jpeg_and_a_png_decode_to_what_was_drawn(void **state)
{
    const char *path = temp_path(state, "a.jpg");
    write_file(path, file, make_jpeg(file, 40, 56, 3, 0));
    struct first f = first_of(spec_of("images", path), "decode,normalize");
    assert_picture(&f.view, 40, 56, 6);
    assert_string_equal(data_source_info(f.source)->transform, "normalize");
    assert_false(data_source_info(f.source)->varies);
    first_close(&f);
    static const png_uint_32 formats[] = {PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
    for (int i = 0; i < 2; i++) {
        path = temp_path(state, "a.png");
        write_file(path, file, make_png(file, 17, 31, formats[i]));
        f = first_of(spec_of("images", path), "decode");
        assert_picture(&f.view, 17, 31, 0);
        first_close(&f);
    }
}

static void grey_and_cmyk_become_rgb(void **state)
{
    const char *path = temp_path(state, "grey.jpg");
    write_file(path, file, make_jpeg(file, 24, 16, 1, 0));
    struct first f = first_of(spec_of("images", path), "decode");
    const unsigned char *p = f.view.data;
    for (int i = 0; i < 24 * 16; i++)
        assert_true(p[i * 3] == p[i * 3 + 1] && p[i * 3] == p[i * 3 + 2] &&
                    abs(p[i * 3] - 255 * (i / 16) / 23) <= 4);
    first_close(&f);
    path = temp_path(state, "ink.jpg");
    write_file(path, file, make_jpeg(file, 24, 16, 4, 0));
    f = first_of(spec_of("images", path), "decode");
    assert_picture(&f.view, 24, 16, 8);
    first_close(&f);
}

/* Orientation o is stored so that row 0 and column 0 of the file are the side that EXIF names; see the table in
 * CIPA DC-008: 1 top left, 2 top right, 3 bottom right, 4 bottom left, 5 left top, 6 right top, 7 right bottom,
 * 8 left bottom. The corner of the upright picture where the file's first pixel belongs is checked. */
static void each_exif_orientation_is_turned_upright(void **state)
{
    static const struct {
        int top, left; /* the file's first pixel belongs there */
        int rows_are_columns;
    } where[] = {{1, 1, 0}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}, {0, 1, 1}};
    for (int o = 1; o <= 8; o++) {
        const char *path = temp_path(state, "turned.jpg");
        write_file(path, file, make_jpeg(file, 32, 48, 3, o));
        struct first f = first_of(spec_of("images", path), "decode");
        int turned = where[o - 1].rows_are_columns, h = turned ? 48 : 32, w = turned ? 32 : 48;
        assert_int_equal(f.view.shape.dim[0], h);
        assert_int_equal(f.view.shape.dim[1], w);
        assert_int_equal(data_source_info(f.source)->shape.dim[0], h);
        const unsigned char *p = f.view.data;
        int y = where[o - 1].top ? 0 : h - 1, x = where[o - 1].left ? 0 : w - 1;
        const unsigned char *first = p + (y * w + x) * 3;
        const unsigned char *across = p + (turned ? (h - 1 - y) * w + x : y * w + (w - 1 - x)) * 3;
        const unsigned char *down = p + (turned ? y * w + (w - 1 - x) : (h - 1 - y) * w + x) * 3;
        assert_true(first[0] < 16 && first[1] < 16);    /* drawn at the file's start */
        assert_true(across[0] > 240 && across[1] < 16); /* the end of its first row */
        assert_true(down[0] < 16 && down[1] > 240);     /* the end of its first column */
        first_close(&f);
    }
}

static void decoding_is_scaled_when_a_resize_follows(void **state)
{
    const char *path = temp_path(state, "big.jpg"), *spec = spec_of("images", path);
    write_file(path, file, make_jpeg(file, 256, 512, 3, 0));
    struct first f = first_of(spec, "decode,resize=60,normalize");
    assert_int_equal(f.view.shape.dim[0], 64); /* a quarter: the smallest that is still 60 high and wide */
    assert_int_equal(f.view.shape.dim[1], 128);
    assert_string_equal(data_source_info(f.source)->transform, "resize=60,normalize");
    first_close(&f);
    f = first_of(spec, "decode,resize=60x300");
    assert_int_equal(f.view.shape.dim[1], 512);
    first_close(&f);
    write_file(path, file, make_jpeg(file, 256, 512, 3, 6)); /* turned: 512 high, 256 wide */
    f = first_of(spec, "decode,resize=128x60");
    assert_int_equal(f.view.shape.dim[0], 128);
    assert_int_equal(f.view.shape.dim[1], 64);
    first_close(&f);
}

static void without_decode_a_sample_is_the_bytes_of_its_file(void **state)
{
    write_file(temp_path(state, "a.jpg"), "not looked at", 13);
    write_file(temp_path(state, "b.png"), "nor this", 8);
    struct first f = first_of(spec_of("images", *state), "copy");
    assert_int_equal(f.view.shape.dim[0], 13);
    assert_memory_equal(f.view.data, "not looked at", 13);
    assert_int_equal(data_source_info(f.source)->shape.dim[0], 13);
    assert_true(data_source_info(f.source)->varies);
    first_close(&f);
}

static void folders_are_searched_and_the_order_is_that_of_the_names(void **state)
{
    mkdir(temp_path(state, "sub"), 0700);
    write_file(temp_path(state, "z.jpg"), "z", 1);
    write_file(temp_path(state, "sub/a.JPEG"), "a", 1);
    write_file(temp_path(state, "note.txt"), "t", 1);
    struct first f = first_of(spec_of("images", *state), NULL);
    assert_int_equal(data_source_info(f.source)->samples, 2);
    assert_memory_equal(f.view.data, "a", 1);
    first_close(&f);
}

/* Opens fine (the header is there), fails when the sample is read. */
static void assert_get_says(const char *spec, int code, const char *named, const char *says)
{
    struct data_source *s = open_source(spec, "decode", DATA_ON_ERROR_FAIL);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    struct err err = {0};
    int rc = data_reader_get(r, 0, &t, &err);
    if (rc != code || !strstr(err.text, named) || !strstr(err.text, says))
        fail_msg("%d '%s': expected %d, '%s' and '%s'", rc, err.text, code, named, says);
    data_reader_close(r);
    data_source_close(s);
}

static void broken_pictures_are_refused_by_name(void **state)
{
    const char *jpg = temp_path(state, "x.jpg"), *png = temp_path(state, "x.png");
    size_t n = make_jpeg(file, 64, 64, 3, 0);
    write_file(jpg, file, n * 2 / 3);
    assert_get_says(spec_of("images", jpg), -EBADMSG, jpg, "Premature end");
    write_file(jpg, file, 20);
    assert_open_says(spec_of("images", jpg), "decode", -EBADMSG, jpg, "Premature end");
    memset(file + n / 2, 0xFF, 40);
    write_file(jpg, file, n);
    assert_get_says(spec_of("images", jpg), -EBADMSG, jpg, "Corrupt JPEG data");
    n = make_png(file, 64, 64, PNG_FORMAT_RGB);
    write_file(png, file, n / 2);
    assert_get_says(spec_of("images", png), -EBADMSG, png, "");
    file[n / 2] ^= 0x55;
    write_file(png, file, n);
    assert_get_says(spec_of("images", png), -EBADMSG, png, "");
    write_file(png, "GIF89a", 6);
    assert_open_says(spec_of("images", png), "decode", -EBADMSG, png, "neither a JPEG nor a PNG");
    /* A header that promises more pixels than anyone has. */
    n = make_jpeg(file, 64, 64, 3, 0);
    for (size_t i = 2; i < n - 1; i++)
        if (file[i] == 0xFF && file[i + 1] == 0xC0)
            memset(file + i + 5, 0xF0, 4);
    write_file(jpg, file, n);
    assert_open_says(spec_of("images", jpg), "decode", -EFBIG, jpg,
                     "61680 x 61680 pixels are over the limit");
    mkdir(temp_path(state, "none"), 0700);
    assert_open_says(spec_of("images", temp_path(state, "none")), "decode", -ENODATA, "none",
                     "no file ending in .jpg, .jpeg, .png");
    assert_open_says(spec_of("images", temp_path(state, "missing")), "decode", -ENOENT, "missing", "");
}

static void a_broken_picture_is_left_out_when_asked_and_counted_across_processes(void **state)
{
    write_file(temp_path(state, "a.jpg"), file, make_jpeg(file, 8, 8, 3, 0));
    write_file(temp_path(state, "b.jpg"), "junk", 4);
    struct data_source *s = open_source(spec_of("images", *state), "decode", DATA_ON_ERROR_SKIP);
    pid_t child = fork();
    if (child == 0) {
        struct data_reader *r;
        struct tensor t;
        int rc = data_reader_open(s, 0, 1, &r, NULL);
        _exit(rc || data_reader_get(r, 1, &t, NULL) || t.shape.dim[0] != 8);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char first[512];
    assert_int_equal(data_source_skipped(s, first, sizeof first), 1);
    assert_non_null(strstr(first, "b.jpg"));
    data_source_close(s);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(a_jpeg_and_a_png_decode_to_what_was_drawn),
        IN_TEMP(grey_and_cmyk_become_rgb),
        IN_TEMP(each_exif_orientation_is_turned_upright),
        IN_TEMP(decoding_is_scaled_when_a_resize_follows),
        IN_TEMP(without_decode_a_sample_is_the_bytes_of_its_file),
        IN_TEMP(folders_are_searched_and_the_order_is_that_of_the_names),
        IN_TEMP(broken_pictures_are_refused_by_name),
        IN_TEMP(a_broken_picture_is_left_out_when_asked_and_counted_across_processes),
    };
    return CASES(cases);
}
