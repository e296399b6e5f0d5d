/* The guardian: a forked child that reads notes from a pipe and acts when the pipe ends.
 *
 * A note is one pid_t: positive = guard this session, negative = forget it. Notes are smaller than PIPE_BUF, so writes
 * of several processes do not mix. Invariants: (1) only the harness and its children between fork and exec hold the
 * writing end (it is close-on-exec), so end-of-file means that the harness is gone; (2) a session is enlisted before
 * exec, so it is known before it can start anything; (3) the guardian has a session of its own and is born with all
 * signals blocked, so Ctrl-C or a hang-up of the terminal does not take it along with the harness.
 *
 * What leaves its session (a daemon: setsid, its parent gone) is known by the mark in its environment, which it was
 * executed with and hands on. A subject that is a harness itself adds its own mark to the one it has, so that the outer
 * guardian, which ends the inner one too, knows the inner subjects. Only what clears its environment escapes. */
#include "harness/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/tree.h"

enum { SESSIONS_MAX = 4096 };

static const uint64_t KILL_WAIT_NS = UINT64_C(2000000000);

struct harness_guardian {
    pid_t pid;
    int notes; /* writing end */
    char mark[HARNESS_MARK_BYTES];
};

static void note(pid_t *sessions, size_t *n, pid_t what)
{
    if (what > 0 && *n < SESSIONS_MAX) {
        sessions[(*n)++] = what;
        return;
    }
    for (size_t i = 0; i < *n; i++)
        if (sessions[i] == -what) {
            sessions[i] = sessions[--*n];
            return;
        }
}

static _Noreturn void guard(int notes, const char *mark)
{
    setsid();
    prctl(PR_SET_NAME, "lb-guardian");
    if (notes > 3 && dup2(notes, 3) == 3)
        notes = 3;
    close_range((unsigned)notes + 1, ~0U, 0);
    for (int fd = 0; fd < 3; fd++) /* a reader of our output must not wait for the guardian */
        if (fd != notes)
            close(fd);
    pid_t sessions[SESSIONS_MAX];
    size_t n = 0;
    pid_t what;
    ssize_t got;
    while ((got = read(notes, &what, sizeof what)) == sizeof what || (got < 0 && errno == EINTR))
        if (got > 0)
            note(sessions, &n, what);
    for (size_t i = 0; i < n; i++) {
        struct harness_tree tree = {.sid = sessions[i]};
        harness_tree_kill(&tree, KILL_WAIT_NS, NULL);
        harness_tree_fini(&tree);
    }
    harness_marked_kill(mark, KILL_WAIT_NS, NULL);
    _exit(0);
}

/* No two of one machine are alike, nor are those before and after it was started anew. */
static int make_mark(char mark[HARNESS_MARK_BYTES])
{
    unsigned long long random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -errno;
    snprintf(mark, HARNESS_MARK_BYTES, "lb-%d-%016llx", (int)getpid(), random);
    return 0;
}

int harness_guardian_open(struct harness_guardian **out, struct err *err)
{
    *out = NULL;
    struct harness_guardian *g = malloc(sizeof *g);
    if (!g)
        return err_set(err, -ENOMEM, "out of memory for the guardian process");
    int ends[2], rc = make_mark(g->mark);
    if (rc || pipe2(ends, O_CLOEXEC)) {
        free(g);
        return err_set_errno(err, rc ? rc : -errno, "cannot make a pipe for the guardian process");
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    g->notes = ends[1];
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    g->pid = fork();
    if (!g->pid) {
        close(ends[1]);
        guard(ends[0], g->mark);
    }
    int failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    if (g->pid < 0) {
        close(ends[1]);
        free(g);
        return err_set_errno(err, -failure, "cannot start the guardian process");
    }
    *out = g;
    return 0;
}

static int send_note(const struct harness_guardian *g, pid_t what)
{
    ssize_t n;
    do
        n = write(g->notes, &what, sizeof what);
    while (n < 0 && errno == EINTR);
    return n == sizeof what ? 0 : -EPIPE;
}

int harness_guardian_enlist(const struct harness_guardian *g)
{
    return send_note(g, getpid());
}

const char *harness_guardian_mark(const struct harness_guardian *g)
{
    return g->mark;
}

void harness_guardian_forget(const struct harness_guardian *g, pid_t sid)
{
    send_note(g, -sid);
}

void harness_guardian_close(struct harness_guardian *g)
{
    if (!g)
        return;
    close(g->notes);
    while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(g);
}
