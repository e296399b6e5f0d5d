/* Reading topologies and drawing real CPUs for an invocation. */
#include "harness/topology.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/cmocka.h"
#include "topologies.h"

static void load(const char *text, const char *allowed, struct harness_topology *t)
{
    struct err err = {0};
    if (harness_topology_parse(text, allowed, t, &err))
        fail_msg("%s: %s", text, err.text);
}

static const struct harness_cpu *by_os(const struct harness_topology *t, int os)
{
    for (int i = 0; i < t->ncpus; i++)
        if (t->cpu[i].os == os)
            return &t->cpu[i];
    fail_msg("CPU %d is not in the topology", os);
    return NULL;
}

static void every_draw_is_a_permutation_of_the_allowed_cpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(shapes[i].text, shapes[i].allowed, &t);
        int *map = calloc((size_t)t.ncpus, sizeof *map);
        for (int invocation = 0; invocation < 20; invocation++) {
            harness_topology_draw(&t, 7, invocation, map);
            for (int a = 0; a < t.ncpus; a++) {
                by_os(&t, map[a]);
                for (int b = 0; b < a; b++)
                    assert_int_not_equal(map[a], map[b]);
            }
        }
        free(map);
        harness_topology_fini(&t);
    }
}

/* Two positions share a package, cache or core exactly when the CPUs drawn for them do. */
static void check_relations(const struct harness_topology *t, const int *map)
{
    for (int a = 0; a < t->ncpus; a++)
        for (int b = 0; b < a; b++) {
            const struct harness_cpu *p = &t->cpu[a], *q = &t->cpu[b], *x = by_os(t, map[a]),
                                     *y = by_os(t, map[b]);
            assert_int_equal(p->package == q->package, x->package == y->package);
            assert_int_equal(p->l3 == q->l3, x->l3 == y->l3);
            assert_int_equal(p->core == q->core, x->core == y->core);
        }
}

static void draws_keep_siblings_siblings_and_neighbours_neighbours(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct harness_topology t;
        load(shapes[i].text, shapes[i].allowed, &t);
        int *map = calloc((size_t)t.ncpus, sizeof *map);
        for (int invocation = 0; t.ncpus <= 64 && invocation < 10; invocation++) {
            harness_topology_draw(&t, 3, invocation, map);
            check_relations(&t, map);
        }
        free(map);
        harness_topology_fini(&t);
    }
}

/* A binomial count lies inside its central 99.99 % range. */
static void assert_count_is_fair(int count, int n, double p)
{
    assert_true(gsl_cdf_binomial_P((unsigned)count, p, (unsigned)n) > 5e-5);
    assert_true(gsl_cdf_binomial_Q((unsigned)count - 1, p, (unsigned)n) > 5e-5);
}

static void on_two_cpus_both_mappings_are_equally_likely(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    struct harness_topology t;
    load("core:2 pu:1", NULL, &t);
    int map[2], straight = 0, as_before = 0, last = -1;
    for (int invocation = 0; invocation < DRAWS; invocation++) {
        harness_topology_draw(&t, 11, invocation, map);
        assert_int_equal(map[0] + map[1], 1);
        straight += map[0] == 0;
        as_before += map[0] == last;
        last = map[0];
    }
    assert_count_is_fair(straight, DRAWS, 0.5);
    assert_count_is_fair(as_before, DRAWS - 1, 0.5);
    int first = 0; /* and over seeds, since most sessions have few invocations */
    for (int seed = 0; seed < DRAWS; seed++) {
        harness_topology_draw(&t, (uint64_t)seed, 0, map);
        first += map[0] == 0;
    }
    assert_count_is_fair(first, DRAWS, 0.5);
    harness_topology_fini(&t);
}

static void every_position_meets_every_cpu_equally_often(void **state)
{
    (void)state;
    enum { DRAWS = 8000, CPUS = 8 };
    struct harness_topology t;
    load("pack:2 core:2 pu:2", NULL, &t);
    int map[CPUS], seen[CPUS][CPUS] = {{0}};
    for (int invocation = 0; invocation < DRAWS; invocation++) {
        harness_topology_draw(&t, 5, invocation, map);
        for (int i = 0; i < CPUS; i++)
            seen[i][map[i]]++;
    }
    for (int i = 0; i < CPUS; i++)
        for (int j = 0; j < CPUS; j++)
            assert_count_is_fair(seen[i][j], DRAWS, 1.0 / CPUS);
    harness_topology_fini(&t);
}

static void a_draw_is_a_function_of_seed_and_invocation(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:8 pu:2", NULL, &t);
    int a[16], b[16], differ = 0;
    for (int i = 0; i < 10; i++) {
        harness_topology_draw(&t, 1, i, a);
        harness_topology_draw(&t, 1, i, b);
        assert_memory_equal(a, b, sizeof a);
        harness_topology_draw(&t, 2, i, b);
        differ += memcmp(a, b, sizeof a) != 0;
    }
    assert_true(differ >= 9);
    harness_topology_fini(&t);
}

static void unlike_parts_stay_where_they_are(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"core:4 pu:2", "0-2"}, {"pack:2 core:2 pu:2", "0-5"}, {"pack:2 l3:2 core:2 pu:1", "0-4"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct harness_topology t;
        load(rows[i][0], rows[i][1], &t);
        int map[16];
        for (int invocation = 0; invocation < 20; invocation++) {
            harness_topology_draw(&t, 9, invocation, map);
            for (int c = 0; c < t.ncpus; c++)
                assert_int_equal(map[c], t.cpu[c].os);
        }
        harness_topology_fini(&t);
    }
}

static void hybrid_cores_stay_where_they_are(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:4 pu:1", NULL, &t);
    t.cpu[0].kind = t.cpu[1].kind = 1;
    int map[4];
    for (int invocation = 0; invocation < 20; invocation++) {
        harness_topology_draw(&t, 9, invocation, map);
        for (int c = 0; c < 4; c++)
            assert_int_equal(map[c], t.cpu[c].os);
    }
    harness_topology_fini(&t);
}

static void cpus_of_a_reduced_set_keep_their_numbers(void **state)
{
    (void)state;
    struct harness_topology t;
    load("core:4 pu:2", "1,3", &t);
    assert_int_equal(t.ncpus, 2);
    assert_int_equal(t.cpu[0].os, 1);
    assert_int_equal(t.cpu[1].os, 3);
    assert_int_not_equal(t.cpu[0].core, t.cpu[1].core);
    assert_int_equal(t.cpu[0].smt, 0); /* the only one left of its core */
    harness_topology_fini(&t);
    load("pack:2 core:4 pu:2", NULL, &t);
    assert_int_equal(t.cpu[9].package, 1);
    assert_int_equal(t.cpu[9].core, 4);
    assert_int_equal(t.cpu[9].smt, 1);
    harness_topology_fini(&t);
}

static void what_is_no_topology_is_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"nonsense", NULL}, {"", NULL}, {"core:4 pu:2", "8-9"}, {"core:4 pu:2", "a-b"}, {"core:0", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct harness_topology t;
        struct err err = {0};
        if (harness_topology_parse(rows[i][0], rows[i][1], &t, &err) != -EINVAL)
            fail_msg("'%s' of '%s' is taken", rows[i][1] ? rows[i][1] : "all", rows[i][0]);
        assert_true(err.text[0]);
        assert_null(t.cpu);
    }
}

/* ---- files ---- */

static void assert_cpu(const struct harness_topology *t, int os, struct harness_cpu want)
{
    const struct harness_cpu *c = by_os(t, os);
    want.os = os;
    if (memcmp(c, &want, sizeof want))
        fail_msg("CPU %d: package %d, node %d, cache %d, core %d, thread %d, kind %d", os, c->package,
                 c->numa, c->l3, c->core, c->smt, c->kind);
}

static void recorded_cpus_lie_where_the_file_says(void **state)
{
    (void)state;
    struct harness_topology t;
    load(RECORDED("two_packages_two_nodes_smt"), NULL, &t);
    assert_cpu(&t, 9, (struct harness_cpu){.package = 1, .numa = 1, .l3 = 1, .core = 9});
    assert_cpu(&t, 25, (struct harness_cpu){.package = 1, .numa = 1, .l3 = 1, .core = 9, .smt = 1});
    harness_topology_fini(&t);
    load(RECORDED("hybrid_8_fast_8_slow"), NULL, &t);
    assert_cpu(&t, 3, (struct harness_cpu){.core = 1, .smt = 1, .kind = 1});
    assert_cpu(&t, 20, (struct harness_cpu){.core = 12, .kind = 0});
    harness_topology_fini(&t);
    load(RECORDED("amd_four_l3"), NULL, &t);
    assert_cpu(&t, 13, (struct harness_cpu){.l3 = 3, .core = 13});
    harness_topology_fini(&t);
    load(RECORDED("one_package_two_nodes"), NULL, &t);
    assert_cpu(&t, 6, (struct harness_cpu){.numa = 1, .l3 = 1, .core = 6});
    harness_topology_fini(&t);
}

static void cpus_that_are_off_or_not_ours_are_not_there(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int gone[3]; /* -1 = no more */
    } rows[] = {{RECORDED("offline_cpu_in_the_middle"), {3, -1}},
                {RECORDED("one_allowed_hyperthread_of_a_core"), {1, 2, -1}},
                {RECORDED("cpu_0_is_not_ours"), {0, 4, -1}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct harness_topology t;
        load(rows[r].file, NULL, &t);
        for (int i = 0; i < t.ncpus; i++)
            for (const int *gone = rows[r].gone; *gone >= 0; gone++)
                assert_int_not_equal(t.cpu[i].os, *gone);
        harness_topology_fini(&t);
    }
}

/* Writes the first n bytes to a file of its own; the name is the caller's to unlink. */
static void write_file(char path[64], const char *data, size_t n)
{
    snprintf(path, 64, "topology-%d.xml", (int)getpid());
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    char *data = calloc(1, 1 << 20);
    *n = fread(data, 1, (1 << 20) - 1, f);
    fclose(f);
    return data;
}

static int parse_file(const char *data, size_t n, struct err *err)
{
    char path[64];
    struct harness_topology t;
    write_file(path, data, n);
    int rc = harness_topology_parse(path, NULL, &t, err);
    harness_topology_fini(&t);
    unlink(path);
    return rc;
}

static void a_file_cut_anywhere_is_refused_and_the_whole_one_taken(void **state)
{
    (void)state;
    size_t n;
    char *data = read_file(RECORDED("vm_of_two_cpus"), &n);
    size_t end = (size_t)(strstr(data, "</topology>") - data);
    for (size_t cut = 0; cut <= end; cut += cut < end && cut + 97 > end ? end - cut : 97) {
        struct err err = {0};
        if (parse_file(data, cut, &err) != -EINVAL)
            fail_msg("the first %zu of %zu bytes are taken", cut, n);
        assert_null(strchr(err.text, '\n'));
        if (cut == end)
            break;
    }
    assert_int_equal(parse_file(data, n, NULL), 0);
    free(data);
}

static void a_file_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    size_t n;
    struct err err = {0};
    char *data = read_file(RECORDED("vm_of_two_cpus"), &n);
    char *second = strstr(data, "<object type=\"L2Cache\" os_index=\"1\"");
    for (char *p = second; (p = strstr(p, "0x00000002"));)
        memcpy(p, "0x00000001", 10); /* its CPUs are those of the first */
    assert_int_equal(parse_file(data, n, &err), -EINVAL);
    assert_null(strchr(err.text, '\n'));
    free(data);
}

static void what_is_no_file_is_told_with_its_name(void **state)
{
    (void)state;
    struct harness_topology t;
    struct err err = {0};
    assert_int_equal(harness_topology_parse("nowhere/nothing.xml", NULL, &t, &err), -ENOENT);
    assert_non_null(strstr(err.text, "nowhere/nothing.xml"));
    err = (struct err){0};
    assert_int_equal(parse_file("<html></html>", 13, &err), -EINVAL);
    assert_non_null(strstr(err.text, ".xml"));
}

static void this_machine_loads(void **state)
{
    (void)state;
    struct harness_topology t;
    assert_int_equal(harness_topology_load(&t, NULL), 0);
    assert_true(t.ncpus >= 1);
    harness_topology_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_draw_is_a_permutation_of_the_allowed_cpus),
        cmocka_unit_test(draws_keep_siblings_siblings_and_neighbours_neighbours),
        cmocka_unit_test(on_two_cpus_both_mappings_are_equally_likely),
        cmocka_unit_test(every_position_meets_every_cpu_equally_often),
        cmocka_unit_test(a_draw_is_a_function_of_seed_and_invocation),
        cmocka_unit_test(unlike_parts_stay_where_they_are),
        cmocka_unit_test(hybrid_cores_stay_where_they_are),
        cmocka_unit_test(cpus_of_a_reduced_set_keep_their_numbers),
        cmocka_unit_test(what_is_no_topology_is_told),
        cmocka_unit_test(recorded_cpus_lie_where_the_file_says),
        cmocka_unit_test(cpus_that_are_off_or_not_ours_are_not_there),
        cmocka_unit_test(a_file_cut_anywhere_is_refused_and_the_whole_one_taken),
        cmocka_unit_test(a_file_that_contradicts_itself_is_refused),
        cmocka_unit_test(what_is_no_file_is_told_with_its_name),
        cmocka_unit_test(this_machine_loads),
    };
    return CASES(tests);
}
