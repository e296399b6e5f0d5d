/* Topologies kept by their content, and what differs between two in words. */
#include "harness/topology_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/cmocka.h"
#include "topologies.h"

static void load(const char *text, struct harness_topology *t)
{
    struct err err = {0};
    if (harness_topology_parse(text, NULL, t, &err))
        fail_msg("%s: %s", text, err.text);
}

static void assert_difference(const char *a, const char *b, const char *want)
{
    struct text out = {0};
    struct err err = {0};
    if (harness_topology_differences(a, b, &out, &err))
        fail_msg("%s", err.text);
    if (!strstr(text_get(&out), want))
        fail_msg("'%s' is not in:\n%s", want, text_get(&out));
    text_fini(&out);
}

static void what_differs_is_said_in_words(void **state)
{
    (void)state;
    assert_difference(RECORDED("amd_four_l3"), RECORDED("two_packages_two_nodes_smt"),
                      "packages: 1 against 2");
    assert_difference(RECORDED("amd_four_l3"), RECORDED("two_packages_two_nodes_smt"),
                      "L3 caches: 4 against 2");
    assert_difference(RECORDED("amd_four_l3"), RECORDED("two_packages_two_nodes_smt"),
                      "a size of L3 caches: 16.00 MiB against 22.00 MiB");
    assert_difference(RECORDED("offline_cpu_in_the_middle"), RECORDED("cpu_0_is_not_ours"),
                      "CPUs: 0-2,4-7 against 1-3,5-7");
    assert_difference(RECORDED("hybrid_8_fast_8_slow"), RECORDED("amd_four_l3"),
                      "kinds of cores: 2 against 0");
    assert_difference(RECORDED("vm_of_two_cpus"), RECORDED("vm_of_two_cpus"), "are the same");
}

/* Same counts, same sizes, same CPUs: only which are neighbours differs. */
static void other_neighbours_are_told(void **state)
{
    (void)state;
    struct text out = {0};
    char a[64], b[64];
    snprintf(a, sizeof a, "a-%d.xml", (int)getpid());
    snprintf(b, sizeof b, "b-%d.xml", (int)getpid());
    static const char *const pairs[] = {"pack:1 core:4 pu:2(indexes=0,1,2,3,4,5,6,7)",
                                        "pack:1 core:4 pu:2(indexes=0,4,1,5,2,6,3,7)"};
    for (int i = 0; i < 2; i++) {
        struct harness_topology t;
        load(pairs[i], &t);
        assert_int_equal(hwloc_topology_export_xml(t.hwloc, i ? b : a, 0), 0);
        harness_topology_fini(&t);
    }
    assert_int_equal(harness_topology_differences(a, b, &out, NULL), 0);
    assert_non_null(strstr(text_get(&out), "position 1: CPU 1 of core 0"));
    text_fini(&out);
    unlink(a);
    unlink(b);
}

static void a_file_that_is_gone_is_told(void **state)
{
    (void)state;
    struct text out = {0};
    struct err err = {0};
    assert_int_equal(harness_topology_differences(RECORDED("vm_of_two_cpus"), "gone.xml", &out, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "gone.xml"));
    text_fini(&out);
}

static void it_is_kept_once_under_the_hash_of_what_it_holds(void **state)
{
    (void)state;
    char folder[64], result[96], hash[TOPOLOGY_HASH], again[TOPOLOGY_HASH], *path;
    struct harness_topology t, back;
    struct stat first, second;
    snprintf(folder, sizeof folder, "kept-%d", (int)getpid());
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(result, sizeof result, "%s/a.jsonl", folder);
    load(RECORDED("one_package_two_nodes"), &t);
    char *xml = harness_topology_xml(&t);
    harness_topology_hash(hash, xml);
    assert_int_equal(harness_topology_keep(&t, result, NULL), 0);
    assert_int_equal(harness_topology_path(result, hash, &path, NULL), 0);
    assert_int_equal(stat(path, &first), 0);
    assert_int_equal(harness_topology_keep(&t, result, NULL), 0);
    assert_int_equal(stat(path, &second), 0);
    assert_true(first.st_ino == second.st_ino && first.st_size == (off_t)strlen(xml));
    load(path, &back); /* it is whole, and what is read back has the same content */
    char *xml_back = harness_topology_xml(&back);
    assert_string_equal(harness_topology_hash(again, xml_back), hash);
    assert_null(strstr(xml, "<info name="));
    harness_topology_fini(&back);
    harness_topology_fini(&t);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
    free(path);
    free(xml);
    free(xml_back);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct harness_topology t;
    struct err err = {0};
    load("core:2 pu:1", &t);
    assert_int_equal(harness_topology_keep(&t, "nowhere-at-all/a.jsonl", &err), -ENOENT);
    assert_non_null(strstr(err.text, "nowhere-at-all/topology-"));
    harness_topology_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_differs_is_said_in_words),
        cmocka_unit_test(other_neighbours_are_told),
        cmocka_unit_test(a_file_that_is_gone_is_told),
        cmocka_unit_test(it_is_kept_once_under_the_hash_of_what_it_holds),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return CASES(tests);
}
