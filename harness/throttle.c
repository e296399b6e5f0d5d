/* Throttling and steal. Source: Linux, Documentation/scheduler/sched-bwc.rst (throttled_time, ns) and
 * admin-guide/cgroup-v2.rst (throttled_usec); proc(5) for steal. */
#include "throttle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void harness_throttle_init(struct harness_throttle *t, const char *quota_from)
{
    const char *slash = strrchr(quota_from, '/');
    t->stat[0] = '\0';
    if (slash)
        snprintf(t->stat, sizeof t->stat, "%.*s/cpu.stat", (int)(slash - quota_from), quota_from);
}

static double quota_ns(const char *path)
{
    char line[256];
    double value, ns = NAN;
    FILE *f = *path ? fopen(path, "re") : NULL;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "throttled_time %lf", &value) == 1)
            ns = value;
        if (sscanf(line, "throttled_usec %lf", &value) == 1)
            ns = value * 1e3;
    }
    if (f)
        fclose(f);
    return ns;
}

double harness_steal_ns(void)
{
    double ticks = NAN;
    FILE *f = fopen("/proc/stat", "re");
    if (f && fscanf(f, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) != 1)
        ticks = NAN;
    if (f)
        fclose(f);
    return ticks * (1e9 / (double)sysconf(_SC_CLK_TCK));
}

double harness_throttle_ns(const struct harness_throttle *t)
{
    double quota = quota_ns(t->stat), steal = harness_steal_ns();
    return isnan(quota) ? steal : isnan(steal) ? quota : quota + steal;
}

void harness_throttle_split(double wait_ns[RESULT_WAIT_CAUSES], double cpu_ns, double held_ns)
{
    wait_ns[RESULT_WAIT_THROTTLED] = isnan(held_ns) ? NAN : 0;
    if (!(held_ns > 0) || !(cpu_ns + held_ns > 0))
        return;
    static const enum result_wait causes[] = {RESULT_WAIT_COMPUTE, RESULT_WAIT_HEAD_OF_LINE,
                                              RESULT_WAIT_HANDOFF};
    double share = held_ns / (cpu_ns + held_ns);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        wait_ns[RESULT_WAIT_THROTTLED] += share * wait_ns[causes[i]];
        wait_ns[causes[i]] *= 1 - share;
    }
}
