/* What holds for all formats: the table, readers side by side. */
#include <pthread.h>

#include "format.h"
#include "pictures.h"

static void every_format_says_all_that_list_shows_and_refuses_nothing_named(void **state)
{
    (void)state;
    for (int i = 0; i < data_format_count(); i++) {
        const struct data_format *f = data__formats[i];
        assert_true(f->name && f->usage && f->help && f->open);
        assert_true(!f->get != !f->next);
        assert_true(!f->reader_open == !f->reader_close);
        assert_int_equal(strncmp(f->usage, f->name, strlen(f->name)), 0);
        struct data_source *s;
        struct err err = {0};
        int rc = data_source_open(&(struct data_config){.spec = f->name}, &s, &err);
        assert_true(rc < 0);
        assert_non_null(strstr(err.text, f->name)); /* "npy: no file is named: say npy:FILE|DIR" */
    }
}

struct task {
    struct data_source *source;
    int failed;
    unsigned sum;
};

static void *read_all(void *arg)
{
    struct task *t = arg;
    struct data_reader *r;
    t->failed = data_reader_open(t->source, 0, 1, &r, NULL);
    for (int64_t i = 0; i < 20 && !t->failed; i++) {
        struct tensor view;
        t->failed = data_reader_get(r, i % data_source_info(t->source)->samples, &view, NULL);
        for (size_t j = 0; !t->failed && j < tensor_bytes(&view.shape); j++)
            t->sum += ((const unsigned char *)view.data)[j];
    }
    if (!t->failed)
        data_reader_close(r);
    return NULL;
}

static void threads_with_readers_of_their_own_read_one_source(void **state)
{
    static unsigned char file[PICTURE_MAX];
    write_file(temp_path(state, "a.jpg"), file, make_jpeg(file, 24, 40, 3, 6));
    write_file(temp_path(state, "b.jpg"), "junk", 4);
    write_file(temp_path(state, "c.png"), file, make_png(file, 9, 7, PNG_FORMAT_RGB));
    const char *specs[] = {spec_of("images", *state), "synthetic:8:16x3:u8"};
    for (int i = 0; i < 2; i++) {
        struct data_source *s = open_source(specs[i], i ? NULL : "decode", DATA_ON_ERROR_SKIP);
        struct task task[3];
        pthread_t thread[3];
        for (int j = 0; j < 3; j++) {
            task[j] = (struct task){.source = s};
            assert_int_equal(pthread_create(&thread[j], NULL, read_all, &task[j]), 0);
        }
        for (int j = 0; j < 3; j++) {
            pthread_join(thread[j], NULL);
            assert_int_equal(task[j].failed, 0);
            assert_int_equal(task[j].sum, task[0].sum);
        }
        assert_int_equal(data_source_skipped(s, NULL, 0), i ? 0 : 3 * 7); /* b is asked for 7 times by each */
        data_source_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(every_format_says_all_that_list_shows_and_refuses_nothing_named),
        IN_TEMP(threads_with_readers_of_their_own_read_one_source),
    };
    return CASES(cases);
}
