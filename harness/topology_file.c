/* Topologies as files named by their content. Lines that hwloc writes of host, process and build are left out of the text
 * that is kept and hashed, so that one machine has one file. */
#include "harness/topology_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/unit.h"

char *harness_topology_xml(const struct harness_topology *t)
{
    char *xml = NULL;
    int n = 0;
    struct text out = {0};
    if (hwloc_topology_export_xmlbuffer(t->hwloc, &xml, &n, 0))
        return NULL;
    for (const char *line = xml; *line;) {
        size_t len = strcspn(line, "\n");
        len += line[len] == '\n';
        if (!memmem(line, len, "<info name=", 11))
            text_add_bytes(&out, line, len);
        line += len;
    }
    hwloc_free_xmlbuffer(t->hwloc, xml);
    if (!out.failed)
        return text_take(&out);
    text_fini(&out);
    return NULL;
}

char *harness_topology_hash(char out[TOPOLOGY_HASH], const char *xml)
{
    snprintf(out, TOPOLOGY_HASH, "%016llx", (unsigned long long)XXH3_64bits(xml, strlen(xml)));
    return out;
}

int harness_topology_path(const char *result_path, const char *hash, char **out, struct err *err)
{
    const char *slash = strrchr(result_path, '/');
    int folder = slash ? (int)(slash + 1 - result_path) : 0;
    if (asprintf(out, "%.*stopology-%s.xml", folder, result_path, hash) >= 0)
        return 0;
    *out = NULL;
    return err_set(err, -ENOMEM, "out of memory for a path");
}

static int write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t done = write(fd, data, n);
        if (done < 0 && errno != EINTR)
            return -errno;
        data += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

/* Under a name of its own first; two programs that write the same content may both rename. */
static int write_whole(const char *path, const char *xml, struct err *err)
{
    char *draft;
    if (asprintf(&draft, "%s.%d", path, (int)getpid()) < 0)
        return err_set(err, -ENOMEM, "out of memory for a path");
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc = fd < 0 ? -errno : write_all(fd, xml, strlen(xml));
    if (fd >= 0 && close(fd) && !rc)
        rc = -errno;
    if (!rc && rename(draft, path))
        rc = -errno;
    if (rc && fd >= 0)
        unlink(draft);
    free(draft);
    return rc ? err_set_errno(err, rc, "cannot keep the topology in '%s'", path) : 0;
}

int harness_topology_keep(const struct harness_topology *t, const char *result_path, struct err *err)
{
    char hash[TOPOLOGY_HASH], *path, *xml = harness_topology_xml(t);
    if (!xml)
        return err_set(err, -ENOTSUP, "hwloc cannot write the topology of this machine");
    int rc = harness_topology_path(result_path, harness_topology_hash(hash, xml), &path, err);
    if (!rc && access(path, F_OK))
        rc = write_whole(path, xml, err);
    free(xml);
    free(path);
    return rc;
}

/* ---- two of them ---- */

static const struct {
    hwloc_obj_type_t type;
    const char *name;
} parts[] = {
    {HWLOC_OBJ_PACKAGE, "packages"},    {HWLOC_OBJ_NUMANODE, "NUMA nodes"}, {HWLOC_OBJ_L3CACHE, "L3 caches"},
    {HWLOC_OBJ_L2CACHE, "L2 caches"},   {HWLOC_OBJ_L1CACHE, "L1 caches"},   {HWLOC_OBJ_CORE, "cores"},
    {HWLOC_OBJ_PU, "hardware threads"},
};

enum { PARTS = sizeof parts / sizeof *parts };

/* Sizes of one part's: the first of its kind stands for all. */
static double size_of(const struct harness_topology *t, hwloc_obj_type_t type)
{
    hwloc_obj_t o = hwloc_get_obj_by_type(t->hwloc, type, 0);
    if (!o)
        return 0;
    return type == HWLOC_OBJ_NUMANODE      ? (double)o->attr->numanode.local_memory
           : hwloc_obj_type_is_cache(type) ? (double)o->attr->cache.size
                                           : 0;
}

static void compare_sizes(struct text *out, const char *name, double a, double b)
{
    char x[UNIT_TEXT], y[UNIT_TEXT];
    if (a > 0 && b > 0 && a != b)
        text_addf(out, "    a size of %s: %s against %s\n", name, unit_format_bytes(x, a, 4),
                  unit_format_bytes(y, b, 4));
}

static void compare_parts(struct text *out, const struct harness_topology *a,
                          const struct harness_topology *b)
{
    for (size_t i = 0; i < PARTS; i++) {
        int x = hwloc_get_nbobjs_by_type(a->hwloc, parts[i].type),
            y = hwloc_get_nbobjs_by_type(b->hwloc, parts[i].type);
        if (x != y)
            text_addf(out, "    %s: %d against %d\n", parts[i].name, x, y);
        compare_sizes(out, parts[i].name, size_of(a, parts[i].type), size_of(b, parts[i].type));
    }
    int x = hwloc_cpukinds_get_nr(a->hwloc, 0), y = hwloc_cpukinds_get_nr(b->hwloc, 0);
    if (x != y)
        text_addf(out, "    kinds of cores: %d against %d\n", x, y);
}

static int compare_sets(struct text *out, const struct harness_topology *a, const struct harness_topology *b)
{
    hwloc_const_bitmap_t x = hwloc_topology_get_topology_cpuset(a->hwloc),
                         y = hwloc_topology_get_topology_cpuset(b->hwloc);
    char *p = NULL, *q = NULL;
    if (hwloc_bitmap_isequal(x, y))
        return 0;
    int rc = hwloc_bitmap_list_asprintf(&p, x) < 0 || hwloc_bitmap_list_asprintf(&q, y) < 0 ? -ENOMEM : 0;
    if (!rc)
        text_addf(out, "    CPUs: %s against %s\n", p, q);
    free(p);
    free(q);
    return rc;
}

/* The same parts, but joined in another way: which CPU lies in another place? */
static void compare_places(struct text *out, const struct harness_topology *a,
                           const struct harness_topology *b)
{
    for (int i = 0; i < a->ncpus && i < b->ncpus; i++) {
        const struct harness_cpu *x = &a->cpu[i], *y = &b->cpu[i];
        if (memcmp(x, y, sizeof *x) == 0)
            continue;
        text_addf(out,
                  "    position %d: CPU %d of core %d, L3 %d, NUMA %d, package %d against CPU %d of core %d, "
                  "L3 %d, NUMA %d, package %d\n",
                  i, x->os, x->core, x->l3, x->numa, x->package, y->os, y->core, y->l3, y->numa, y->package);
        return; /* the first tells enough */
    }
}

int harness_topology_differences(const char *path_a, const char *path_b, struct text *out, struct err *err)
{
    struct harness_topology a = {0}, b = {0};
    size_t before = out->len;
    int rc = harness_topology_parse(path_a, NULL, &a, err);
    rc = rc ? rc : harness_topology_parse(path_b, NULL, &b, err);
    if (!rc) {
        compare_parts(out, &a, &b);
        if (compare_sets(out, &a, &b))
            rc = err_set(err, -ENOMEM, "out of memory for the difference of two topologies");
    }
    if (!rc && out->len == before)
        compare_places(out, &a, &b);
    if (!rc && out->len == before)
        text_add(out, "    parts, sizes and places are the same: it is a detail of the files\n");
    harness_topology_fini(&a);
    harness_topology_fini(&b);
    return rc;
}
