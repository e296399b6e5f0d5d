/* Limits that many workers run into: descriptors, processes, processes of the container. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "doctor.h"

extern const struct doctor_check doctor_check_limits;

enum { DESCRIPTORS_LEAST = 4096, PROCESSES_LEAST = 1024 };

static json_t *limit_json(rlim_t limit)
{
    return limit == RLIM_INFINITY ? json_null() : json_integer((json_int_t)limit);
}

/* "max" and a missing file are no limit. */
static bool container_processes(const struct doctor *d, long *out)
{
    return doctor_number(d, "/sys/fs/cgroup/pids.max", out) ||
           doctor_number(d, "/sys/fs/cgroup/pids/pids.max", out);
}

static void look(struct doctor *d)
{
    struct rlimit files, processes;
    long container;
    int found = 0;
    if (getrlimit(RLIMIT_NOFILE, &files) || getrlimit(RLIMIT_NPROC, &processes))
        return;
    doctor_figure(d, "descriptors", limit_json(files.rlim_cur));
    doctor_figure(d, "processes", limit_json(processes.rlim_cur));
    if (files.rlim_cur != RLIM_INFINITY && files.rlim_cur < DESCRIPTORS_LEAST && ++found)
        doctor_find(d, DOCTOR_NOTE,
                    "ulimit -n 65536: loaders that pass descriptors keep one for each batch held",
                    "at most %llu open files (hard limit %llu)", (unsigned long long)files.rlim_cur,
                    (unsigned long long)files.rlim_max);
    if (processes.rlim_cur != RLIM_INFINITY && processes.rlim_cur < PROCESSES_LEAST && ++found)
        doctor_find(d, DOCTOR_COSTS, "ulimit -u, or fewer workers: a BLAS counts its threads too",
                    "at most %llu processes and threads of this user",
                    (unsigned long long)processes.rlim_cur);
    if (container_processes(d, &container)) {
        doctor_figure(d, "container_processes", json_integer(container));
        if (container < PROCESSES_LEAST && ++found)
            doctor_find(d, DOCTOR_COSTS, "--pids-limit, or fewer workers",
                        "the container may have %ld processes and "
                        "threads",
                        container);
    }
    if (!found)
        doctor_find(d, DOCTOR_FINE, NULL,
                    "limits: descriptors and processes are enough for hundreds of workers");
}

const struct doctor_check doctor_check_limits = {
    .name = "limits",
    .summary = "descriptors and processes",
    .look = look,
};
