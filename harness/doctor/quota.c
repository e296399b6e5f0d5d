/* What the control groups and the affinity mask leave of the machine. */
#include "doctor.h"

extern const struct doctor_check doctor_check_quota;

static void look(struct doctor *d)
{
    const struct harness_budget *b = &d->budget;
    doctor_figure(d, "cpus", json_integer(b->cpus));
    doctor_figure(d, "affinity_cpus", json_integer(b->affinity));
    doctor_figure(d, "online_cpus", json_integer(b->installed));
    doctor_figure(d, "quota_cpus", b->quota > 0 ? json_real(b->quota) : json_null());
    if (b->quota > 0 && b->quota < b->affinity)
        doctor_find(d, DOCTOR_COSTS,
                    "plan with the quota: libraries that count CPUs start a thread for each of them and are "
                    "throttled together (set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to the quota)",
                    "CPU budget: %.3g CPUs by a CFS quota (%s), though %d CPUs are in the affinity mask",
                    b->quota, b->quota_from, b->affinity);
    else if (b->affinity < b->installed)
        doctor_find(d, DOCTOR_NOTE,
                    "nproc and tune see the mask; programs that count the machine's CPUs do not",
                    "CPU budget: %d of the %d CPUs that are online, by the affinity mask or a cpuset",
                    b->affinity, b->installed);
    else
        doctor_find(d, DOCTOR_FINE, NULL, "CPU budget: %s, no quota", b->text);
}

const struct doctor_check doctor_check_quota = {
    .name = "quota",
    .summary = "affinity mask, cpuset and CFS quota",
    .look = look,
};
