/* The CPU budget: sched_getaffinity (which already honours the cpuset), and the CFS quota at each level of
 * the cgroup tree, version 2 (cpu.max) and version 1 (cpu.cfs_quota_us over cpu.cfs_period_us). Source:
 * Linux, Documentation/admin-guide/cgroup-v2.rst ("cpu.max") and scheduler/sched-bwc.rst. */
#include "harness/budget.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

static bool read_file(const char *path, char *buf, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(buf, 1, size - 1, f);
    fclose(f);
    buf[n] = '\0';
    return n > 0;
}

/* CPUs' worth of time a group's files grant; 0 = no limit here. */
static double quota_at(const char *folder, bool v2, char *from, size_t from_size)
{
    char path[PATH_BYTES + 64], text[128];
    double quota = 0, period = 0;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        if (!read_file(path, text, sizeof text) || sscanf(text, "%lf %lf", &quota, &period) != 2)
            return 0; /* "max 100000": no number first */
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        if (!read_file(path, text, sizeof text) || sscanf(text, "%lf", &period) != 1)
            return 0;
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        if (!read_file(path, text, sizeof text) || sscanf(text, "%lf", &quota) != 1)
            return 0;
    }
    if (quota <= 0 || period <= 0)
        return 0;
    snprintf(from, from_size, "%s", path);
    return quota / period;
}

/* Walks from the group up to the mount, keeping the tightest quota. */
static void walk_up(const char *mount, const char *group, bool v2, struct harness_budget *out)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s%s", mount, strcmp(group, "/") ? group : "");
    size_t stop = strlen(mount);
    for (;;) {
        char from[sizeof out->quota_from];
        double quota = quota_at(folder, v2, from, sizeof from);
        if (quota > 0 && (out->quota == 0 || quota < out->quota)) {
            out->quota = quota;
            memcpy(out->quota_from, from, sizeof from);
        }
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < stop || strlen(folder) <= stop)
            return;
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == ',') && (p[n] == '\0' || p[n] == ',' || p[n] == '\n'))
            return true;
    return false;
}

/* Where a hierarchy is mounted, and which of its folders the mount shows at its top (a container sees only
 * its own). */
static bool find_mount(const char *root, bool v2, char mount[PATH_BYTES], char top[PATH_BYTES])
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    char *line = NULL;
    size_t cap = 0;
    bool found = false;
    while (!found && getline(&line, &cap, f) > 0) {
        char where[PATH_BYTES / 2], shown[PATH_BYTES / 2], type[64], options[512];
        char *dash = strstr(line, " - ");
        if (!dash || sscanf(line, "%*s %*s %*s %511s %511s", shown, where) != 2 ||
            sscanf(dash, " - %63s %*s %511s", type, options) != 2)
            continue;
        found = v2 ? !strcmp(type, "cgroup2") : !strcmp(type, "cgroup") && has_word(options, "cpu");
        if (found) {
            snprintf(mount, PATH_BYTES, "%s%s", root, where);
            snprintf(top, PATH_BYTES, "%s", shown);
        }
    }
    free(line);
    fclose(f);
    return found;
}

/* The group as seen below the mount: what the mount shows at its top is left out of the path. */
static const char *below(const char *group, const char *top)
{
    size_t n = strlen(top);
    if (!strcmp(top, "/") || strncmp(group, top, n) || (group[n] != '/' && group[n] != '\0'))
        return group;
    return group[n] ? group + n : "/";
}

static void read_quota(const char *root, struct harness_budget *out)
{
    char path[PATH_BYTES], mount[PATH_BYTES], top[PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        bool v2 = controllers[1] == '\0';
        if ((v2 || has_word(controllers + 1, "cpu")) && find_mount(root, v2, mount, top))
            walk_up(mount, below(group, top), v2, out);
    }
    free(line);
    fclose(f);
}

static int count_affinity(void)
{
    /* Grown until the kernel's own mask fits: sched_getaffinity fails with EINVAL before. */
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        int n = sched_getaffinity(0, size, set) ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (n)
            return n;
    }
    return 1;
}

void harness_budget_read(const char *root, int affinity, struct harness_budget *out)
{
    *out = (struct harness_budget){.affinity = affinity ? affinity : count_affinity()};
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    out->installed = online > 0 ? (int)online : out->affinity;
    read_quota(root, out);
    int quota = out->quota > 0 ? (int)ceil(out->quota) : out->affinity;
    bool quota_binds = quota < out->affinity || (out->quota > 0 && out->quota < out->affinity);
    out->cpus = quota < out->affinity ? quota : out->affinity;
    if (out->cpus < 1)
        out->cpus = 1;
    if (quota_binds)
        snprintf(out->text, sizeof out->text, "%d (CFS quota of %.3g CPUs; %d in the affinity mask)",
                 out->cpus, out->quota, out->affinity);
    else
        snprintf(out->text, sizeof out->text, "%d (affinity mask; %d online)", out->cpus, out->installed);
}
