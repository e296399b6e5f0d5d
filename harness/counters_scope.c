/* Who is counted: every thread of the processes asked for, sorted into parts. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counters_source.h"

/* Is the thread named for itself by another entry? */
static bool is_somebody_else(const struct harness_counted *who, size_t n, size_t self, pid_t tid)
{
    for (size_t i = 0; i < n; i++)
        if (i != self && who[i].tid == tid)
            return true;
    return false;
}

static int add_thread(struct counter_scope *s, size_t part, pid_t tid)
{
    struct counter_thread *more = realloc(s->thread, (s->nthreads + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    s->thread = more;
    s->thread[s->nthreads++] = (struct counter_thread){tid, part};
    return 0;
}

static int add_process(struct counter_scope *s, const struct harness_counted *who, size_t n, size_t part)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)(who[part].pid ? who[part].pid : getpid()));
    DIR *dir = opendir(path);
    if (!dir)
        return -ESRCH;
    int rc = 0;
    struct dirent *e;
    while (!rc && (e = readdir(dir))) {
        pid_t tid = (pid_t)atoi(e->d_name);
        if (tid > 0 && !is_somebody_else(who, n, part, tid))
            rc = add_thread(s, part, tid);
    }
    closedir(dir);
    return rc;
}

static void own_first(struct counter_scope *s)
{
    for (size_t i = 1; i < s->nthreads; i++)
        if (s->thread[i].tid == getpid()) {
            struct counter_thread first = s->thread[0];
            s->thread[0] = s->thread[i];
            s->thread[i] = first;
        }
}

int counters_scope_init(struct counter_scope *s, const struct harness_counted *who, size_t n, struct err *err)
{
    static const struct harness_counted self = {0};
    *s = (struct counter_scope){.nparts = who ? n : 1};
    who = who ? who : &self;
    for (size_t i = 0; i < s->nparts; i++) {
        int rc = who[i].tid ? add_thread(s, i, who[i].tid) : add_process(s, who, s->nparts, i);
        if (rc) {
            counters_scope_fini(s);
            return err_set_errno(err, rc, "cannot list the threads of process %d", (int)who[i].pid);
        }
    }
    own_first(s);
    return 0;
}

void counters_scope_fini(struct counter_scope *s)
{
    free(s->thread);
    *s = (struct counter_scope){0};
}

void counters_scope_make_room(size_t descriptors)
{
    enum { SPARE = 256 }; /* for what is open already */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= descriptors + SPARE)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
