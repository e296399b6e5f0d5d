/* Is there a hypervisor, which one, and how much time has it taken? */
#include <string.h>

#include "doctor.h"

extern const struct doctor_check doctor_check_hypervisor;

static void look(struct doctor *d)
{
    char vendor[128], product[128];
    bool guest = doctor_cpu_flag(d, "hypervisor");
    if (!doctor_file(d, "/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor))
        strcpy(vendor, "vendor not told");
    if (!doctor_file(d, "/sys/class/dmi/id/product_name", product, sizeof product))
        strcpy(product, "product not told");
    struct doctor_cpu_time since_boot = {0};
    bool told = doctor_cpu_time(d, &since_boot);
    double share =
        since_boot.busy_ns > 0 ? since_boot.steal_ns / (since_boot.busy_ns + since_boot.steal_ns) : 0;
    doctor_figure(d, "guest", json_boolean(guest));
    doctor_figure(d, "steal_share_since_boot", told ? json_real(share) : json_null());
    if (!guest) {
        doctor_find(d, DOCTOR_FINE, NULL, "no hypervisor: real hardware (%s, %s)", vendor, product);
        return;
    }
    bool stolen = share > 0.02;
    doctor_find(d, stolen ? DOCTOR_COSTS : DOCTOR_NOTE,
                stolen ? "expect wide intervals; a machine with CPUs of its own gives narrower ones" : NULL,
                "a virtual machine (%s, %s): since boot the hypervisor took %.2g %% of the time that CPUs "
                "wanted to run",
                vendor, product, 100 * share);
}

const struct doctor_check doctor_check_hypervisor = {
    .name = "hypervisor",
    .summary = "hypervisor and steal since boot",
    .look = look,
};
