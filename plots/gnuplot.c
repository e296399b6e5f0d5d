/* Starting gnuplot and listening to it; see gnuplot.h. It runs in a process group of its own, so that all of
 * it can be ended when its time is up. */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unit.h"

enum { KEPT_BYTES = 1 << 20 };

static const char *program_of(const struct gnuplot_call *call)
{
    return call->program ? call->program : "gnuplot";
}

static double timeout_of(const struct gnuplot_call *call)
{
    return call->timeout_ns > 0 ? call->timeout_ns : 60e9;
}

struct child {
    pid_t pid;
    int fds[2]; /* to read its standard output and standard error from */
};

/* Returns 0 or a positive errno, as posix_spawnp does. */
static int spawn(const struct gnuplot_call *call, const char *const *argv, const int out[2], const int err[2],
                 pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    int rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    if (!rc && call->dir)
        rc = posix_spawn_file_actions_addchdir_np(&actions, call->dir);
    if (!rc)
        rc = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int child_start(const struct gnuplot_call *call, const char *const *argv, struct child *c,
                       struct err *err)
{
    int out[2], complaint[2];
    if (pipe2(out, O_CLOEXEC))
        return err_set_errno(err, -errno, "cannot make a pipe for gnuplot");
    if (pipe2(complaint, O_CLOEXEC)) {
        int code = -errno;
        close(out[0]);
        close(out[1]);
        return err_set_errno(err, code, "cannot make a pipe for gnuplot");
    }
    int rc = spawn(call, argv, out, complaint, &c->pid);
    close(out[1]);
    close(complaint[1]);
    c->fds[0] = out[0];
    c->fds[1] = complaint[0];
    if (!rc)
        return 0;
    close(out[0]);
    close(complaint[0]);
    return err_set(err, -ENOTSUP, "cannot start '%s': %s (the package is called gnuplot or gnuplot-nox)",
                   argv[0], strerror(rc));
}

static int left_ms(uint64_t deadline_ns)
{
    uint64_t now = clock_now_ns();
    return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / 1000000 + 1);
}

/* Moves what can be read into `keep` (at most KEPT_BYTES of it); false at the end of the stream. */
static int drain(int fd, struct text *keep)
{
    char buf[16384];
    ssize_t n = read(fd, buf, sizeof buf);
    if (n > 0 && keep && keep->len < KEPT_BYTES)
        text_add_bytes(keep, buf, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Reads both streams to their ends; false when time is up first. */
static int listen_to(struct child *c, struct text *output, struct text *complaint, uint64_t deadline_ns)
{
    struct text *keep[2] = {output, complaint};
    struct pollfd p[2] = {{c->fds[0], POLLIN, 0}, {c->fds[1], POLLIN, 0}};
    while (p[0].fd >= 0 || p[1].fd >= 0) {
        int ms = left_ms(deadline_ns);
        if (ms == 0)
            return 0;
        if (poll(p, 2, ms) <= 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (p[i].fd >= 0 && p[i].revents && !drain(p[i].fd, keep[i]))
                p[i].fd = -1;
    }
    return 1;
}

/* Waits for the end; a child that closed its streams but goes on is ended when time is up. */
static int child_end(struct child *c, int in_time, uint64_t deadline_ns, int *status)
{
    while (in_time && waitpid(c->pid, status, WNOHANG) == 0) {
        if (left_ms(deadline_ns) == 0)
            in_time = 0;
        else
            clock_sleep_ns(1000000);
    }
    if (!in_time) {
        kill(-c->pid, SIGKILL);
        while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
            ;
    }
    close(c->fds[0]);
    close(c->fds[1]);
    return in_time;
}

static int run(const struct gnuplot_call *call, const char *const *argv, struct text *output,
               struct text *complaint, int *status, struct err *err)
{
    struct child c;
    int rc = child_start(call, argv, &c, err);
    if (rc)
        return rc;
    uint64_t deadline = clock_now_ns() + (uint64_t)timeout_of(call);
    int in_time = listen_to(&c, output, complaint, deadline);
    if (child_end(&c, in_time, deadline, status))
        return 0;
    char buf[UNIT_TEXT];
    return err_set(err, -ETIMEDOUT, "'%s' did not end within %s", argv[0],
                   unit_format_ns(buf, timeout_of(call), 3));
}

int plot__gnuplot_check(const struct gnuplot_call *call, struct err *err)
{
    const char *argv[] = {program_of(call), "--version", NULL};
    struct gnuplot_call here = {.program = call->program, .timeout_ns = call->timeout_ns};
    struct text output = {0};
    int status = 0, major = 0, minor = 0;
    int rc = run(&here, argv, &output, NULL, &status, err);
    if (!rc && (status != 0 || sscanf(text_get(&output), "gnuplot %d.%d", &major, &minor) != 2))
        rc = err_set(err, -ENOTSUP, "'%s --version' does not answer as gnuplot does", argv[0]);
    if (!rc && (major < GNUPLOT_LEAST_MAJOR || (major == GNUPLOT_LEAST_MAJOR && minor < GNUPLOT_LEAST_MINOR)))
        rc = err_set(err, -ENOTSUP, "'%s' is gnuplot %d.%d, at least %d.%d is needed", argv[0], major, minor,
                     GNUPLOT_LEAST_MAJOR, GNUPLOT_LEAST_MINOR);
    text_fini(&output);
    return rc;
}

/* The last line that says something; cut to what fits an error. */
static void last_line(const char *complaint, char *buf, size_t size)
{
    size_t end = strlen(complaint);
    while (end > 0 && strchr(" \n\r\t", complaint[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && complaint[begin - 1] != '\n')
        begin--;
    while (begin < end && complaint[begin] == ' ')
        begin++;
    snprintf(buf, size, "%.*s", (int)(end - begin), complaint + begin);
}

int plot__gnuplot_run(const struct gnuplot_call *call, const char *const *scripts, size_t nscripts,
                      struct err *err)
{
    const char **argv = calloc(nscripts + 3, sizeof *argv);
    if (!argv)
        return err_set(err, -ENOMEM, "out of memory");
    argv[0] = program_of(call);
    argv[1] = "-d"; /* a person's own start-up file must not change the pictures */
    for (size_t i = 0; i < nscripts; i++)
        argv[i + 2] = scripts[i];
    struct text complaint = {0};
    int status = 0;
    int rc = run(call, argv, call->output, &complaint, &status, err);
    if (!rc && status != 0) {
        char line[300];
        last_line(text_get(&complaint), line, sizeof line);
        if (WIFSIGNALED(status))
            rc = err_set(err, -EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
        else
            rc = err_set(err, -EIO, "gnuplot failed: %s", line[0] ? line : "it does not say why");
    }
    text_fini(&complaint);
    free(argv);
    return rc;
}
