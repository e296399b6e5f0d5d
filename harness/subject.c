/* Starting, asking and ending a subject: pipes, deadlines, and its last words when it dies. */
#include "harness/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { LINE_BYTES_MAX = 64 << 20, LAST_WORDS = 240 };

static const uint64_t END_WAIT_NS = UINT64_C(2000000000);
static const uint64_t SLEEP_WAIT_NS = UINT64_C(1000000000);
/* A signal is taken when the process next has a CPU: on a host with several times as much work as CPUs, or one that is
 * itself paused, that can be more than a second. Only a process that is stuck in the kernel takes longer than this. */
static const uint64_t STOP_WAIT_NS = UINT64_C(10000000000);
static const uint64_t STILL_NS = UINT64_C(2000000);
static const int SLICE_MS = 100; /* longest a set stop flag goes unseen */

struct start_pipes {
    int in[2], out[2], failure[2];
};

/* What a subject is executed with: our own environment, and the guardian's mark behind those it has. One piece, NULL when memory ran
 * out. */
static char **marked_environment(const char *mark)
{
    const char name[] = HARNESS_MARK_VARIABLE "=", *outer = NULL;
    size_t n = 0, length = sizeof name - 1;
    for (; environ[n]; n++)
        if (!strncmp(environ[n], name, length))
            outer = environ[n] + length;
    size_t bytes = length + (outer ? strlen(outer) + 1 : 0) + strlen(mark) + 1, k = 0;
    char **env = malloc((n + 2) * sizeof *env + bytes);
    if (!env)
        return NULL;
    char *own = (char *)&env[n + 2];
    snprintf(own, bytes, "%s%s%s%s", name, outer ? outer : "", outer ? ":" : "", mark);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], name, length) != 0)
            env[k++] = environ[i];
    env[k++] = own;
    env[k] = NULL;
    return env;
}

/* In the child between fork and exec: only async-signal-safe calls. A failure's errno goes to the parent. */
static _Noreturn void become_subject(const struct subject *s, const char *const *argv, char **env,
                                     const struct start_pipes *p)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int rc = harness_guardian_enlist(s->guardian) ? EPIPE : 0;
    if (!rc && (dup2(p->in[0], 0) < 0 || dup2(p->out[1], 1) < 0 || dup2(s->err, 2) < 0))
        rc = errno;
    if (!rc) {
        execvpe(argv[0], (char *const *)argv, env);
        rc = errno;
    }
    if (write(p->failure[1], &rc, sizeof rc) < 0)
        _exit(126);
    _exit(127);
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static int open_pipes(struct start_pipes *p)
{
    *p = (struct start_pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    return pipe2(p->in, O_CLOEXEC) || pipe2(p->out, O_CLOEXEC) || pipe2(p->failure, O_CLOEXEC) ? -errno : 0;
}

static void take_end(int *from, int *to)
{
    *to = *from;
    *from = -1;
}

int subject_start(struct subject *s, const char *const *argv, const struct harness_guardian *guardian,
                  struct err *err)
{
    s->guardian = guardian;
    s->in = s->out = s->err = -1;
    struct start_pipes p;
    char **env = marked_environment(harness_guardian_mark(guardian));
    int rc = open_pipes(&p);
    rc = rc || env ? rc : -ENOMEM;
    if (!rc && (s->err = memfd_create("lb-stderr", MFD_CLOEXEC)) < 0)
        rc = -errno;
    pid_t pid = rc ? -1 : fork();
    if (!pid)
        become_subject(s, argv, env, &p);
    if (!rc && pid < 0)
        rc = -errno;
    if (!rc) {
        s->tree.sid = pid;
        take_end(&p.in[1], &s->in);
        take_end(&p.out[0], &s->out);
        close(p.failure[1]);
        p.failure[1] = -1;
        int failure = 0; /* end of file: exec went well, and closed it */
        if (read(p.failure[0], &failure, sizeof failure) == sizeof failure)
            rc = -failure;
        else if (fcntl(s->in, F_SETFL, O_NONBLOCK))
            rc = -errno;
    }
    close_pair(p.in);
    close_pair(p.out);
    close_pair(p.failure);
    free(env);
    return rc ? err_set_errno(err, rc, "cannot start '%s'", argv[0]) : 0;
}

/* The end of what it wrote to standard error, as one line. */
static void last_words(const struct subject *s, char *buf, size_t size)
{
    buf[0] = '\0';
    off_t end = lseek(s->err, 0, SEEK_END);
    off_t from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t n = end > 0 ? pread(s->err, buf, size - 1, from) : 0;
    buf[n > 0 ? n : 0] = '\0';
    for (char *p = buf; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    for (size_t len = strlen(buf); len && buf[len - 1] == ' '; len--)
        buf[len - 1] = '\0';
}

/* It closed its output: says how it ended, and what it said last. */
static int report_end(struct subject *s, struct err *err)
{
    char words[LAST_WORDS];
    last_words(s, words, sizeof words);
    const char *colon = words[0] ? ": " : "";
    int status = 0;
    pid_t got = 0;
    for (int i = 0; i < 500 && got == 0; i++) { /* output closed and ended are two moments */
        got = waitpid(s->tree.sid, &status, WNOHANG);
        if (got == 0)
            clock_sleep_ns(1000000);
    }
    if (got == s->tree.sid && WIFSIGNALED(status))
        return err_set(err, -EPIPE, "the trial was killed by signal %d (%s)%s%s", WTERMSIG(status),
                       strsignal(WTERMSIG(status)), colon, words);
    if (got == s->tree.sid)
        return err_set(err, -EPIPE, "the trial ended with exit code %d%s%s", WEXITSTATUS(status), colon,
                       words);
    return err_set(err, -EPIPE, "the trial closed its output%s%s", colon, words);
}

static int stop_asked(const struct subject *s)
{
    return s->stop && *s->stop;
}

/* Its leader is dead, whoever else of its tree may still hold the pipes. */
static int is_over(const struct subject *s)
{
    siginfo_t info = {0};
    return !waitid(P_PID, (id_t)s->tree.sid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* Waits until its end of a pipe can be read from or written to (or was closed). */
static int wait_ready(struct subject *s, int fd, short events, uint64_t deadline, struct err *err)
{
    for (;;) {
        if (stop_asked(s))
            return err_set(err, -EINTR, "interrupted");
        uint64_t now = clock_now_ns();
        if (now >= deadline)
            return err_set(err, -ETIMEDOUT, "no answer from the trial in time");
        uint64_t left_ms = (deadline - now) / 1000000 + 1;
        struct pollfd p = {.fd = fd, .events = events};
        int n = poll(&p, 1, left_ms > (uint64_t)SLICE_MS ? SLICE_MS : (int)left_ms);
        if (n > 0)
            return 0;
        if (n == 0 && is_over(s))
            return report_end(s, err);
        if (n < 0 && errno != EINTR)
            return err_set_errno(err, -errno, "cannot wait for the trial");
    }
}

/* The pipe does not block: a subject that reads nothing must not hold the harness up. */
static int write_line(struct subject *s, const char *text, size_t n, uint64_t deadline, struct err *err)
{
    while (n) {
        int rc = wait_ready(s, s->in, POLLOUT, deadline, err);
        if (rc)
            return rc;
        ssize_t done = write(s->in, text, n);
        if (done < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (done < 0 && errno == EPIPE)
            return report_end(s, err);
        if (done < 0)
            return err_set_errno(err, -errno, "cannot write to the trial");
        text += done;
        n -= (size_t)done;
    }
    return 0;
}

static int send_json(struct subject *s, json_t *line, uint64_t deadline, struct err *err)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text)
        return err_set(err, -ENOMEM, "out of memory for a line to the trial");
    size_t n = strlen(text);
    text[n] = '\n'; /* in place of the terminator */
    int rc = write_line(s, text, n + 1, deadline, err);
    free(text);
    return rc;
}

static int grow(struct subject *s, struct err *err)
{
    if (s->len + 4096 <= s->cap)
        return 0;
    size_t cap = s->cap ? 2 * s->cap : 16384;
    if (cap > LINE_BYTES_MAX)
        return err_set(err, -EMSGSIZE, "a line of the trial is longer than %d MiB", LINE_BYTES_MAX >> 20);
    char *more = realloc(s->buf, cap);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for a line of the trial");
    s->buf = more;
    s->cap = cap;
    return 0;
}

/* Reads until buf holds a whole line; *n is its length without the newline. */
static int read_line(struct subject *s, uint64_t deadline, size_t *n, struct err *err)
{
    for (size_t seen = 0;;) { /* bytes without a newline among them */
        char *newline = s->len > seen ? memchr(s->buf + seen, '\n', s->len - seen) : NULL;
        if (newline) {
            *n = (size_t)(newline - s->buf);
            return 0;
        }
        seen = s->len;
        int rc = grow(s, err);
        rc = rc ? rc : wait_ready(s, s->out, POLLIN, deadline, err);
        if (rc)
            return rc;
        ssize_t got = read(s->out, s->buf + s->len, s->cap - s->len);
        if (got == 0)
            return report_end(s, err);
        if (got < 0 && errno != EINTR)
            return err_set_errno(err, -errno, "cannot read from the trial");
        s->len += got > 0 ? (size_t)got : 0;
    }
}

int subject_ask(struct subject *s, json_t *line, uint64_t timeout_ns, json_t **answer, struct err *err)
{
    *answer = NULL;
    uint64_t deadline = clock_now_ns() + timeout_ns;
    int rc = send_json(s, line, deadline, err);
    size_t n = 0;
    rc = rc ? rc : read_line(s, deadline, &n, err);
    if (rc)
        return rc;
    json_error_t why;
    json_t *o = json_loadb(s->buf, n, 0, &why);
    if (!json_is_object(o))
        rc = err_set(err, -EPROTO, "the trial answered something that is no JSON object: '%.*s'",
                     n < 80 ? (int)n : 80, s->buf);
    memmove(s->buf, s->buf + n + 1, s->len - n - 1);
    s->len -= n + 1;
    const char *failure = rc ? NULL : json_string_value(json_object_get(o, "error"));
    if (failure)
        rc = err_set(err, -EREMOTEIO, "%s", failure);
    if (rc)
        json_decref(o);
    else
        *answer = o;
    return rc;
}

/* The waiting way: the CPU clock of the tree has not moved for STILL_NS, and none of it waits for a CPU. */
static int wait_still(struct subject *s, struct err *err)
{
    uint64_t until = clock_now_ns() + SLEEP_WAIT_NS, last = harness_tree_cpu_ns(&s->tree),
             since = clock_now_ns();
    while (clock_now_ns() - since < STILL_NS) {
        clock_sleep_ns(STILL_NS / 4);
        uint64_t cpu = harness_tree_cpu_ns(&s->tree);
        if (cpu != last || harness_tree_runnable(&s->tree))
            since = clock_now_ns();
        last = cpu;
        if (clock_now_ns() > until)
            return err_set(err, -ETIMEDOUT, "the trial keeps using CPU time when it should rest");
    }
    return 0;
}

int subject_sleep(struct subject *s, struct err *err)
{
    if (s->rest == SUBJECT_REST_WAIT)
        return wait_still(s, err);
    uint64_t until = clock_now_ns() + STOP_WAIT_NS;
    harness_tree_signal(&s->tree, SIGSTOP);
    while (harness_tree_awake(&s->tree)) {
        if (clock_now_ns() > until)
            return err_set(err, -ETIMEDOUT, "a process of the trial does not stop");
        clock_sleep_ns(20000);
    }
    return 0;
}

void subject_wake(struct subject *s)
{
    if (s->rest == SUBJECT_REST_STOP)
        harness_tree_signal(&s->tree, SIGCONT);
}

int subject_end(struct subject *s, struct err *err)
{
    pid_t sid = s->tree.sid;
    int rc = harness_tree_kill(&s->tree, END_WAIT_NS, err);
    if (sid > 0 && !rc)
        harness_guardian_forget(s->guardian, sid);
    int *fds[] = {&s->in, &s->out, &s->err};
    for (size_t i = 0; i < 3; i++)
        if (s->guardian && *fds[i] >= 0) /* all-zero: it was never started */
            close(*fds[i]);
    harness_tree_fini(&s->tree);
    free(s->buf);
    *s = (struct subject){.in = -1, .out = -1, .err = -1};
    return rc;
}
