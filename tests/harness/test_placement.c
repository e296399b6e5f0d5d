/* Placement is a pure function: each policy on all shapes of topologies.h, workers and threads up to beyond the CPUs. */
#include "harness/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"
#include "topologies.h"

static void load(const struct shape *s, struct harness_topology *t)
{
    struct err err = {0};
    if (harness_topology_parse(s->text, s->allowed, t, &err))
        fail_msg("%s: %s", s->text, err.text);
    assert_int_equal(t->ncpus, s->ncpus);
}

static const struct harness_policy *policy(const char *name)
{
    const struct harness_policy *p;
    assert_int_equal(harness_policy_find(name, &p, NULL), 0);
    return p;
}

static void make(const struct harness_topology *t, const char *name, int workers, int threads,
                 struct harness_placement *p)
{
    assert_int_equal(harness_placement_make(t, policy(name), workers, threads, p, NULL), 0);
}

static int set_is(hwloc_const_bitmap_t set, const char *list)
{
    hwloc_bitmap_t want = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(want, list);
    int equal = hwloc_bitmap_isequal(set, want);
    hwloc_bitmap_free(want);
    return equal;
}

static void every_policy_orders_every_position_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(&shapes[i], &t);
        for (const struct harness_policy *const *p = harness_policies; *p; p++) {
            if (!(*p)->order)
                continue;
            int *order = calloc((size_t)t.ncpus, sizeof *order),
                *seen = calloc((size_t)t.ncpus, sizeof *seen);
            (*p)->order(&t, order);
            for (int c = 0; c < t.ncpus; c++) {
                assert_in_range(order[c], 0, t.ncpus - 1);
                assert_int_equal(seen[order[c]]++, 0);
            }
            free(order);
            free(seen);
        }
        harness_topology_fini(&t);
    }
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Each bound worker as many CPUs as threads, threads spread over the machine within one of even, main as promised. */
static void check_bound(const struct harness_topology *t, const struct harness_placement *p, int workers,
                        int threads)
{
    int *load_of = calloc((size_t)t->ncpus, sizeof *load_of), busiest = 0;
    for (int w = 0; w < workers; w++) {
        assert_int_equal(hwloc_bitmap_weight(p->worker[w]), smaller(threads, t->ncpus));
        for (int c = hwloc_bitmap_first(p->worker[w]); c >= 0; c = hwloc_bitmap_next(p->worker[w], c)) {
            assert_in_range(c, 0, t->ncpus - 1);
            load_of[c]++;
        }
    }
    for (int c = 0; c < t->ncpus; c++)
        busiest = load_of[c] > busiest ? load_of[c] : busiest;
    if (workers && threads <= t->ncpus) {
        assert_int_equal(busiest, p->busiest);
        for (int c = 0; c < t->ncpus; c++)
            assert_in_range(busiest - load_of[c], 0, 1);
    }
    assert_int_equal(hwloc_bitmap_weight(p->main), workers ? t->ncpus : smaller(threads, t->ncpus));
    free(load_of);
}

static void each_worker_gets_as_many_cpus_as_threads_and_loads_are_even(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(&shapes[i], &t);
        const int workers[] = {0, 1, 2, 3, t.ncpus, t.ncpus + 1, 3 * t.ncpus},
                  threads[] = {1, 2, 3, t.ncpus, t.ncpus + 1, 4 * t.ncpus};
        for (size_t w = 0;
             w<sizeof workers / sizeof *workers; w += t.ncpus> 32 ? 3 : 1) /* some of large ones */
            for (size_t n = 0; n<sizeof threads / sizeof *threads; n += t.ncpus> 32 ? 3 : 1)
                for (int k = 0; k < 2; k++) {
                    struct harness_placement p;
                    make(&t, k ? "scatter" : "compact", workers[w], threads[n], &p);
                    assert_true(p.bound);
                    check_bound(&t, &p, workers[w], threads[n]);
                    harness_placement_fini(&p);
                }
        harness_topology_fini(&t);
    }
}

static void none_binds_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        struct harness_placement p;
        load(&shapes[i], &t);
        make(&t, "none", 3, 1, &p);
        assert_false(p.bound);
        assert_int_equal(hwloc_bitmap_weight(p.main), t.ncpus);
        for (int w = 0; w < 3; w++)
            assert_int_equal(hwloc_bitmap_weight(p.worker[w]), t.ncpus);
        harness_placement_fini(&p);
        harness_topology_fini(&t);
    }
}

static void busiest_counts_threads_on_the_fullest_cpu(void **state)
{
    (void)state;
    struct harness_topology t;
    load(&(struct shape){"core:4 pu:1", NULL, 4}, &t);
    static const int rows[][3] = {{0, 1, 1}, {0, 4, 1}, {0, 5, 2}, {1, 1, 1},   {4, 1, 1},
                                  {5, 1, 2}, {2, 2, 1}, {3, 2, 2}, {12, 16, 48}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct harness_placement p;
        make(&t, "compact", rows[i][0], rows[i][1], &p);
        assert_int_equal(p.busiest, rows[i][2]);
        harness_placement_fini(&p);
    }
    harness_topology_fini(&t);
}

static void compact_fills_a_core_before_the_next(void **state)
{
    (void)state;
    struct harness_topology t;
    struct harness_placement p;
    load(&(struct shape){"pack:2 core:4 pu:2", NULL, 16}, &t);
    make(&t, "compact", 3, 2, &p);
    assert_true(set_is(p.worker[0], "0-1") && set_is(p.worker[1], "2-3") && set_is(p.worker[2], "4-5"));
    assert_true(set_is(p.main, "0-15"));
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void scatter_takes_packages_then_caches_then_cores_then_siblings(void **state)
{
    (void)state;
    struct harness_topology t;
    load(&(struct shape){"pack:2 l3:2 core:2 pu:2", NULL, 16}, &t);
    /* Positions: package = p / 8, cache = p / 4, core = p / 2. */
    int order[16];
    policy("scatter")->order(&t, order);
    for (int i = 0; i < 8; i++)
        assert_int_equal(t.cpu[order[i]].smt, 0);
    for (int i = 8; i < 16; i++)
        assert_int_equal(t.cpu[order[i]].smt, 1);
    assert_int_equal(order[0] / 8 + order[1] / 8, 1);
    int caches = 0, cores = 0;
    for (int i = 0; i < 8; i++) {
        caches |= i < 4 ? 1 << (order[i] / 4) : 0;
        cores |= 1 << (order[i] / 2);
    }
    assert_int_equal(caches, 0xF);
    assert_int_equal(cores, 0xFF);
    harness_topology_fini(&t);
}

static void two_workers_on_two_cpus_have_one_each(void **state)
{
    (void)state;
    struct harness_topology t;
    struct harness_placement p;
    load(&(struct shape){"core:2 pu:1", NULL, 2}, &t);
    for (int k = 0; k < 2; k++) {
        make(&t, k ? "scatter" : "compact", 2, 1, &p);
        assert_false(hwloc_bitmap_intersects(p.worker[0], p.worker[1]));
        harness_placement_fini(&p);
        make(&t, k ? "scatter" : "compact", 3, 1, &p); /* wraps around */
        assert_true(hwloc_bitmap_isequal(p.worker[0], p.worker[2]));
        harness_placement_fini(&p);
    }
    harness_topology_fini(&t);
}

/* hwloc 511, ompi 9647: a core of which one hyperthread is allowed was dropped. */
static void a_core_with_one_allowed_hyperthread_is_used(void **state)
{
    (void)state;
    struct harness_topology t;
    struct harness_placement p;
    char *list;
    load(&(struct shape){"core:4 pu:2", "1,3", 2}, &t);
    int map[2];
    harness_topology_draw(&t, 1, 0, map);
    make(&t, "scatter", 1, 2, &p);
    assert_int_equal(harness_placement_os_list(p.worker[0], map, &list, NULL), 0);
    assert_string_equal(list, "1,3");
    free(list);
    harness_placement_fini(&p);
    harness_topology_fini(&t);
}

static void os_lists_follow_the_draw(void **state)
{
    (void)state;
    const int map[] = {7, 3, 5, 4};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char *list;
    hwloc_bitmap_set_range(set, 1, 3);
    assert_int_equal(harness_placement_os_list(set, map, &list, NULL), 0);
    assert_string_equal(list, "3-5");
    free(list);
    hwloc_bitmap_free(set);
}

static void an_unknown_policy_names_the_nearest(void **state)
{
    (void)state;
    const struct harness_policy *p;
    struct err err = {0};
    assert_int_equal(harness_policy_find("scater", &p, &err), -EINVAL);
    assert_null(p);
    assert_non_null(strstr(err.text, "'scater'"));
    assert_non_null(strstr(err.text, "did you mean 'scatter'?"));
    err = (struct err){0};
    assert_int_equal(harness_policy_find("zzzzzzzzzzzz", &p, &err), -EINVAL);
    assert_null(strstr(err.text, "did you mean"));
}

static void every_policy_has_a_name_and_a_summary(void **state)
{
    (void)state;
    const struct harness_policy *found;
    for (const struct harness_policy *const *p = harness_policies; *p; p++) {
        assert_true((*p)->name[0] && (*p)->summary[0]);
        assert_int_equal(harness_policy_find((*p)->name, &found, NULL), 0);
        assert_ptr_equal(found, *p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_orders_every_position_once),
        cmocka_unit_test(each_worker_gets_as_many_cpus_as_threads_and_loads_are_even),
        cmocka_unit_test(none_binds_nothing),
        cmocka_unit_test(busiest_counts_threads_on_the_fullest_cpu),
        cmocka_unit_test(compact_fills_a_core_before_the_next),
        cmocka_unit_test(scatter_takes_packages_then_caches_then_cores_then_siblings),
        cmocka_unit_test(two_workers_on_two_cpus_have_one_each),
        cmocka_unit_test(a_core_with_one_allowed_hyperthread_is_used),
        cmocka_unit_test(os_lists_follow_the_draw),
        cmocka_unit_test(an_unknown_policy_names_the_nearest),
        cmocka_unit_test(every_policy_has_a_name_and_a_summary),
    };
    return CASES(tests);
}
