/* The fingerprint of the environment. */
#include "harness/fingerprint.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "harness/topology_file.h"
#include "kernels/blas.h"
#include "peak.h"
#include "results/json.h"
#include "variables.h"

/* First line of a small file, or the value behind "key : " in it; NULL when there is none. The caller frees. */
static char *file_line(const char *path, const char *key)
{
    char line[4096];
    FILE *f = fopen(path, "re");
    char *out = NULL;
    while (f && !out && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        const char *value = line;
        if (key) {
            size_t n = strlen(key);
            const char *colon = strchr(line, ':');
            if (strncmp(line, key, n) || !colon || strspn(line + n, " \t") != (size_t)(colon - line) - n)
                continue;
            value = colon + 1 + strspn(colon + 1, " \t");
        }
        out = strdup(value);
    }
    if (f)
        fclose(f);
    return out;
}

static void put_line(json_t *o, const char *name, const char *path, const char *key)
{
    char *text = file_line(path, key);
    json_object_set_new(o, name, result_json_text(text));
    free(text);
}

static json_t *variables_json(void)
{
    json_t *o = json_object();
    for (const char *const *v = harness_variables; *v; v++) {
        const char *value = getenv(*v);
        if (value)
            json_object_set_new(o, *v, result_json_text(value));
    }
    return o;
}

/* The whole topology by the hash under which it is kept beside the result. */
static json_t *topology_hash_json(const struct harness_topology *t)
{
    char hash[TOPOLOGY_HASH], *xml = harness_topology_xml(t);
    json_t *o = xml ? json_string(harness_topology_hash(hash, xml)) : json_null();
    free(xml);
    return o;
}

static bool has_smt(const struct harness_topology *t)
{
    for (int i = 0; i < t->ncpus; i++)
        if (t->cpu[i].smt)
            return true;
    return false;
}

/* How the CPUs lie to one another, for pictures: a word each, "OS:PACKAGE.NUMA.L3.CORE", neighbours side by side. */
static json_t *layout_json(const struct harness_topology *t)
{
    struct text words = {0};
    for (int i = 0; i < t->ncpus; i++) {
        const struct harness_cpu *c = &t->cpu[i];
        text_addf(&words, "%s%d:%d.%d.%d.%d", i ? " " : "", c->os, c->package, c->numa, c->l3, c->core);
    }
    json_t *o = words.failed ? json_null() : json_string(text_get(&words));
    text_fini(&words);
    return o;
}

static json_t *cpu_json(const struct harness_topology *t, const struct harness_budget *b)
{
    char synthetic[1024] = "";
    hwloc_topology_export_synthetic(t->hwloc, synthetic, sizeof synthetic, 0);
    json_t *o =
        json_pack("{s:o, s:i, s:i, s:o, s:o}", "topology", result_json_text(synthetic), "cpus", t->ncpus,
                  "cpu_budget", b->cpus, "cfs_quota_cpus", b->quota > 0 ? json_real(b->quota) : json_null(),
                  "cfs_quota_from", result_json_text(b->quota > 0 ? b->quota_from : NULL));
    json_object_set_new(o, "topology_hash", topology_hash_json(t));
    json_object_set_new(o, "layout", layout_json(t));
    json_object_set_new(o, "smt", json_boolean(has_smt(t)));
    put_line(o, "model", "/proc/cpuinfo", "model name");
    put_line(o, "flags", "/proc/cpuinfo", "flags");
    char *flags = file_line("/proc/cpuinfo", "flags");
    flags = flags ? flags : file_line("/proc/cpuinfo", "Features"); /* as Arm's kernels call them */
    json_object_set_new(o, "peak", harness_peak_json(flags, harness_clock_hz("")));
    free(flags);
    put_line(o, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL);
    put_line(o, "hypervisor", "/sys/hypervisor/type", NULL);
    return o;
}

static json_t *software_json(void)
{
    struct utsname u;
    struct kernel_blas_info blas;
    kernel_blas_info(&blas);
    int known = !uname(&u);
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:{s:s, s:s, s:s}}", "kernel",
                     result_json_text(known ? u.release : NULL), "architecture",
                     result_json_text(known ? u.machine : NULL), "libc", gnu_get_libc_version(), "compiler",
                     __VERSION__, "flags", LB_BUILD_FLAGS, "blas", "config", blas.config, "core", blas.core,
                     "threading", blas.threading);
}

static json_t *limit_json(int which)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return json_null();
    return json_integer((json_int_t)limit.rlim_cur);
}

/* By the marks that container engines leave; null = none seen. */
static json_t *container_json(void)
{
    if (!access("/.dockerenv", F_OK))
        return json_string("docker");
    if (!access("/run/.containerenv", F_OK))
        return json_string("podman");
    if (getenv("KUBERNETES_SERVICE_HOST")) /* recorded as a fact of the process, as the variables are */
        return json_string("kubernetes");
    return json_null();
}

static json_t *limits_json(void)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "descriptors", limit_json(RLIMIT_NOFILE), "processes",
                     limit_json(RLIMIT_NPROC), "locked_bytes", limit_json(RLIMIT_MEMLOCK), "container",
                     container_json());
}

static json_t *host_json(void)
{
    struct utsname u;
    return result_json_text(uname(&u) ? NULL : u.nodename);
}

int harness_fingerprint(const struct harness_topology *t, const struct harness_budget *b, bool host,
                        char **out, struct err *err)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "cpu", cpu_json(t, b), "software", software_json(),
                          "variables", variables_json(), "limits", limits_json());
    if (o) {
        put_line(o, "transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled", NULL);
        put_line(o, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", NULL);
        put_line(o, "memory_total", "/proc/meminfo", "MemTotal");
    }
    if (o && host)
        json_object_set_new(o, "host", host_json());
    *out = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    return *out ? 0 : err_set(err, -ENOMEM, "out of memory for the fingerprint");
}
