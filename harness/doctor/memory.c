/* Transparent huge pages, and the room for shared memory that worker processes hand batches over in. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/unit.h"
#include "doctor.h"

extern const struct doctor_check doctor_check_memory;

static void tell_huge_pages(struct doctor *d)
{
    char modes[128], mode[32] = "";
    if (!doctor_file(d, "/sys/kernel/mm/transparent_hugepage/enabled", modes, sizeof modes))
        return;
    const char *open = strchr(modes, '[');
    if (open)
        sscanf(open + 1, "%31[^]]", mode);
    doctor_figure(d, "transparent_hugepages", json_string(mode));
    bool never = !strcmp(mode, "never");
    doctor_find(d, never ? DOCTOR_NOTE : DOCTOR_FINE,
                never ? "'madvise' or 'always' saves page faults of large batches" : NULL,
                "transparent huge pages: %s", *mode ? mode : modes);
}

static void look(struct doctor *d)
{
    tell_huge_pages(d);
    char path[1024], size[UNIT_TEXT], left[UNIT_TEXT];
    struct statvfs fs;
    snprintf(path, sizeof path, "%s/dev/shm", d->cfg->root);
    if (statvfs(path, &fs)) {
        doctor_find(d, DOCTOR_NOTE,
                    "loaders that share batches through files there will fail (this one does not)",
                    "there is no /dev/shm");
        return;
    }
    double total = (double)fs.f_blocks * (double)fs.f_frsize,
           free_bytes = (double)fs.f_bavail * (double)fs.f_frsize;
    unit_format_bytes(size, total, 3);
    unit_format_bytes(left, free_bytes, 3);
    doctor_figure(d, "shm_bytes", json_real(total));
    doctor_figure(d, "shm_free_bytes", json_real(free_bytes));
    bool small = free_bytes < 1 << 30;
    doctor_find(
        d, small ? DOCTOR_COSTS : DOCTOR_FINE,
        small
            ? "give the container more (--shm-size=8g, or an emptyDir of medium Memory): workers x prefetch "
              "x batch bytes have to fit, or other loaders die of a bus error"
            : NULL,
        "/dev/shm: %s, %s of it free", size, left);
}

const struct doctor_check doctor_check_memory = {
    .name = "memory",
    .summary = "huge pages, and room in /dev/shm",
    .look = look,
};
