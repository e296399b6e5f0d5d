/* A folder that goes away again, files in it, and sources on them. */
#ifndef TESTS_DATASETS_HELPERS_H
#define TESTS_DATASETS_HELPERS_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/source.h"
#include "testing/cmocka.h"

static inline int temp_setup(void **state)
{
    char pattern[] = "/tmp/datasets-XXXXXX";
    *state = mkdtemp(pattern) ? strdup(pattern) : NULL;
    return *state ? 0 : -1;
}

static inline int temp_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static inline int temp_teardown(void **state)
{
    nftw(*state, temp_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

#define IN_TEMP(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

/* "DIR/name"; the last eight stay valid. */
static inline const char *temp_path(void **state, const char *name)
{
    static char path[8][512];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", (const char *)*state, name);
    return p;
}

static inline void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

/* "format:path" */
static inline const char *spec_of(const char *format, const char *path)
{
    static char spec[8][640];
    static int turn;
    char *p = spec[turn++ % 8];
    snprintf(p, sizeof spec[0], "%s:%s", format, path);
    return p;
}

static inline struct data_source *open_source(const char *spec, const char *transform,
                                              enum data_on_error on_error)
{
    struct data_source *s;
    struct err err = {0};
    struct data_config cfg = {.spec = spec, .transform = transform, .on_error = on_error};
    if (data_source_open(&cfg, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static inline struct data_reader *open_reader(struct data_source *s, int worker, int workers)
{
    struct data_reader *r;
    struct err err = {0};
    if (data_reader_open(s, worker, workers, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

/* The text of the error must name `named` and contain `says`. */
static inline void assert_open_says(const char *spec, const char *transform, int code, const char *named,
                                    const char *says)
{
    struct data_source *s;
    struct err err = {0};
    struct data_config cfg = {.spec = spec, .transform = transform};
    int rc = data_source_open(&cfg, &s, &err);
    if (rc != code || !strstr(err.text, named) || !strstr(err.text, says))
        fail_msg("%d '%s': expected %d, '%s' and '%s'", rc, err.text, code, named, says);
    assert_null(s);
}

#endif
