/* Policies beyond compact and scatter, explicit lists, the reserved consumer, and the plan drawn as text. */
#include "harness/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"
#include "topologies.h"

static void load(const char *text, const char *allowed, struct harness_topology *t)
{
    struct err err = {0};
    if (harness_topology_parse(text, allowed, t, &err))
        fail_msg("%s: %s", text, err.text);
}

static struct harness_placement plan(const struct harness_topology *t, struct harness_placement_ask ask)
{
    struct harness_placement p;
    struct err err = {0};
    if (harness_placement_plan(t, &ask, &p, &err))
        fail_msg("%s: %s", ask.affinity, err.text);
    return p;
}

static void assert_set(hwloc_const_bitmap_t set, const char *want)
{
    char *text;
    assert_true(hwloc_bitmap_list_asprintf(&text, set) >= 0);
    assert_string_equal(text, want);
    free(text);
}

static void assert_refused(const char *text, const char *affinity, const char *words)
{
    struct harness_topology t;
    struct harness_placement p;
    struct err err = {0};
    load(text, NULL, &t);
    const struct harness_placement_ask ask = {.affinity = affinity, .workers = 1, .threads = 1};
    assert_int_equal(harness_placement_plan(&t, &ask, &p, &err), -EINVAL);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    harness_topology_fini(&t);
}

/* ---- policies ---- */

static void core_never_hands_out_a_second_hardware_thread(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(shapes[i].text, shapes[i].allowed, &t);
        struct harness_placement p = plan(&t, (struct harness_placement_ask){"core", 3 * t.ncpus, 1, false});
        hwloc_bitmap_t all = hwloc_bitmap_alloc();
        for (int w = 0; w < p.workers; w++)
            hwloc_bitmap_or(all, all, p.worker[w]);
        for (int a = hwloc_bitmap_first(all); a >= 0; a = hwloc_bitmap_next(all, a))
            for (int b = hwloc_bitmap_next(all, a); b >= 0; b = hwloc_bitmap_next(all, b))
                assert_int_not_equal(t.cpu[a].core, t.cpu[b].core);
        assert_int_equal(hwloc_bitmap_weight(all), p.cpus);
        hwloc_bitmap_free(all);
        harness_placement_fini(&p);
        harness_topology_fini(&t);
    }
}

static void a_core_with_one_allowed_hyperthread_is_a_core(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:4 pu:2", "1,3-5", &t); /* of two cores only the second hardware thread */
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"core", 3, 1, false});
    assert_int_equal(p.cpus, 3);
    assert_int_equal(p.busiest, 1);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

/* Each worker's set is one whole domain, and threads a CPU differ between domains by less than one worker's. */
static void check_domains(const struct harness_topology *t, const char *policy, int workers, int threads,
                          int (*domain)(const struct harness_cpu *))
{
    struct harness_placement p = plan(t, (struct harness_placement_ask){policy, workers, threads, false});
    for (int w = 0; w < workers; w++) {
        int first = hwloc_bitmap_first(p.worker[w]);
        assert_true(first >= 0);
        for (int i = 0; i < t->ncpus; i++)
            assert_int_equal(hwloc_bitmap_isset(p.worker[w], (unsigned)i),
                             domain(&t->cpu[i]) == domain(&t->cpu[first]));
    }
    assert_true(p.busiest >= (workers * threads + t->ncpus - 1) / t->ncpus);
    assert_true(p.busiest <= workers * threads);
    harness_placement_fini(&p);
}

static int domain_l3(const struct harness_cpu *c)
{
    return c->l3;
}

static int domain_numa(const struct harness_cpu *c)
{
    return c->numa;
}

static void l3_and_numa_give_each_worker_one_whole_domain(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(shapes[i].text, shapes[i].allowed, &t);
        for (int workers = 1; workers < 2 * t.ncpus && workers < 20; workers += 3)
            for (int threads = 1; threads < 4; threads++) {
                check_domains(&t, "l3", workers, threads, domain_l3);
                check_domains(&t, "numa", workers, threads, domain_numa);
            }
        harness_topology_fini(&t);
    }
}

static void domains_are_loaded_by_their_size(void **state)
{
    (void)state;
    struct harness_topology t;
    load("l3:2 core:4 pu:1", "0-3,4-5", &t); /* one cache with four CPUs, one with two */
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"l3", 3, 2, false});
    int on_large = 0;
    for (int w = 0; w < 3; w++)
        on_large += hwloc_bitmap_isset(p.worker[w], 0);
    assert_int_equal(on_large, 2);
    assert_int_equal(p.busiest, 1);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void scatter_goes_to_every_numa_node_before_any_twice(void **state)
{
    (void)state;
    struct harness_topology t;
    load("pack:2 numa:2 core:4 pu:2", NULL, &t);
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"scatter", 4, 1, false});
    int nodes = 0;
    for (int w = 0; w < 4; w++)
        nodes |= 1 << t.cpu[hwloc_bitmap_first(p.worker[w])].numa;
    assert_int_equal(nodes, 15);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void without_l3_caches_a_package_stands_for_one(void **state)
{
    (void)state;
    struct harness_topology t;
    load("pack:2 core:2 pu:1", NULL, &t);
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"l3", 2, 1, false});
    assert_set(p.worker[0], "0-1");
    assert_set(p.worker[1], "2-3");
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

/* ---- explicit lists ---- */

static void numbers_are_the_operating_systems(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:4 pu:2", "1,3,5-7", &t); /* CPU 0 is not ours: position 0 is CPU 1 */
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"3,5-6", 3, 1, false});
    char *cpus;
    assert_non_null(p.os);
    for (int w = 0; w < 3; w++) {
        static const char *const want[] = {"3", "5", "6"};
        assert_int_equal(harness_placement_os_list(p.worker[w], p.os, &cpus, NULL), 0);
        assert_string_equal(cpus, want[w]);
        free(cpus);
    }
    assert_int_equal(harness_placement_os_list(p.main, p.os, &cpus, NULL), 0);
    assert_string_equal(cpus, "3,5-6");
    free(cpus);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void likwid_domains_count_cores_first(void **state)
{
    (void)state;
    struct harness_topology t;
    int order[16], n;
    load("pack:2 core:2 pu:2", NULL, &t);
    assert_int_equal(harness_cpu_list(&t, "S1:0-3", order, &n, NULL), 0);
    const int want[] = {4, 6, 5, 7};
    assert_int_equal(n, 4);
    assert_memory_equal(order, want, sizeof want);
    assert_int_equal(harness_cpu_list(&t, "S0:0-1@S1:0-1", order, &n, NULL), 0);
    const int both[] = {0, 2, 4, 6};
    assert_int_equal(n, 4);
    assert_memory_equal(order, both, sizeof both);
    assert_int_equal(harness_cpu_list(&t, "N:7,0", order, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(order[1], 0);
    harness_topology_fini(&t);
}

static void wrong_lists_say_what_is_wrong(void **state)
{
    (void)state;
    assert_refused("core:2 pu:1", "0,2", "CPU 2 is not there");
    assert_refused("core:2 pu:1", "0,0", "named twice");
    assert_refused("core:2 pu:1", "1-0", "backwards");
    assert_refused("core:2 pu:1", "0,", "not a list");
    assert_refused("core:2 pu:1", "0-x", "not a list");
    assert_refused("core:2 pu:1", "S3:0", "no domain S3");
    assert_refused("core:2 pu:1", "S0:2", "none of number 2");
    assert_refused("core:2 pu:1", "99999999999999999999", "not there");
    assert_refused("core:2 pu:1", "scater", "did you mean 'scatter'");
}

static void a_list_is_checked_without_a_machine(void **state)
{
    (void)state;
    assert_int_equal(harness_affinity_check("0,2,4-7", NULL), 0);
    assert_int_equal(harness_affinity_check("S0:0-3@S1:0", NULL), 0);
    assert_int_equal(harness_affinity_check("none", NULL), 0);
    assert_int_equal(harness_affinity_check("0;1", NULL), -EINVAL);
    assert_int_equal(harness_affinity_check("", NULL), -EINVAL);
}

/* ---- the consumer ---- */

static void a_reserved_consumer_shares_its_cpu_with_no_worker(void **state)
{
    (void)state;
    static const char *const names[] = {"compact", "scatter", "core", "l3", "numa"};
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            struct harness_topology t;
            load(shapes[i].text, shapes[i].allowed, &t);
            struct harness_placement p = plan(&t, (struct harness_placement_ask){names[k], 4, 2, true});
            if (p.reserved) {
                assert_int_equal(hwloc_bitmap_weight(p.main), 1);
                for (int w = 0; w < 4; w++)
                    assert_false(hwloc_bitmap_intersects(p.main, p.worker[w]));
            } else {
                assert_true(p.cpus == 1); /* nothing would be left for the workers */
            }
            harness_placement_fini(&p);
            harness_topology_fini(&t);
        }
}

static void there_is_nothing_to_reserve_without_workers_or_binding(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:4 pu:1", NULL, &t);
    struct harness_placement p = plan(&t, (struct harness_placement_ask){"none", 2, 1, true});
    assert_false(p.reserved || p.bound);
    harness_placement_fini(&p);
    p = plan(&t, (struct harness_placement_ask){"scatter", 0, 2, true});
    assert_false(p.reserved);
    assert_set(p.main, "0-1");
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

/* ---- the picture ---- */

static void assert_drawn(const char *topology, struct harness_placement_ask ask, const char *want)
{
    struct harness_topology t;
    struct text out = {0};
    load(topology, NULL, &t);
    struct harness_placement p = plan(&t, ask);
    harness_placement_draw(&t, &p, &out);
    assert_string_equal(text_get(&out), want);
    text_fini(&out);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void the_plan_is_drawn(void **state)
{
    (void)state;
    assert_drawn("pack:2 core:2 pu:2", (struct harness_placement_ask){"core", 3, 1, true},
                 "  package 0, NUMA 0, L3 0: [m .] [0 .]\n"
                 "  package 1, NUMA 0, L3 1: [1 .] [2 .]\n"
                 "  consumer: a CPU of its own (m)\n");
    assert_drawn("core:8 pu:1", (struct harness_placement_ask){"compact", 1, 2, false},
                 "  package 0, NUMA 0, L3 0: [0] [0] (6 empty cores)\n  consumer: any of 8 CPUs\n");
}

static void oversubscription_is_said_with_its_size(void **state)
{
    (void)state;
    assert_drawn("core:2 pu:1", (struct harness_placement_ask){"scatter", 12, 16, false},
                 "  package 0, NUMA 0, L3 0: [0-11] [0-11]\n  consumer: any of 2 CPUs\n"
                 "  oversubscribed: 192 threads on 2 CPUs, up to 96 on one\n");
    assert_drawn("core:2 pu:1", (struct harness_placement_ask){"none", 4, 1, false},
                 "  not bound: the scheduler places everyone on 2 CPUs\n"
                 "  oversubscribed: 4 threads on 2 CPUs, up to 2 on one\n");
}

static void every_shape_can_be_drawn_within_its_width(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        for (const struct harness_policy *const *policy = harness_policies; *policy; policy++) {
            struct harness_topology t;
            struct text out = {0};
            load(shapes[i].text, shapes[i].allowed, &t);
            struct harness_placement p =
                plan(&t, (struct harness_placement_ask){(*policy)->name, 7, 3, false});
            harness_placement_draw(&t, &p, &out);
            for (const char *line = text_get(&out); *line;) {
                size_t len = strcspn(line, "\n");
                assert_in_range(len, 1, 110);
                line += len + (line[len] == '\n');
            }
            text_fini(&out);
            harness_placement_fini(&p);
            harness_topology_fini(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_never_hands_out_a_second_hardware_thread),
        cmocka_unit_test(a_core_with_one_allowed_hyperthread_is_a_core),
        cmocka_unit_test(l3_and_numa_give_each_worker_one_whole_domain),
        cmocka_unit_test(domains_are_loaded_by_their_size),
        cmocka_unit_test(scatter_goes_to_every_numa_node_before_any_twice),
        cmocka_unit_test(without_l3_caches_a_package_stands_for_one),
        cmocka_unit_test(numbers_are_the_operating_systems),
        cmocka_unit_test(likwid_domains_count_cores_first),
        cmocka_unit_test(wrong_lists_say_what_is_wrong),
        cmocka_unit_test(a_list_is_checked_without_a_machine),
        cmocka_unit_test(a_reserved_consumer_shares_its_cpu_with_no_worker),
        cmocka_unit_test(there_is_nothing_to_reserve_without_workers_or_binding),
        cmocka_unit_test(the_plan_is_drawn),
        cmocka_unit_test(oversubscription_is_said_with_its_size),
        cmocka_unit_test(every_shape_can_be_drawn_within_its_width),
    };
    return CASES(tests);
}
