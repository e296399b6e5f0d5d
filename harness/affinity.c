/* Affinity of all threads of a process, by /proc and sched_setaffinity. */
#include "harness/affinity.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <hwloc/linux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls visit for each thread id of a process; stops at the first negative result. */
static int each_thread(int pid, int (*visit)(int tid, void *arg), void *arg)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? -ESRCH : -errno;
    int rc = 0;
    struct dirent *e;
    while (rc >= 0 && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            rc = visit(atoi(e->d_name), arg);
    closedir(dir);
    return rc < 0 ? rc : 0;
}

/* Digits, commas and hyphens, no number of more than seven digits: hwloc also takes "1;2" for 1, and fills half a
 * gigabyte for "-1". */
static int is_list(const char *list)
{
    size_t digits = 0;
    if (!isdigit((unsigned char)*list))
        return 0;
    for (; *list; list++) {
        int digit = isdigit((unsigned char)*list);
        digits = digit ? digits + 1 : 0;
        if (digits > 7 || (!digit && *list != ',' && *list != '-'))
            return 0;
    }
    return 1;
}

static int parse(const char *list, hwloc_bitmap_t out)
{
    return !is_list(list) || hwloc_bitmap_list_sscanf(out, list) || hwloc_bitmap_weight(out) < 1 ? -EINVAL
                                                                                                 : 0;
}

/* Source: sched_setaffinity(2): acts on one thread. */
static int bind_thread(int tid, void *arg)
{
    hwloc_const_bitmap_t set = arg;
    int cpus = hwloc_bitmap_last(set) + 1;
    cpu_set_t *mask = CPU_ALLOC((size_t)cpus);
    if (!mask)
        return -ENOMEM;
    size_t size = CPU_ALLOC_SIZE((size_t)cpus);
    CPU_ZERO_S(size, mask);
    for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i))
        CPU_SET_S((size_t)i, size, mask);
    int rc = sched_setaffinity(tid, size, mask) ? -errno : 0;
    CPU_FREE(mask);
    return rc == -ESRCH ? 0 : rc; /* a thread that ended meanwhile needs no binding */
}

static int bind_self(void *set)
{
    return bind_thread(0, set);
}

static int bind_all(void *set)
{
    return each_thread((int)getpid(), bind_thread, set);
}

static int bind_by(int (*bind)(void *set), const char *list, struct err *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set)
        return err_set(err, -ENOMEM, "out of memory for a CPU set");
    int rc = parse(list, set);
    if (rc)
        err_set(err, rc, "'%s' is not a list of CPUs", list);
    else if ((rc = bind(set)))
        err_set_errno(err, rc, "cannot bind to the CPUs %s", list);
    hwloc_bitmap_free(set);
    return rc;
}

int harness_affinity_bind(const char *list, struct err *err)
{
    return bind_by(bind_all, list, err);
}

int harness_affinity_bind_thread(const char *list, struct err *err)
{
    return bind_by(bind_self, list, err);
}

struct reading {
    hwloc_bitmap_t all, one;
    int threads, same;
};

static int read_thread(int tid, void *arg)
{
    struct reading *r = arg;
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return errno == ENOENT || errno == ESRCH ? 0 : -errno; /* it ended, or it cannot be told */
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "Cpus_allowed_list:", 18))
            continue;
        line[strcspn(line, "\n")] = '\0';
        hwloc_bitmap_list_sscanf(r->one, line + 18 + strspn(line + 18, " \t"));
        if (r->threads && !hwloc_bitmap_isequal(r->one, r->all))
            r->same = 0;
        hwloc_bitmap_or(r->all, r->all, r->one);
        r->threads++;
    }
    fclose(f);
    return 0;
}

int harness_affinity_read(int pid, char **out, int *threads, int *same, struct err *err)
{
    *out = NULL;
    struct reading r = {.all = hwloc_bitmap_alloc(), .one = hwloc_bitmap_alloc(), .same = 1};
    int rc = r.all && r.one ? each_thread(pid, read_thread, &r) : -ENOMEM;
    if (!rc && hwloc_bitmap_list_asprintf(out, r.all) < 0)
        rc = -ENOMEM;
    hwloc_bitmap_free(r.all);
    hwloc_bitmap_free(r.one);
    *threads = r.threads;
    *same = r.same;
    return rc ? err_set_errno(err, rc, "cannot read the CPU affinity of process %d", pid) : 0;
}

int harness_affinity_read_thread(int tid, char **out, struct err *err)
{
    *out = NULL;
    struct reading r = {.all = hwloc_bitmap_alloc(), .one = hwloc_bitmap_alloc(), .same = 1};
    int rc = r.all && r.one ? read_thread(tid, &r) : -ENOMEM;
    if (!rc && !r.threads)
        rc = -ESRCH;
    if (!rc && hwloc_bitmap_list_asprintf(out, r.all) < 0)
        rc = -ENOMEM;
    hwloc_bitmap_free(r.all);
    hwloc_bitmap_free(r.one);
    return rc ? err_set_errno(err, rc, "cannot read the CPU affinity of thread %d", tid) : 0;
}

int harness_affinity_equal(const char *a, const char *b)
{
    hwloc_bitmap_t x = hwloc_bitmap_alloc(), y = hwloc_bitmap_alloc();
    int equal = x && y && !parse(a, x) && !parse(b, y) && hwloc_bitmap_isequal(x, y);
    hwloc_bitmap_free(x);
    hwloc_bitmap_free(y);
    return equal;
}
