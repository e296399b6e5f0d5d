/* The gate on itself: gates of known outcome through the real path, each a process of its own, with a candidate (or a
 * baseline) that a few lines of shell spoil. The shell stands between harness and trial and edits what passes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate.h"

/* Both rows do 200 us of work a sample, in an order that the seed decides. */
static const char suite_text[] =
    "arms:\n"
    "  - {name: inline, workers: 0, transform: spin=200us, data: 'synthetic:65536:16', shuffle: true}\n"
    "  - {name: by a worker, workers: 1, transform: spin=200us, data: 'synthetic:65536:16', shuffle: true}\n";

/* A build: PROGRAM is replaced by this program, quoted. */
static const char good[] =
    "cat | PROGRAM \"$@\"\n"; /* all have the same way to go: it counts as time untold */
static const char slow[] =
    "IFS= read -r spec\n"
    "{ printf '%s\\n' \"$spec\" | sed 's/spin=200us/spin=250us/'; exec cat; } | PROGRAM \"$@\"\n";
static const char crashes[] =
    "IFS= read -r spec\n"
    "{ printf '%s\\n' \"$spec\"; IFS= read -r turn; printf '%s\\n' \"$turn\"; kill -9 $$; } "
    "| PROGRAM \"$@\"\n";
static const char lacks_a_row[] = "IFS= read -r spec\n"
                                  "case $spec in *'\"workers\":1'*|*'\"workers\": 1'*) echo '{\"error\": "
                                  "\"unknown kernel\"}'; exit 1 ;; esac\n"
                                  "{ printf '%s\\n' \"$spec\"; exec cat; } | PROGRAM \"$@\"\n";
static const char other_samples[] =
    "IFS= read -r spec\n"
    "{ printf '%s\\n' \"$spec\" | sed 's/\"seed\": *[0-9]*/\"seed\":99/'; exec cat; } | PROGRAM \"$@\"\n";

static const char hides[] = "cat | PROGRAM \"$@\" | sed -u -E 's/\"(set_at|order_at)\"/\"my_\\1\"/g'\n";
static const char tells_a_tenth[] = "cat | PROGRAM \"$@\" | sed -u -E 's/(\"wall_ns\": ?[0-9]+)[0-9]/\\1/'\n";

static const struct selftest {
    const char *name, *baseline, *candidate;
    enum bench_exit expected;
} cases[] = {
    {"two equal builds pass", good, good, BENCH_EXIT_DONE},
    {"a slower build is a regression", good, slow, BENCH_EXIT_REGRESSION},
    {"swapped labels: a faster build passes", slow, good, BENCH_EXIT_DONE},
    {"a build that crashes fails", good, crashes, BENCH_EXIT_FAILED},
    {"a build that lacks a row fails", good, lacks_a_row, BENCH_EXIT_FAILED},
    {"a build that delivers other samples fails", good, other_samples, BENCH_EXIT_FAILED},
    {"a build that hides what it delivered fails", good, hides, BENCH_EXIT_FAILED},
    {"a build that tells a tenth of its time fails", good, tells_a_tenth, BENCH_EXIT_FAILED},
};
enum { CASES = sizeof cases / sizeof *cases };

struct place {
    char folder[64], program[PATH_MAX];
    char suite[128], baseline[128], candidate[128], said[128], result[128];
};

static int write_file(const char *path, const char *text, mode_t mode, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    size_t n = strlen(text);
    int rc = fd < 0 || write(fd, text, n) != (ssize_t)n ? -(errno ? errno : EIO) : 0;
    if (fd >= 0)
        close(fd);
    return rc ? err_set_errno(err, rc, "cannot write '%s'", path) : 0;
}

/* A script with PROGRAM replaced by the program's path, in quotes. */
static int write_build(const struct place *p, const char *path, const char *script, struct err *err)
{
    struct text t = {0};
    text_add(&t, "#!/bin/sh\n");
    for (const char *s = script; *s; s++) {
        if (strncmp(s, "PROGRAM", 7) != 0) {
            text_add_bytes(&t, s, 1);
            continue;
        }
        text_add_shell(&t, p->program);
        s += 6;
    }
    int rc = t.failed ? err_set(err, -ENOMEM, "out of memory for a script")
                      : write_file(path, text_get(&t), 0700, err);
    text_fini(&t);
    return rc;
}

static int make_place(struct place *p, struct err *err)
{
    const char *tmp = getenv("TMPDIR"); /* where temporary files go is the user's business */
    ssize_t n = readlink("/proc/self/exe", p->program, sizeof p->program - 1);
    if (n < 0)
        return err_set_errno(err, -errno, "cannot find this program");
    p->program[n] = '\0';
    int length = snprintf(p->folder, sizeof p->folder, "%s/loaderbench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (length >= (int)sizeof p->folder)
        return err_set(err, -ENAMETOOLONG, "TMPDIR is too long: %d bytes, at most %zu", length,
                       sizeof p->folder - 1);
    if (!mkdtemp(p->folder))
        return err_set_errno(err, -errno, "cannot make a folder '%s'", p->folder);
    snprintf(p->suite, sizeof p->suite, "%s/suite.yaml", p->folder);
    snprintf(p->baseline, sizeof p->baseline, "%s/baseline", p->folder);
    snprintf(p->candidate, sizeof p->candidate, "%s/candidate", p->folder);
    snprintf(p->said, sizeof p->said, "%s/said", p->folder);
    snprintf(p->result, sizeof p->result, "%s/result.jsonl", p->folder);
    return write_file(p->suite, suite_text, 0600, err);
}

static void remove_place(const struct place *p)
{
    const char *const files[] = {p->suite, p->baseline, p->candidate, p->said, p->result};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(p->folder);
}

/* Runs a gate of this program; *status is its exit status. */
static int run_gate(const struct place *p, const struct gate_settings *s, int *status, struct err *err)
{
    char margin[32], alpha[32], turn[32], budget[32];
    snprintf(margin, sizeof margin, "%.6g", s->margin);
    snprintf(alpha, sizeof alpha, "%.6g", s->alpha);
    snprintf(turn, sizeof turn, "%.6gs", s->turn_ns / 1e9);
    snprintf(budget, sizeof budget, "%.6gs", s->budget_ns / 1e9);
    const char *argv[] = {p->program,
                          "gate",
                          p->suite,
                          "--baseline-exe",
                          p->baseline,
                          "--candidate-exe",
                          p->candidate,
                          "--margin",
                          margin,
                          "--alpha",
                          alpha,
                          "--turn",
                          turn,
                          "--output",
                          p->result,
                          "--quiet",
                          s->budget_given ? "--budget" : NULL,
                          budget,
                          NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    unlink(p->result);
    if (posix_spawn_file_actions_init(&files))
        return err_set(err, -ENOMEM, "out of memory for a process");
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, p->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    int rc = posix_spawn(&pid, p->program, &files, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc)
        return err_set_errno(err, -rc, "cannot run '%s'", p->program);
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(err, -errno, "cannot wait for a gate");
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
    return 0;
}

static void show_said(const struct place *p, FILE *out)
{
    char line[512];
    FILE *f = fopen(p->said, "re");
    while (f && fgets(line, sizeof line, f))
        fprintf(out, "      | %s", line);
    if (f)
        fclose(f);
}

/* On a machine too busy to tell, two equal builds may well end as inconclusive; an alarm they must not raise. */
static enum bench_exit judge(const struct selftest *t, int status)
{
    if (status == (int)t->expected)
        return BENCH_EXIT_DONE;
    return t->expected == BENCH_EXIT_DONE && status == BENCH_EXIT_INCONCLUSIVE ? BENCH_EXIT_INCONCLUSIVE
                                                                               : BENCH_EXIT_FAILED;
}

/* *worst: of all cases so far, in the order 0, 3, 5. */
static int run_case(const struct place *p, const struct selftest *t, const struct gate_settings *s,
                    const struct bench_io *io, enum bench_exit *worst, struct err *err)
{
    int status = 0;
    int rc = write_build(p, p->baseline, t->baseline, err);
    rc = rc ? rc : write_build(p, p->candidate, t->candidate, err);
    rc = rc ? rc : run_gate(p, s, &status, err);
    if (rc)
        return rc;
    enum bench_exit found = judge(t, status);
    *worst = found > *worst ? found : *worst;
    fprintf(io->out, "%s  %s: exit %d",
            found == BENCH_EXIT_DONE     ? "ok  "
            : found == BENCH_EXIT_FAILED ? "FAIL"
                                         : "?   ",
            t->name, status);
    if (found != BENCH_EXIT_DONE)
        fprintf(io->out, ", expected %d", (int)t->expected);
    fputc('\n', io->out);
    if (found != BENCH_EXIT_DONE)
        show_said(p, io->out);
    fflush(io->out);
    return 0;
}

int gate_selftest(const struct gate_settings *s, const struct bench_io *io, struct err *err)
{
    struct place p = {.folder = ""};
    enum bench_exit worst = BENCH_EXIT_DONE;
    int rc = make_place(&p, err);
    for (size_t i = 0; !rc && i < CASES; i++)
        rc = io->stop && *io->stop ? err_set(err, -EINTR, "interrupted")
                                   : run_case(&p, &cases[i], s, io, &worst, err);
    if (*p.folder)
        remove_place(&p);
    if (!rc)
        fputs(worst == BENCH_EXIT_DONE ? "PASS: every gate exited as it should\n"
              : worst == BENCH_EXIT_FAILED
                  ? "FAIL: do not trust a verdict of this gate here\n"
                  : "INCONCLUSIVE: the machine is too busy to tell that equal builds are equal\n",
              io->out);
    return rc == -EINTR ? BENCH_EXIT_INTERRUPTED : rc ? BENCH_EXIT_FAILED : worst;
}
