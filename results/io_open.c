/* Opening a result file to go on with it, and keeping others from doing so at the same time. */
#include "io_open.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct result_writer *io_writer_create(const char *path, struct err *err)
{
    struct result_writer *w = calloc(1, sizeof *w);
    char *copy = strdup(path);
    if (!w || !copy) {
        free(w);
        free(copy);
        err_set(err, -ENOMEM, "%s: out of memory", path);
        return NULL;
    }
    *w = (struct result_writer){.fd = -1, .path = copy};
    return w;
}

/* The lock is the open file's, so it ends with the process, whatever ends that. */
int io_lock(struct result_writer *w, struct err *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!fcntl(w->fd, F_OFD_SETLK, &whole) || (errno != EAGAIN && errno != EACCES))
        return 0;
    return err_set(err, -EBUSY, "'%s' is being written by another process", w->path);
}

static int open_file(struct result_writer *w, struct err *err)
{
    struct stat st;
    w->fd = open(w->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    if (w->fd < 0 || fstat(w->fd, &st))
        return err_set_errno(err, -errno, "cannot go on with '%s'", w->path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, -EINVAL, "cannot go on with '%s': it is no regular file", w->path);
    return st.st_size ? io_lock(w, err)
                      : err_set(err, -ENODATA, "'%s' is empty: there is no session to go on with", w->path);
}

static int read_file(struct result_writer *w, struct result *r, struct err *err)
{
    int fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f) {
        int rc = err_set_errno(err, -errno, "cannot read the result file '%s'", w->path);
        if (fd >= 0)
            close(fd);
        return rc;
    }
    int rc = io_read_stream(f, w->path, r, &w->tail, err);
    fclose(f);
    return rc;
}

/* Words that are no UTF-8 are not in the file. */
static bool says_all(const struct arm *a)
{
    const struct workload *w = &a->workload;
    return a->subject && w->data && w->transform && w->sampler && w->batch_size > 0 && a->setting.affinity &&
           a->setting.backend;
}

static int check_open_end(const struct result *r, const char *path, struct err *err)
{
    if (r->complete && !r->interrupted)
        return err_set(err, -EALREADY, "'%s' is finished: its session came to its end after %zu invocations",
                       path, r->ninvocations);
    if (!r->session)
        return err_set(
            err, -ENOTSUP,
            "'%s' does not say how its session was begun (by an older loaderbench, or by a command "
            "whose sessions do not go on)",
            path);
    for (size_t i = 0; i < r->narms; i++)
        if (!says_all(&r->arms[i]))
            return err_set(err, -ENOTSUP, "'%s' does not say all of its setting '%s'", path, r->arms[i].name);
    return 0;
}

int result_writer_reopen(const char *path, struct result *r, struct result_writer **out, struct err *err)
{
    *out = NULL;
    *r = (struct result){0};
    struct result_writer *w = io_writer_create(path, err);
    if (!w)
        return -ENOMEM;
    int rc = open_file(w, err);
    rc = rc ? rc : read_file(w, r, err);
    rc = rc ? rc : check_open_end(r, path, err);
    if (rc) {
        result_writer_close(w);
        result_fini(r);
        return rc;
    }
    free(r->damage); /* it will be cut off */
    r->damage = NULL;
    *out = w;
    return 0;
}

int64_t result_writer_cut_bytes(const struct result_writer *w)
{
    return w->tail.bytes - w->tail.whole;
}

static double seconds(const char *date)
{
    struct tm tm = {0};
    const char *end = date ? strptime(date, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end && !*end ? (double)timegm(&tm) : NAN;
}

double result_pause_ns(const struct result *r, const char *now)
{
    const struct pause *last = r->npauses ? &r->pauses[r->npauses - 1] : NULL;
    double began = seconds(last ? last->date : r->started) * 1e9;
    double pause = seconds(now) * 1e9 - began - (r->spent_ns - (last ? last->spent_ns : 0));
    return isnan(pause) ? NAN : fmax(0, pause);
}
