/* Topology through hwloc, and the draw of real CPUs for an invocation. */
#include "harness/topology.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter_rng.h"

static int ancestor_rank(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_type_t type)
{
    hwloc_obj_t up = hwloc_get_ancestor_obj_by_type(topology, type, pu);
    return up ? (int)up->logical_index : 0;
}

/* Without a last-level cache in the description, a package stands for one. */
static int cache_rank(hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_type_t type = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, pu)
                                ? HWLOC_OBJ_L3CACHE
                                : HWLOC_OBJ_PACKAGE;
    return ancestor_rank(topology, pu, type);
}

static int numa_rank(hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
        if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset))
            return (int)node->logical_index;
    return 0;
}

static int smt_rank(hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    if (!core)
        return 0;
    int before = 0;
    for (int os = hwloc_bitmap_first(core->cpuset); os >= 0 && os < (int)pu->os_index;
         os = hwloc_bitmap_next(core->cpuset, os))
        before++;
    return before;
}

static void describe(hwloc_topology_t topology, hwloc_obj_t pu, struct harness_cpu *out)
{
    int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    *out = (struct harness_cpu){
        .os = (int)pu->os_index,
        .package = ancestor_rank(topology, pu, HWLOC_OBJ_PACKAGE),
        .numa = numa_rank(topology, pu),
        .l3 = cache_rank(topology, pu),
        .core = ancestor_rank(topology, pu, HWLOC_OBJ_CORE),
        .smt = smt_rank(topology, pu),
        .kind = kind < 0 ? 0 : kind,
    };
}

/* Takes the loaded topology; `allowed` NULL leaves it whole. */
static int reduce_and_list(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                           struct harness_topology *out, struct err *err)
{
    out->hwloc = topology;
    if (allowed && hwloc_topology_restrict(topology, allowed, 0))
        return err_set(err, -EINVAL, "none of the allowed CPUs exists in this topology");
    out->ncpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (out->ncpus < 1)
        return err_set(err, -EINVAL, "no CPU left to use");
    out->cpu = calloc((size_t)out->ncpus, sizeof *out->cpu);
    if (!out->cpu)
        return err_set(err, -ENOMEM, "out of memory for %d CPUs", out->ncpus);
    for (int i = 0; i < out->ncpus; i++)
        describe(topology, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i), &out->cpu[i]);
    return 0;
}

int harness_topology_load(struct harness_topology *out, struct err *err)
{
    *out = (struct harness_topology){0};
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology))
        return err_set(err, -ENOMEM, "out of memory for the topology");
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    int rc = mask ? 0 : err_set(err, -ENOMEM, "out of memory for a CPU set");
    if (!rc && hwloc_topology_load(topology))
        rc = err_set(err, -EIO, "hwloc cannot read this machine's topology");
    /* The main thread's mask, not the caller's: a library may have bound the calling thread only. */
    if (!rc && hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_PROCESS) < 0)
        rc = err_set_errno(err, -errno, "cannot read the CPU affinity of this process");
    if (rc)
        hwloc_topology_destroy(topology);
    else
        rc = reduce_and_list(topology, mask, out, err);
    hwloc_bitmap_free(mask);
    if (rc)
        harness_topology_fini(out);
    return rc;
}

static int load_synthetic(hwloc_topology_t topology, const char *text, struct err *err)
{
    if (hwloc_topology_set_synthetic(topology, text) || hwloc_topology_load(topology))
        return err_set(err, -EINVAL,
                       "'%s' is not a topology as hwloc writes it (such as 'pack:2 core:4 pu:2', or a file "
                       "NAME.xml)",
                       text);
    return 0;
}

/* hwloc takes files whose parts contradict one another (it tells so on standard error at most). Here each hardware thread
 * has to be one CPU, and all of them together those of the whole. */
static bool adds_up(hwloc_topology_t topology)
{
    hwloc_bitmap_t sum = hwloc_bitmap_alloc();
    hwloc_obj_t pu = NULL;
    bool good = sum != NULL;
    while (good && (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
        good = hwloc_bitmap_weight(pu->cpuset) == 1 && hwloc_bitmap_isset(pu->cpuset, pu->os_index) &&
               !hwloc_bitmap_isset(sum, pu->os_index);
        hwloc_bitmap_or(sum, sum, pu->cpuset);
    }
    good = good && hwloc_bitmap_isequal(sum, hwloc_topology_get_topology_cpuset(topology));
    hwloc_bitmap_free(sum);
    return good;
}

/* A file that was cut is seen by its end: hwloc would notice too, and leak what it has read so far (2.9). */
static bool ends_well(FILE *f)
{
    static const char end[] = "</topology>";
    char tail[64] = "";
    if (fseek(f, -(long)(sizeof tail - 1), SEEK_END))
        rewind(f);
    size_t n = fread(tail, 1, sizeof tail - 1, f);
    while (n && strchr(" \t\r\n", tail[n - 1]))
        n--;
    return n >= sizeof end - 1 && !memcmp(tail + n - (sizeof end - 1), end, sizeof end - 1);
}

static int load_xml(hwloc_topology_t topology, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set_errno(err, -errno, "cannot read the topology '%s'", path);
    bool whole = ends_well(f);
    fclose(f);
    if (!whole || hwloc_topology_set_xml(topology, path) || hwloc_topology_load(topology))
        return err_set(err, -EINVAL,
                       "'%s' is not a whole topology in hwloc's XML ('lstopo NAME.xml' writes one)", path);
    if (!adds_up(topology))
        return err_set(err, -EINVAL, "'%s': its hardware threads are not the CPUs of its machine", path);
    return 0;
}

static bool is_xml(const char *text)
{
    size_t n = strlen(text);
    return n > 4 && !strcmp(text + n - 4, ".xml");
}

int harness_topology_parse(const char *text, const char *allowed, struct harness_topology *out,
                           struct err *err)
{
    *out = (struct harness_topology){0};
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology))
        return err_set(err, -ENOMEM, "out of memory for the topology");
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    int rc = mask ? 0 : err_set(err, -ENOMEM, "out of memory for a CPU set");
    if (!rc)
        rc = is_xml(text) ? load_xml(topology, text, err) : load_synthetic(topology, text, err);
    if (!rc && allowed && hwloc_bitmap_list_sscanf(mask, allowed))
        rc = err_set(err, -EINVAL, "'%s' is not a list of CPUs (such as 0-3,8)", allowed);
    if (rc)
        hwloc_topology_destroy(topology);
    else
        rc = reduce_and_list(topology, allowed ? mask : NULL, out, err);
    hwloc_bitmap_free(mask);
    if (rc)
        harness_topology_fini(out);
    return rc;
}

void harness_topology_fini(struct harness_topology *t)
{
    if (t->hwloc)
        hwloc_topology_destroy(t->hwloc);
    free(t->cpu);
    *t = (struct harness_topology){0};
}

/* Levels from the outside in; two CPUs that share `level` share all levels before it. */
enum { LEVEL_PACKAGE, LEVEL_L3, LEVEL_CORE, LEVEL_PU, LEVELS };

static int level_id(const struct harness_topology *t, int position, int level)
{
    const struct harness_cpu *c = &t->cpu[position];
    return level == LEVEL_PACKAGE ? c->package
           : level == LEVEL_L3    ? c->l3
           : level == LEVEL_CORE  ? c->core
                                  : position;
}

/* CPUs below the part of `level` that position lies in. */
static int population(const struct harness_topology *t, int position, int level)
{
    int n = 0;
    for (int i = 0; i < t->ncpus; i++)
        n += level_id(t, i, level) == level_id(t, position, level);
    return n;
}

static int parts_are_alike(const struct harness_topology *t)
{
    for (int i = 1; i < t->ncpus; i++) {
        if (t->cpu[i].kind != t->cpu[0].kind)
            return 0;
        for (int level = 0; level < LEVEL_PU; level++)
            if (population(t, i, level) != population(t, 0, level))
                return 0;
    }
    return 1;
}

struct draw {
    uint64_t key[LEVELS]; /* a random number for the part of each level this CPU lies in */
    int os;
};

static int by_keys(const void *a, const void *b)
{
    const struct draw *x = a, *y = b;
    for (int level = 0; level < LEVELS; level++)
        if (x->key[level] != y->key[level])
            return x->key[level] < y->key[level] ? -1 : 1;
    return (x->os > y->os) - (x->os < y->os);
}

void harness_topology_draw(const struct harness_topology *t, uint64_t seed, int invocation, int *map)
{
    for (int i = 0; i < t->ncpus; i++)
        map[i] = t->cpu[i].os;
    struct draw *draws = parts_are_alike(t) ? calloc((size_t)t->ncpus, sizeof *draws) : NULL;
    if (!draws)
        return;
    for (int i = 0; i < t->ncpus; i++) {
        draws[i].os = t->cpu[i].os;
        for (int level = 0; level < LEVELS; level++) {
            struct counter_rng rng; /* keyed by the part, so that all its CPUs carry the same number */
            uint64_t part = (uint64_t)level << 32 | (uint32_t)level_id(t, i, level);
            counter_rng_init(&rng, seed, (uint64_t)invocation, part);
            draws[i].key[level] = counter_rng_u64(&rng);
        }
    }
    qsort(draws, (size_t)t->ncpus, sizeof *draws, by_keys);
    for (int i = 0; i < t->ncpus; i++)
        map[i] = draws[i].os;
    free(draws);
}
