/* Is there room for the slots? Asked beforehand, because a page of shared memory that cannot be had later
 * ends in a signal (SIGBUS, or the out-of-memory killer), not in an error. Four limits: what the machine has
 * available, the memory control group's limit less what it uses (both versions), and RLIMIT_AS less what is
 * mapped. A limit that cannot be read is no limit. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/unit.h"
#include "check.h"

struct room {
    uint64_t bytes;
    const char *limit; /* what sets it */
};

static void narrow(struct room *room, uint64_t limit_bytes, uint64_t used_bytes, const char *what)
{
    uint64_t left = limit_bytes > used_bytes ? limit_bytes - used_bytes : 0;
    if (left < room->bytes)
        *room = (struct room){left, what};
}

static bool read_number(const char *path, uint64_t *out)
{
    FILE *f = fopen(path, "re");
    bool found = f && fscanf(f, "%" SCNu64, out) == 1;
    if (f)
        fclose(f);
    return found;
}

static void machine_room(const char *root, struct room *room)
{
    char path[PATH_MAX], line[256];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        uint64_t kib;
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
            narrow(room, kib * 1024, 0, "the machine's available memory");
    }
    if (f)
        fclose(f);
}

/* The group's own limit and those of the groups above it: the path is shortened step by step. */
static void group_room(const char *root, const char *mount, char *group, const char *limit, const char *used,
                       struct room *room)
{
    for (;;) {
        char path[PATH_MAX];
        uint64_t limit_bytes, used_bytes = 0;
        snprintf(path, sizeof path, "%s%s%s/%s", root, mount, group, limit);
        bool limited = read_number(path, &limit_bytes);
        snprintf(path, sizeof path, "%s%s%s/%s", root, mount, group, used);
        if (limited && read_number(path, &used_bytes))
            narrow(room, limit_bytes, used_bytes, "the memory limit of the control group");
        char *slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void cgroup_room(const char *root, struct room *room)
{
    char path[PATH_MAX], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        if (!strcmp(controllers, ":"))
            group_room(root, "/sys/fs/cgroup", group, "memory.max", "memory.current", room);
        else if (strstr(controllers, "memory"))
            group_room(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                       room);
    }
    if (f)
        fclose(f);
}

static void address_room(const char *root, struct room *room)
{
    char path[PATH_MAX];
    uint64_t pages;
    struct rlimit limit;
    snprintf(path, sizeof path, "%s/proc/self/statm", root);
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || !read_number(path, &pages))
        return;
    narrow(room, limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE),
           "the limit of the address space (ulimit -v)");
}

int loader__check_room_at(const char *root, size_t bytes, struct err *err)
{
    struct room room = {UINT64_MAX, ""};
    machine_room(root, &room);
    cgroup_room(root, &room);
    address_room(root, &room);
    if (bytes <= room.bytes)
        return 0;
    char need[UNIT_TEXT], have[UNIT_TEXT];
    return err_set(err, -ENOMEM,
                   "the loader's slots need %s (%zu bytes), but %s leaves %s (%" PRIu64
                   " bytes): use fewer workers, a smaller prefetch factor or smaller batches",
                   unit_format_bytes(need, (double)bytes, 3), bytes, room.limit,
                   unit_format_bytes(have, (double)room.bytes, 3), room.bytes);
}

int loader__check_room(size_t bytes, struct err *err)
{
    return loader__check_room_at("", bytes, err);
}
