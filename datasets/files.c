/* Finding, mapping and reading the files behind a source. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t whole_file_max = (size_t)1 << 31;

static int add_path(struct data_source *s, const char *path, struct err *err)
{
    if ((s->paths & (s->paths - 1)) == 0) { /* at each power of two */
        size_t room = s->paths ? (size_t)s->paths * 2 : 1;
        char **grown = reallocarray(s->path, room, sizeof *grown);
        if (!grown)
            return err_set(err, -ENOMEM, "no memory for the names of %zu files", room);
        s->path = grown;
    }
    s->path[s->paths] = strdup(path);
    if (!s->path[s->paths])
        return err_set(err, -ENOMEM, "no memory for the name of %s", path);
    s->paths++;
    return 0;
}

bool data__has_ending(const char *path, const char *const *endings)
{
    if (!endings)
        return true;
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    for (; dot && *endings; endings++)
        if (!strcasecmp(dot + 1, *endings))
            return true;
    return false;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_entry(struct data_source *s, const FTSENT *e, const char *const *endings, struct err *err)
{
    switch (e->fts_info) {
    case FTS_F:
        return data__has_ending(e->fts_path, endings) ? add_path(s, e->fts_path, err) : 0;
    case FTS_DC:
        return err_set(err, -ELOOP, "%s: links in a circle", e->fts_path);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return err_set_errno(err, -(e->fts_errno ? e->fts_errno : EIO), "%s", e->fts_path);
    default: /* directories themselves, dead links, sockets */
        return 0;
    }
}

static int walk(struct data_source *s, const char *path, const char *const *endings, struct err *err)
{
    char *copy = strdup(path);
    FTS *fts = copy ? fts_open((char *[]){copy, NULL}, FTS_LOGICAL | FTS_NOCHDIR, NULL) : NULL;
    if (!fts) {
        free(copy);
        return err_set(err, -ENOMEM, "no memory to look through %s", path);
    }
    int rc = 0;
    errno = 0;
    for (FTSENT *e; !rc && (e = fts_read(fts));)
        rc = add_entry(s, e, endings, err);
    if (!rc && errno)
        rc = err_set_errno(err, -errno, "%s", path);
    fts_close(fts);
    free(copy);
    return rc;
}

int data__find_files(struct data_source *s, const char *path, const char *const *endings, struct err *err)
{
    struct stat st;
    if (*path == '\0')
        return err_set(err, -EINVAL, "%s: no file or directory is named: say %s", s->format->name,
                       s->format->usage);
    if (stat(path, &st))
        return err_set_errno(err, -errno, "%s", path);
    if (!S_ISDIR(st.st_mode))
        return add_path(s, path, err);
    int rc = walk(s, path, endings, err);
    if (rc)
        return rc;
    if (s->paths == 0) {
        char known[96] = "";
        for (; endings && *endings; endings++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s.%s", used ? ", " : " ending in ", *endings);
        }
        return err_set(err, -ENODATA, "%s: no file%s in this directory", path, known);
    }
    qsort(s->path, (size_t)s->paths, sizeof *s->path, compare_paths);
    return 0;
}

int data__find_glob(struct data_source *s, const char *pattern, struct err *err)
{
    if (*pattern == '\0')
        return err_set(err, -EINVAL, "%s: no file is named: say %s", s->format->name, s->format->usage);
    glob_t found = {0};
    int rc = glob(pattern, GLOB_ERR | GLOB_NOSORT, NULL, &found);
    if (rc == GLOB_NOMATCH)
        rc = err_set(err, -ENOENT, "%s: no such file", pattern);
    else if (rc)
        rc = err_set(err, rc == GLOB_NOSPACE ? -ENOMEM : -EIO, "%s: a directory cannot be read", pattern);
    for (size_t i = 0; i < found.gl_pathc && !rc; i++)
        rc = add_path(s, found.gl_pathv[i], err);
    globfree(&found);
    if (!rc)
        qsort(s->path, (size_t)s->paths, sizeof *s->path, compare_paths);
    return rc;
}

int data__open_regular(const char *path, int *fd, size_t *bytes, struct err *err)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang */
    if (*fd < 0)
        return err_set_errno(err, -errno, "%s", path);
    struct stat st;
    int rc = 0;
    if (fstat(*fd, &st))
        rc = err_set_errno(err, -errno, "%s", path);
    else if (!S_ISREG(st.st_mode))
        rc = err_set(err, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, "%s: not a regular file", path);
    else if (st.st_size == 0)
        rc = err_set(err, -ENODATA, "%s: the file is empty", path);
    if (rc) {
        close(*fd);
        *fd = -1;
        return rc;
    }
    *bytes = (size_t)st.st_size;
    return 0;
}

int data__buffer_reserve(struct data__buffer *b, size_t bytes, struct err *err)
{
    if (bytes <= b->capacity)
        return 0;
    size_t room = bytes + bytes / 4 + 64;
    unsigned char *grown = realloc(b->data, room);
    if (!grown)
        return err_set(err, -ENOMEM, "no memory for %zu bytes of a sample", bytes);
    b->data = grown;
    b->capacity = room;
    return 0;
}

void data__buffer_fini(struct data__buffer *b)
{
    free(b->data);
    *b = (struct data__buffer){0};
}

static int read_all(int fd, const char *path, size_t want, struct data__buffer *b, struct err *err)
{
    int rc = data__buffer_reserve(b, want, err);
    while (!rc && b->bytes < want) {
        ssize_t n = read(fd, b->data + b->bytes, want - b->bytes);
        if (n < 0 && errno != EINTR)
            rc = err_set_errno(err, -errno, "%s: offset %zu", path, b->bytes);
        if (n == 0)
            break; /* it got shorter meanwhile: its parser will say what is missing */
        b->bytes += n > 0 ? (size_t)n : 0;
    }
    return rc;
}

int data__read_file(const char *path, size_t most, struct data__buffer *b, struct err *err)
{
    b->bytes = 0;
    int fd;
    size_t bytes = 0;
    int rc = data__open_regular(path, &fd, &bytes, err);
    if (rc)
        return rc;
    if (bytes < most)
        most = bytes;
    if (most > whole_file_max)
        rc = err_set(err, -EFBIG, "%s: %zu bytes are over the limit of %zu", path, most, whole_file_max);
    else
        rc = read_all(fd, path, most, b, err);
    close(fd);
    return rc;
}

int64_t data__largest_file(const struct data_source *s)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < s->paths; i++) {
        struct stat st;
        if (!stat(s->path[i], &st) && st.st_size > largest)
            largest = st.st_size;
    }
    return largest;
}

uint32_t data__u16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

uint32_t data__u32(const unsigned char *p)
{
    return data__u16(p) | data__u16(p + 2) << 16;
}

void data__widen(struct tensor_shape *to, const struct tensor_shape *with, bool *varies)
{
    if (to->ndim == 0) {
        *to = *with;
        return;
    }
    for (int i = 0; i < to->ndim && i < with->ndim; i++)
        if (to->dim[i] != with->dim[i]) {
            *varies = true;
            to->dim[i] = to->dim[i] > with->dim[i] ? to->dim[i] : with->dim[i];
        }
}
