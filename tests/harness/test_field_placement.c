/* Cases from the field about masks and pools that a worker inherits, each named after its symptom. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forked.h"
#include "groups.h"
#include "harness/affinity.h"
#include "harness/budget.h"
#include "harness/placement.h"
#include "harness/probe.h"
#include "harness/topology.h"
#include "testing/cmocka.h"

/* A product of whole numbers with two threads: 0 = right. */
static int product(void)
{
    struct probe p;
    int rc = harness_probe_self(&(struct probe_request){.threads = 2, .size = 200, .work_ns = 1e6}, &p, NULL);
    rc = rc || !p.exact;
    harness_probe_fini(&p);
    return rc;
}

static void a_product_after_a_fork_with_a_live_pool_does_not_hang_in_child_or_parent(void **state)
{
    (void)state;
    assert_int_equal(product(), 0);
    assert_int_equal(forked(product), 0);
    assert_int_equal(product(), 0);
    assert_int_equal(forked(product), 0);
}

static int is_bound_to_one_and_says_so(void)
{
    cpu_set_t one;
    char *allowed;
    int threads, same;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one))
        return 1;
    /* What a BLAS in the parent may have done; the worker's own view has to tell it. */
    if (harness_affinity_read((int)getpid(), &allowed, &threads, &same, NULL))
        return 2;
    int told = strchr(allowed, '-') == NULL && strchr(allowed, ',') == NULL;
    free(allowed);
    struct harness_topology t;
    struct harness_placement p;
    if (harness_topology_load(&t, NULL))
        return 3;
    const struct harness_placement_ask ask = {.affinity = "scatter", .workers = 4, .threads = 1};
    int rc = harness_placement_plan(&t, &ask, &p, NULL);
    int said = !rc && t.ncpus == 1 && p.busiest == 4; /* the plan says that four share one CPU */
    harness_placement_fini(&p);
    harness_topology_fini(&t);
    return told && said ? 0 : 4;
}

static void all_workers_bound_to_one_cpu_by_the_parents_mask_is_seen_and_said(void **state)
{
    (void)state;
    assert_int_equal(forked(is_bound_to_one_and_says_so), 0);
}

/* A worker binds all its threads anew, whatever mask it inherited. */
static int rebinds_from_one_cpu_to_all(void)
{
    char *before, *after;
    int threads, same;
    cpu_set_t one;
    if (harness_affinity_read((int)getpid(), &before, &threads, &same, NULL))
        return 1;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) || product() || harness_affinity_bind(before, NULL))
        return 2;
    if (harness_affinity_read((int)getpid(), &after, &threads, &same, NULL))
        return 3;
    int good = harness_affinity_equal(before, after) && same;
    free(before);
    free(after);
    return good ? 0 : 4;
}

static void a_pool_that_was_born_on_one_cpu_is_bound_anew_with_its_process(void **state)
{
    (void)state;
    assert_int_equal(forked(rebinds_from_one_cpu_to_all), 0);
}

static void a_cpuset_of_1_and_3_is_used_and_cpu_0_is_not(void **state)
{
    (void)state;
    struct harness_topology t;
    struct harness_placement p;
    assert_int_equal(harness_topology_parse("core:4 pu:1", "1,3", &t, NULL), 0);
    for (const struct harness_policy *const *policy = harness_policies; *policy; policy++) {
        assert_int_equal(harness_placement_make(&t, *policy, 2, 1, &p, NULL), 0);
        for (int w = 0; w < 2; w++)
            for (int i = hwloc_bitmap_first(p.worker[w]); i >= 0; i = hwloc_bitmap_next(p.worker[w], i))
                assert_true(t.cpu[i].os == 1 || t.cpu[i].os == 3);
        assert_int_equal(p.busiest, 1);
        harness_placement_fini(&p);
    }
    harness_topology_fini(&t);
}

static int sees_cpu_1_alone(void)
{
    struct harness_topology t;
    struct harness_budget b;
    if (harness_topology_load(&t, NULL))
        return 1;
    harness_budget_read("", 0, &b);
    int good = t.ncpus == 1 && t.cpu[0].os == 1 && b.cpus == 1 && b.affinity == 1;
    struct err err = {0};
    good = good && harness_affinity_bind("0", &err) && strstr(err.text, "the CPUs 0");
    harness_topology_fini(&t);
    return good ? 0 : 2;
}

static const char *group;

static int in_group_sees_cpu_1_alone(void)
{
    return group_join(group) ? FORKED_SKIP : sees_cpu_1_alone();
}

/* What a container engine does with --cpuset-cpus=1: CPU 0 is there, and not ours. */
static void a_real_cpuset_without_cpu_0_is_all_there_is(void **state)
{
    (void)state;
    char folder[256];
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || group_of_cpu(1, folder, sizeof folder)) {
        print_message(
            "skipped: no cpuset can be made here (needs root, a second CPU, a writable hierarchy)\n");
        skip();
    }
    group = folder;
    int rc = forked(in_group_sees_cpu_1_alone);
    assert_int_equal(rmdir(folder), 0);
    if (rc == FORKED_SKIP) {
        print_message("skipped: a process cannot be moved into %s\n", folder);
        skip();
    }
    assert_int_equal(rc, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_after_a_fork_with_a_live_pool_does_not_hang_in_child_or_parent),
        cmocka_unit_test(all_workers_bound_to_one_cpu_by_the_parents_mask_is_seen_and_said),
        cmocka_unit_test(a_pool_that_was_born_on_one_cpu_is_bound_anew_with_its_process),
        cmocka_unit_test(a_cpuset_of_1_and_3_is_used_and_cpu_0_is_not),
        cmocka_unit_test(a_real_cpuset_without_cpu_0_is_all_there_is),
    };
    return CASES(tests);
}
