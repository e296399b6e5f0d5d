/* Real control groups, where they can be made: root, and a hierarchy that is writable. */
#ifndef TESTS_HARNESS_GROUPS_H
#define TESTS_HARNESS_GROUPS_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int group_put(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    int rc = fputs(text, f) < 0;
    return fclose(f) || rc ? -1 : 0;
}

/* Puts the calling process into it. */
static inline int group_join(const char *folder)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    return group_put(folder, "cgroup.procs", pid);
}

/* A group that may run for so many of 100,000 us: version 1's cpu hierarchy, or a version 2 tree that hands out cpu. The
 * caller removes the folder. */
static inline int group_with_quota(int us, char *folder, size_t size)
{
    char quota[64];
    snprintf(folder, size, "/sys/fs/cgroup/cpu/lb_test_quota_%d", (int)getpid());
    if (!mkdir(folder, 0755)) {
        snprintf(quota, sizeof quota, "%d", us);
        if (!group_put(folder, "cpu.cfs_period_us", "100000") &&
            !group_put(folder, "cpu.cfs_quota_us", quota))
            return 0;
        rmdir(folder);
        return -1;
    }
    snprintf(folder, size, "/sys/fs/cgroup/lb_test_quota_%d", (int)getpid());
    if (access("/sys/fs/cgroup/cgroup.controllers", R_OK) || mkdir(folder, 0755))
        return -1;
    snprintf(quota, sizeof quota, "%d 100000", us);
    if (!group_put(folder, "cpu.max", quota))
        return 0;
    rmdir(folder);
    return -1;
}

/* A group that may use one CPU only. */
static inline int group_of_cpu(int cpu, char *folder, size_t size)
{
    char text[16];
    snprintf(text, sizeof text, "%d", cpu);
    snprintf(folder, size, "/sys/fs/cgroup/cpuset/lb_test_cpuset_%d", (int)getpid());
    if (!mkdir(folder, 0755)) {
        if (!group_put(folder, "cpuset.cpus", text) && !group_put(folder, "cpuset.mems", "0"))
            return 0;
        rmdir(folder);
        return -1;
    }
    snprintf(folder, size, "/sys/fs/cgroup/lb_test_cpuset_%d", (int)getpid());
    if (access("/sys/fs/cgroup/cgroup.controllers", R_OK) || mkdir(folder, 0755))
        return -1;
    if (!group_put(folder, "cpuset.cpus", text))
        return 0;
    rmdir(folder);
    return -1;
}

#endif
