/* The kernel's software events by perf_event_open(2): there is no hardware to be missing, only permission. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters_source.h"

static const struct {
    const char *name;
    uint64_t config;
} software[] = {
    {"perf::context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"perf::page-faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::task-clock", PERF_COUNT_SW_TASK_CLOCK},
};

/* One folder for each kind of core's PMU: cpu, or cpu_core and cpu_atom, or armv8_... */
bool counters_has_pmu(const char *root)
{
    static const char *const names[] = {"cpu", "cpu_core", "armv8_pmuv3_0"};
    char path[1100];
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/sys/bus/event_source/devices/%s", root, names[i]);
        found = found || !access(path, F_OK);
    }
    return found;
}

static int paranoid(void)
{
    int level = -1;
    FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (f && fscanf(f, "%d", &level) != 1)
        level = -1;
    if (f)
        fclose(f);
    return level;
}

/* On one thread and what it starts from now on. */
static int open_event(uint64_t config, pid_t tid)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = config,
                                   .inherit = 1,
                                   .read_format =
                                       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && errno == EACCES) { /* without CAP_PERFMON: what happens in user mode may still be counted */
        attr.exclude_kernel = 1;
        fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

/* One descriptor a thread: a thread that is there already (a BLAS starts its pool while it is loaded) inherits nothing. One
 * that ended meanwhile is not missed. The error of the first that cannot be opened stands for its part. */
static int open_for_threads(const struct counter_scope *s, struct counter_event *e, uint64_t config)
{
    int opened = 0;
    for (size_t t = 0; t < s->nthreads; t++) {
        struct counter_sum *part = &e->part[s->thread[t].part];
        e->fd[t] = open_event(config, s->thread[t].tid);
        opened += e->fd[t] >= 0;
        if (e->fd[t] < 0 && errno != ESRCH && !part->lost)
            part->lost = errno;
    }
    return opened;
}

static int first_lost(const struct counter_scope *s, const struct counter_event *e)
{
    for (size_t p = 0; p < s->nparts; p++)
        if (e->part[p].lost)
            return e->part[p].lost;
    return ESRCH;
}

void counters_perf_open(const struct counter_scope *s, struct counter_event *event, size_t *n)
{
    enum { EVENTS = sizeof software / sizeof *software };
    counters_scope_make_room(EVENTS * s->nthreads);
    for (size_t i = 0; i < EVENTS; i++) {
        struct counter_event *e = &event[(*n)++];
        e->name = software[i].name;
        e->fd = calloc(s->nthreads + 1, sizeof *e->fd);
        e->available = e->fd && open_for_threads(s, e, software[i].config) > 0;
        if (!e->available)
            snprintf(e->reason, sizeof e->reason, "perf_event_open: %s (perf_event_paranoid is %d)",
                     strerror(e->fd ? first_lost(s, e) : ENOMEM), paranoid());
    }
}

static void add_reading(int fd, struct counter_reading *sum)
{
    uint64_t got[3] = {0};
    if (read(fd, got, sizeof got) != (ssize_t)sizeof got)
        sum->failed = true;
    sum->value += got[0];
    sum->enabled_ns += got[1];
    sum->running_ns += got[2];
}

void counters_perf_read(const struct counter_scope *s, const struct counter_event *event, size_t n,
                        struct counter_reading *reading)
{
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; event[i].available && t < s->nthreads; t++)
            if (event[i].fd[t] >= 0)
                add_reading(event[i].fd[t], &reading[i * s->nparts + s->thread[t].part]);
}

void counters_perf_close(struct counter_event *event, size_t n, size_t nthreads)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; event[i].fd && t < nthreads; t++)
            if (event[i].fd[t] >= 0)
                close(event[i].fd[t]);
        free(event[i].fd);
    }
}
