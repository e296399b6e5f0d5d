/* Folders, files and columns of figures for the tests of pictures. */
#ifndef TESTS_PLOTS_FILES_H
#define TESTS_PLOTS_FILES_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

struct place {
    char dir[64];
};

/* cmocka's set-up and tear-down. */
static inline int make_place(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    if (!p)
        return -1;
    strcpy(p->dir, "/tmp/lb-plots-test-XXXXXX");
    *state = p;
    return mkdtemp(p->dir) ? 0 : -1;
}

static inline int remove_place(void **state)
{
    struct place *p = *state;
    DIR *d = opendir(p->dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(p->dir);
    free(p);
    return 0;
}

static inline size_t count_files(const struct place *p)
{
    size_t n = 0;
    DIR *d = opendir(p->dir);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* Valid until the next call. */
static inline char *path_in(const struct place *p, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return path;
}

/* The whole file; NULL when it is not there. The caller frees it. */
static inline char *content(const struct place *p, const char *name, size_t *size)
{
    FILE *f = fopen(path_in(p, name), "r");
    struct text t = {0};
    char buf[65536];
    if (!f)
        return NULL;
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        text_add_bytes(&t, buf, n);
    fclose(f);
    if (size)
        *size = t.len;
    return text_take(&t);
}

/* Data sets of a .dat file: rows of up to 12 columns, NaN where a column is missing or is no number. */
enum { COLUMNS = 12, ROWS = 20000 };

struct rows {
    double (*v)[COLUMNS];
    int *block;
    size_t n;
};

static inline struct rows read_rows(const struct place *p, const char *name)
{
    struct rows r = {calloc(ROWS, sizeof *r.v), calloc(ROWS, sizeof *r.block), 0};
    FILE *f = fopen(path_in(p, name), "r");
    char line[1024];
    int block = 0, empty = 0;
    while (f && r.v && r.block && r.n < ROWS && fgets(line, sizeof line, f)) {
        if (line[0] == '\n') {
            block += ++empty == 2;
            continue;
        }
        empty = 0;
        if (line[0] == '#')
            continue;
        char *at = line;
        for (int c = 0; c < COLUMNS; c++) {
            char *end;
            r.v[r.n][c] = strtod(at, &end);
            if (end == at)
                r.v[r.n][c] = NAN;
            at = end;
        }
        r.block[r.n++] = block;
    }
    if (f)
        fclose(f);
    return r;
}

static inline void free_rows(struct rows *r)
{
    free(r->v);
    free(r->block);
}

#endif
