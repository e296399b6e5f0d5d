/* Files of a command line against each other. Two names are one file when device and inode say so; of files that are
 * not there yet, when their folders are one and their names alike. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40 };

struct place {
    bool there;
    struct stat st; /* where it is there */
    char *
        path; /* where it is not: the folder's real path and the name; NULL = the folder is not there either */
};

static void place_fini(struct place *p)
{
    free(p->path);
}

/* "a/b" -> "a", "/b" -> "/", "b" -> ".". Owner: the caller. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* What a link says, as seen from where the link is; NULL: path is no link. */
static char *link_target(const char *path, const char *folder)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    char *out = NULL;
    if (n <= 0)
        return NULL;
    target[n] = '\0';
    if (asprintf(&out, "%s%s%s", *target == '/' ? "" : folder, *target == '/' ? "" : "/", target) < 0)
        return NULL;
    return out;
}

/* Where a file would come to be: through links that lead nowhere yet, too. */
static char *path_to_be(const char *path, int links)
{
    char *folder = folder_of(path), *target = folder ? link_target(path, folder) : NULL, *out = NULL;
    if (target && links < LINKS_MOST) {
        out = path_to_be(target, links + 1);
    } else {
        const char *slash = strrchr(path, '/');
        char *real = folder ? realpath(folder, NULL) : NULL;
        if (real && asprintf(&out, "%s/%s", real, slash ? slash + 1 : path) < 0)
            out = NULL;
        free(real);
    }
    free(target);
    free(folder);
    return out;
}

static struct place place_of(const char *path)
{
    struct place p = {0};
    p.there = !stat(path, &p.st);
    if (!p.there)
        p.path = path_to_be(path, 0);
    return p;
}

/* Devices and pipes take what several write; folders are told apart by what is made in them. */
static bool same_file(const char *a, const char *b)
{
    struct place x = place_of(a), y = place_of(b);
    bool same = x.there && y.there
                    ? S_ISREG(x.st.st_mode) && x.st.st_dev == y.st.st_dev && x.st.st_ino == y.st.st_ino
                    : x.path && y.path && !strcmp(x.path, y.path);
    place_fini(&x);
    place_fini(&y);
    return same;
}

/* ---- one file ---- */

static const char *value_of(const struct bench_option *o, const void *settings)
{
    return o->file == BENCH_FILE_NONE ? NULL : *(const char *const *)((const char *)settings + o->offset);
}

static bool is_written(const struct bench_option *o)
{
    return o->file > BENCH_FILE_READ;
}

static bool goes_to_output(const struct bench_option *o, const char *path)
{
    return o->file == BENCH_FILE_OR_OUTPUT && !strcmp(path, "-");
}

/* A result begins with its header. */
static bool is_result(const char *path)
{
    static const char begin[] = "{\"type\":\"header\"";
    char buf[sizeof begin - 1];
    struct stat st;
    int fd = !stat(path, &st) && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is = fd >= 0 && read(fd, buf, sizeof buf) == sizeof buf && !memcmp(buf, begin, sizeof buf);
    if (fd >= 0)
        close(fd);
    return is;
}

/* A file that is there is opened as it will be, but for cutting it; one that is not is made and taken away. */
static int try_file(const char *path)
{
    struct stat st;
    bool there = !stat(path, &st);
    if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return access(path, W_OK) ? -errno : 0; /* opening a pipe waits for its reader */
    char *to_be = there ? NULL : path_to_be(path, 0);
    int fd = open(to_be ? to_be : path, O_WRONLY | O_CLOEXEC | (there ? O_APPEND : O_CREAT | O_EXCL), 0666);
    int rc = fd < 0 ? -errno : 0;
    if (fd >= 0) {
        close(fd);
        if (!there)
            unlink(to_be ? to_be : path);
    }
    free(to_be);
    return rc;
}

static int try_folder(const char *path)
{
    struct stat st;
    if (!stat(path, &st))
        return !S_ISDIR(st.st_mode) ? -ENOTDIR : access(path, W_OK | X_OK) ? -errno : 0;
    if (mkdir(path, 0777))
        return -errno;
    rmdir(path);
    return 0;
}

static int check_one(const struct bench_option *o, const char *path, struct err *err)
{
    if (!*path)
        return err_set(err, -EINVAL, "--%s: '' names no file", o->name);
    if (!strcmp(path, "-"))
        return err_set(
            err, -EINVAL,
            "--%s: '-' would be standard output, where this does not go ('./-' is a file of that name)",
            o->name);
    if (o->file == BENCH_FILE_NEW) /* made before anything is measured, and only where there is none */
        return 0;
    if (o->file != BENCH_FILE_CONTINUED && o->file != BENCH_FOLDER && is_result(path))
        return err_set(err, -EEXIST, "--%s: '%s' is a result, and those are never written over", o->name,
                       path);
    int rc = o->file == BENCH_FOLDER ? try_folder(path) : try_file(path);
    if (rc)
        return err_set_errno(err, rc,
                             o->file == BENCH_FOLDER ? "--%s: cannot make the folder '%s'"
                                                     : "--%s: cannot write '%s'",
                             o->name, path);
    return 0;
}

/* ---- one against the others ---- */

static int check_operands(const struct bench_option *o, const char *path, const struct bench_parsed *parsed,
                          struct err *err)
{
    for (size_t i = 0; i < parsed->noperands; i++)
        if (o->file != BENCH_FOLDER && same_file(path, parsed->operands[i]))
            return err_set(err, -EINVAL, "--%s '%s' would be written over '%s', which is read", o->name, path,
                           parsed->operands[i]);
    return 0;
}

/* May `written` replace what `read` is read from? A state that is gone on from may be brought forward in its place. */
static bool renews(const struct bench_option *written, const struct bench_option *read)
{
    return written->renews && !strcmp(written->renews, read->name);
}

static int check_pair(const struct bench_option *a, const char *x, const struct bench_option *b,
                      const char *y, struct err *err)
{
    if (!is_written(b) && (a->file == BENCH_FOLDER || renews(a, b)))
        return 0;
    if (goes_to_output(a, x) && goes_to_output(b, y))
        return err_set(err, -EINVAL, "--%s and --%s both take the place of standard output", b->name,
                       a->name);
    if (goes_to_output(a, x) || goes_to_output(b, y) || !same_file(x, y))
        return 0;
    return is_written(b) ? err_set(err, -EINVAL, "--%s and --%s are one file: '%s'", b->name, a->name, x)
                         : err_set(err, -EINVAL, "--%s '%s' would be written over what --%s reads", a->name,
                                   x, b->name);
}

static int check_option(const struct bench_command *c, size_t i, const void *settings,
                        const struct bench_parsed *parsed, struct err *err)
{
    const struct bench_option *o = &c->options.item[i];
    const char *path = value_of(o, settings);
    if (!path || !is_written(o))
        return 0;
    int rc = goes_to_output(o, path) ? 0 : check_operands(o, path, parsed, err);
    for (size_t k = 0; !rc && k < c->options.n; k++) {
        const struct bench_option *other = &c->options.item[k];
        const char *value = value_of(other, settings);
        if (value && (is_written(other) ? k < i : true))
            rc = check_pair(o, path, other, value, err);
    }
    return rc || goes_to_output(o, path) ? rc : check_one(o, path, err);
}

int files_check(const struct bench_command *c, const void *settings, const struct bench_parsed *parsed,
                struct err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < c->options.n; i++)
        rc = check_option(c, i, settings, parsed, err);
    return rc;
}
