/* Memory policy by set_mempolicy(2), without libnuma: nodes of a set of CPUs from /sys/devices/system/node. */
#include <dirent.h>
#include <errno.h>
#include <hwloc.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/affinity.h"

enum { NODES_MAX = 1024, WORD_BITS = 8 * sizeof(unsigned long), WORDS = NODES_MAX / WORD_BITS };

static const char folder[] = "/sys/devices/system/node";

static int node_touches(int node, hwloc_const_bitmap_t cpus)
{
    char path[128], list[4096] = "";
    snprintf(path, sizeof path, "%s/node%d/cpulist", folder, node);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    hwloc_bitmap_t of_node = hwloc_bitmap_alloc();
    int touches = fgets(list, sizeof list, f) && of_node && !hwloc_bitmap_list_sscanf(of_node, list) &&
                  hwloc_bitmap_intersects(of_node, cpus);
    hwloc_bitmap_free(of_node);
    fclose(f);
    return touches;
}

/* Sets the bits of the nodes those CPUs lie on; returns how many nodes there are at all. */
static int find_nodes(hwloc_const_bitmap_t cpus, unsigned long mask[WORDS])
{
    int all = 0, node;
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir && (e = readdir(dir)))
        if (sscanf(e->d_name, "node%d", &node) == 1 && node >= 0 && node < NODES_MAX) {
            all++;
            if (node_touches(node, cpus))
                mask[node / WORD_BITS] |= 1UL << (node % WORD_BITS);
        }
    if (dir)
        closedir(dir);
    return all;
}

int harness_affinity_bind_memory(const char *list, struct err *err)
{
    unsigned long mask[WORDS] = {0};
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    int good = cpus && !hwloc_bitmap_list_sscanf(cpus, list) && hwloc_bitmap_weight(cpus) > 0;
    int nodes = good ? find_nodes(cpus, mask) : 0;
    hwloc_bitmap_free(cpus);
    if (!good)
        return err_set(err, -EINVAL, "'%s' is not a list of CPUs", list);
    if (nodes < 2)
        return 0;
    /* The kernel takes one bit less than it is told. */
    if (syscall(SYS_set_mempolicy, MPOL_BIND, mask, NODES_MAX + 1UL))
        return err_set(err, -ENOTSUP, "memory cannot be bound to the nodes of CPUs %s: %s", list,
                       strerror(errno));
    return 0;
}

int harness_affinity_read_memory(char **out, struct err *err)
{
    unsigned long mask[WORDS] = {0};
    int mode = MPOL_DEFAULT;
    *out = NULL;
    if (syscall(SYS_get_mempolicy, &mode, mask, NODES_MAX + 1UL, NULL, 0UL))
        return err_set(err, -ENOTSUP, "the memory policy cannot be read: %s", strerror(errno));
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    for (unsigned i = 0; nodes && mode == MPOL_BIND && i < NODES_MAX; i++)
        if (mask[i / WORD_BITS] >> (i % WORD_BITS) & 1)
            hwloc_bitmap_set(nodes, i);
    int n = nodes ? hwloc_bitmap_list_asprintf(out, nodes) : -1;
    hwloc_bitmap_free(nodes);
    return n < 0 ? err_set(err, -ENOMEM, "out of memory for a list of nodes") : 0;
}
