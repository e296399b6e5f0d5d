/* Process trees by session id, read from /proc. Source: proc(5), the fields of /proc/pid/stat. */
#include "harness/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

struct stat_line {
    char state;
    pid_t parent, sid;
};

/* The command name may hold spaces and parentheses: the last ')' ends it. */
static bool read_stat_at(const char *path, struct stat_line *out)
{
    char text[512];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *after = strrchr(text, ')');
    int parent, sid;
    if (!after || sscanf(after + 1, " %c %d %*d %d", &out->state, &parent, &sid) != 3)
        return false;
    out->parent = parent;
    out->sid = sid;
    return true;
}

static bool read_stat(pid_t pid, struct stat_line *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return read_stat_at(path, out);
}

static bool is_dead(char state)
{
    return state == 'Z' || state == 'X';
}

static const struct harness_tree_member *find_member(const struct harness_tree_member *list, size_t n,
                                                     pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].pid == pid)
            return &list[i];
    return NULL;
}

static int add_member(struct harness_tree *t, struct harness_tree_member member)
{
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 8;
        struct harness_tree_member *more = realloc(t->member, cap * sizeof *more);
        if (!more)
            return -ENOMEM;
        t->member = more;
        t->cap = cap;
    }
    t->member[t->n++] = member;
    return 0;
}

/* Each process that is there; use() may end the walk with -ENOMEM. */
static int each_process(int (*use)(void *arg, pid_t pid, const struct stat_line *line), void *arg,
                        struct err *err)
{
    DIR *dir = opendir("/proc");
    if (!dir)
        return err_set_errno(err, -errno, "cannot list the processes in /proc");
    int rc = 0;
    struct dirent *e;
    while (!rc && (e = readdir(dir))) {
        pid_t pid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;
        struct stat_line line;
        if (pid && read_stat(pid, &line))
            rc = use(arg, pid, &line);
    }
    closedir(dir);
    return rc ? err_set(err, rc, "out of memory for the process list") : 0;
}

struct sorting {
    struct harness_tree *const *trees;
    struct harness_tree *old;
    size_t n;
};

/* Adds the process to the tree it belongs to, with the CPU reading it had there before. */
static int sort_in(void *arg, pid_t pid, const struct stat_line *line)
{
    const struct sorting *s = arg;
    for (size_t i = 0; i < s->n && !is_dead(line->state); i++) {
        if (s->trees[i]->sid != line->sid)
            continue;
        const struct harness_tree_member *before = find_member(s->old[i].member, s->old[i].n, pid);
        return add_member(s->trees[i], before ? *before : (struct harness_tree_member){.pid = pid});
    }
    return 0;
}

int harness_trees_find(struct harness_tree *const *trees, size_t n, struct err *err)
{
    struct sorting s = {.trees = trees, .old = calloc(n + 1, sizeof *s.old), .n = n};
    if (!s.old)
        return err_set(err, -ENOMEM, "out of memory for the process list");
    for (size_t i = 0; i < n; i++) {
        s.old[i] = *trees[i];
        *trees[i] = (struct harness_tree){.sid = s.old[i].sid};
    }
    int rc = each_process(sort_in, &s, err);
    for (size_t i = 0; i < n; i++) {
        harness_tree_fini(rc ? trees[i] : &s.old[i]);
        if (rc) /* as they were */
            *trees[i] = s.old[i];
    }
    free(s.old);
    return rc;
}

static int add_own(void *children, pid_t pid, const struct stat_line *line)
{
    return line->parent == getpid() ? add_member(children, (struct harness_tree_member){.pid = pid}) : 0;
}

int harness_children_find(struct harness_tree *out, struct err *err)
{
    *out = (struct harness_tree){0};
    int rc = each_process(add_own, out, err);
    if (rc)
        harness_tree_fini(out);
    return rc;
}

static void read_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(name, (int)size, f))
        snprintf(name, size, "?");
    if (f)
        fclose(f);
    name[strcspn(name, "\n")] = '\0';
}

/* One round: those that are there now. Returns how many are left, or a negative errno; *one is one of them. */
static int kill_orphans(const struct harness_tree *known, struct harness_tree *told,
                        void (*said)(void *arg, pid_t pid, const char *name), void *arg, pid_t *one,
                        struct err *err)
{
    struct harness_tree now;
    int left = 0, rc = harness_children_find(&now, err);
    for (size_t i = 0; !rc && i < now.n; i++) {
        pid_t pid = now.member[i].pid;
        char name[64];
        struct stat_line line;
        bool found = read_stat(pid, &line);
        if (!found || line.sid == getsid(0) || find_member(known->member, known->n, pid))
            continue;
        *one = pid;
        left++;
        if (!is_dead(line.state) && !find_member(told->member, told->n, pid)) {
            read_name(pid, name, sizeof name);
            rc = add_member(told, now.member[i]);
            if (!rc && said)
                said(arg, pid, name);
        }
        kill(pid, SIGKILL);
        waitpid(pid, NULL, WNOHANG);
    }
    harness_tree_fini(&now);
    return rc == -ENOMEM ? err_set(err, rc, "out of memory for the process list") : rc ? rc : left;
}

int harness_orphans_kill(const struct harness_tree *known, uint64_t wait_ns,
                         void (*said)(void *arg, pid_t pid, const char *name), void *arg, struct err *err)
{
    struct harness_tree told = {0};
    uint64_t until = clock_now_ns() + wait_ns;
    pid_t one = 0;
    int left;
    while ((left = kill_orphans(known, &told, said, arg, &one, err)) > 0) {
        if (clock_now_ns() > until) {
            left =
                err_set(err, -ETIMEDOUT,
                        "process %d, left behind by a trial, does not end although it was killed", (int)one);
            break;
        }
        clock_sleep_ns(200000);
    }
    harness_tree_fini(&told);
    return left;
}

uint64_t harness_tree_cpu_ns(struct harness_tree *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t now;
        if (!clock_cpu_ns(t->member[i].pid, &now))
            t->member[i].cpu_ns = now;
        sum += t->member[i].cpu_ns;
    }
    return sum;
}

static double delay_ns(pid_t pid)
{
    char path[64];
    double ns;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f || fscanf(f, "%*s %lf", &ns) != 1)
        ns = NAN;
    if (f)
        fclose(f);
    return ns;
}

double harness_tree_delay_ns(const struct harness_tree *t)
{
    double sum = delay_ns(getpid());
    for (size_t i = 0; i < t->n && !isnan(sum); i++) {
        double one = delay_ns(t->member[i].pid);
        sum += isnan(one) ? 0 : one; /* it has ended */
    }
    return sum;
}

size_t harness_tree_awake(const struct harness_tree *t)
{
    size_t awake = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct stat_line line;
        if (read_stat(t->member[i].pid, &line) && line.state != 'T' && line.state != 't' &&
            !is_dead(line.state))
            awake++;
    }
    return awake;
}

static size_t runnable_threads(pid_t pid)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    struct dirent *e;
    size_t n = 0;
    while (dir && (e = readdir(dir))) {
        struct stat_line line;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, e->d_name);
        n += e->d_name[0] != '.' && read_stat_at(path, &line) && line.state == 'R';
    }
    if (dir)
        closedir(dir);
    return n;
}

size_t harness_tree_runnable(const struct harness_tree *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += runnable_threads(t->member[i].pid);
    return n;
}

static double pss_bytes(pid_t pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return NAN;
    double kib = NAN;
    while (isnan(kib) && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %lf kB", &kib) != 1)
            kib = NAN;
    fclose(f);
    return kib * 1024;
}

double harness_tree_pss_bytes(const struct harness_tree *t)
{
    double sum = t->n ? 0 : NAN;
    for (size_t i = 0; i < t->n; i++)
        sum += pss_bytes(t->member[i].pid);
    return sum;
}

void harness_tree_signal(const struct harness_tree *t, int sig)
{
    if (t->sid <= 1)
        return;
    kill(-t->sid, sig); /* the leader's group has the number of the session */
    for (size_t i = 0; i < t->n; i++)
        if (getpgid(t->member[i].pid) != t->sid)
            kill(t->member[i].pid, sig);
}

int harness_tree_kill(struct harness_tree *t, uint64_t wait_ns, struct err *err)
{
    if (t->sid <= 1)
        return 0;
    uint64_t until = clock_now_ns() + wait_ns;
    for (;;) {
        struct harness_tree *one = t;
        int rc = harness_trees_find(&one, 1, err);
        if (rc)
            return rc;
        harness_tree_signal(t, SIGKILL);
        while (waitpid(-t->sid, NULL, WNOHANG) > 0)
            ; /* the leader, and orphans of its group that came to us as their subreaper */
        for (size_t i = 0; i < t->n; i++)
            waitpid(t->member[i].pid, NULL, WNOHANG);
        if (!t->n)
            return 0;
        if (clock_now_ns() > until)
            return err_set(err, -ETIMEDOUT, "process %d does not end although it was killed",
                           (int)t->member[0].pid);
        clock_sleep_ns(200000);
    }
}

/* ---- by their environment ---- */

/* Is the mark in what the process was executed with? Read in pieces that overlap by a mark. */
static bool is_marked(pid_t pid, const char *mark)
{
    char path[64], text[16384];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false, own = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid();
    size_t kept = 0, length = strlen(mark);
    for (ssize_t n; own && !found && (n = read(fd, text + kept, sizeof text - kept)) > 0;) {
        size_t have = kept + (size_t)n;
        found = memmem(text, have, mark, length) != NULL;
        kept = have < length ? have : length - 1;
        memmove(text, text + have - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

struct marking {
    const char *mark;
    size_t n;
};

static int kill_marked(void *arg, pid_t pid, const struct stat_line *line)
{
    struct marking *m = arg;
    if (pid == getpid() || is_dead(line->state) || !is_marked(pid, m->mark))
        return 0;
    kill(pid, SIGKILL);
    m->n++;
    return 0;
}

int harness_marked_kill(const char *mark, uint64_t wait_ns, struct err *err)
{
    uint64_t until = clock_now_ns() + wait_ns;
    for (;;) {
        struct marking m = {.mark = mark};
        int rc = each_process(kill_marked, &m, err);
        if (rc || !m.n)
            return rc;
        if (clock_now_ns() > until)
            return err_set(err, -ETIMEDOUT, "%zu processes of a trial do not end although they were killed",
                           m.n);
        clock_sleep_ns(1000000);
    }
}

void harness_tree_fini(struct harness_tree *t)
{
    free(t->member);
    *t = (struct harness_tree){0};
}
