/* Can hardware events be counted here, and if not, why? */
#include <string.h>

#include "counters_source.h"
#include "doctor.h"

extern const struct doctor_check doctor_check_counters;

/* CAP_PERFMON is bit 38, CAP_SYS_ADMIN bit 21 of the effective set. Source: capabilities(7). */
static bool may_count(const struct doctor *d)
{
    char status[4096];
    unsigned long long caps = 0;
    if (!doctor_file(d, "/proc/self/status", status, sizeof status))
        return false;
    const char *line = strstr(status, "CapEff:");
    return line && sscanf(line, "CapEff: %llx", &caps) == 1 && (caps >> 38 & 1 || caps >> 21 & 1);
}

static void look(struct doctor *d)
{
    long paranoid = -1, watchdog = 0;
    bool told = doctor_number(d, "/proc/sys/kernel/perf_event_paranoid", &paranoid);
    bool pmu = counters_has_pmu(d->cfg->root), capable = may_count(d);
    doctor_figure(d, "perf_event_paranoid", told ? json_integer(paranoid) : json_null());
    doctor_figure(d, "pmu", json_boolean(pmu));
    doctor_figure(d, "capable", json_boolean(capable));
    if (!told)
        doctor_find(d, DOCTOR_NOTE, NULL, "counters: this kernel has no perf events");
    else if (!pmu)
        doctor_find(d, DOCTOR_NOTE, NULL,
                    "counters: no PMU (%s): cycles, instructions and misses are unavailable here, the "
                    "kernel's software "
                    "events are not",
                    doctor_cpu_flag(d, "hypervisor") ? "the hypervisor gives none" : "the kernel shows none");
    else if (paranoid > 2 && !capable)
        doctor_find(d, DOCTOR_NOTE, "sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON for the program",
                    "counters: perf_event_paranoid is %ld: no event can be counted", paranoid);
    else
        doctor_find(d, DOCTOR_FINE, NULL,
                    "counters: hardware events can be counted (perf_event_paranoid %ld%s)", paranoid,
                    paranoid == 2 && !capable ? ", user mode only" : "");
    if (pmu && doctor_number(d, "/proc/sys/kernel/nmi_watchdog", &watchdog) && watchdog)
        doctor_find(d, DOCTOR_NOTE, "sysctl kernel.nmi_watchdog=0 while counting",
                    "the NMI watchdog holds one hardware counter: one event less fits at a time");
}

const struct doctor_check doctor_check_counters = {
    .name = "counters",
    .summary = "hardware events: PMU, permission, NMI watchdog",
    .look = look,
};
