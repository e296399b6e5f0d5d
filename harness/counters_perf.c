/* The kernel's software events by perf_event_open(2): there is no hardware to be missing, only permission. */
#include <dirent.h>
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

/* A thread that is there already (a BLAS starts its pool while it is loaded) inherits nothing: each gets its own. */
static void open_for_threads(struct counter_event *e, uint64_t config)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) && e->nhandles < COUNTER_HANDLES) {
        int fd = entry->d_name[0] == '.' ? -1 : open_event(config, (pid_t)atoi(entry->d_name));
        if (fd >= 0)
            e->handle[e->nhandles++] = fd;
    }
    if (dir)
        closedir(dir);
}

void counters_perf_open(struct counter_event *event, size_t *n)
{
    for (size_t i = 0; i < sizeof software / sizeof *software; i++) {
        struct counter_event *e = &event[(*n)++];
        *e = (struct counter_event){.name = software[i].name};
        errno = 0;
        open_for_threads(e, software[i].config);
        e->available = e->nhandles > 0;
        if (!e->available)
            snprintf(e->reason, sizeof e->reason, "perf_event_open: %s (perf_event_paranoid is %d)",
                     strerror(errno), paranoid());
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

void counters_perf_read(const struct counter_event *event, size_t n, struct counter_reading *reading)
{
    for (size_t i = 0; i < n; i++)
        for (int h = 0; h < event[i].nhandles; h++)
            add_reading(event[i].handle[h], &reading[i]);
}

void counters_perf_close(struct counter_event *event, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int h = 0; h < event[i].nhandles; h++)
            close(event[i].handle[h]);
}
