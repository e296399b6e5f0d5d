/* Governor and turbo, where the kernel tells. */
#include <string.h>

#include "doctor.h"

extern const struct doctor_check doctor_check_frequency;

static void tell_turbo(struct doctor *d)
{
    long value;
    bool off;
    if (doctor_number(d, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
        off = value == 1;
    else if (doctor_number(d, "/sys/devices/system/cpu/cpufreq/boost", &value))
        off = value == 0;
    else
        return;
    doctor_figure(d, "turbo", json_boolean(!off));
    if (off)
        doctor_find(d, DOCTOR_NOTE, NULL, "turbo is off: steadier figures, lower ones");
    else
        doctor_find(d, DOCTOR_NOTE, "for steadier figures turn it off while measuring",
                    "turbo is on: the clock depends on how many CPUs are busy");
}

static void look(struct doctor *d)
{
    char governor[64], driver[64];
    if (!doctor_file(d, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor)) {
        doctor_figure(d, "governor", json_null());
        doctor_find(d, DOCTOR_NOTE, NULL,
                    "frequency: this kernel shows no governor (the host decides, in most virtual "
                    "machines)");
        return;
    }
    doctor_file(d, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", driver, sizeof driver);
    doctor_figure(d, "governor", json_string(governor));
    doctor_figure(d, "driver", json_string(driver));
    /* intel_pstate and amd-pstate-epp steer by hints: their powersave is an ordinary governor. */
    bool hinted = strstr(driver, "pstate") != NULL;
    bool slow = (!strcmp(governor, "powersave") && !hinted) || !strcmp(governor, "conservative");
    doctor_find(d, slow ? DOCTOR_COSTS : DOCTOR_FINE,
                slow ? "cpupower frequency-set -g performance (or schedutil) while it matters" : NULL,
                "frequency: governor %s by %s", governor, *driver ? driver : "an unknown driver");
    tell_turbo(d);
}

const struct doctor_check doctor_check_frequency = {
    .name = "frequency",
    .summary = "governor and turbo",
    .look = look,
};
