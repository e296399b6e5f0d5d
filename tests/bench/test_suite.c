/* Suites: what they become, and what is said of those that are wrong. */
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

static int read_bytes(const char *bytes, size_t n, struct suite **out, struct err *err)
{
    FILE *f = n ? fmemopen((void *)bytes, n, "r") : fopen("/dev/null", "re");
    assert_non_null(f);
    int rc = suite_read_stream(f, "s.yaml", out, err);
    fclose(f);
    return rc;
}

static struct suite *read_good(const char *yaml)
{
    struct suite *s;
    struct err err = {0};
    int rc = read_bytes(yaml, strlen(yaml), &s, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    return s;
}

/* The arms that a suite becomes with two CPUs. */
static struct result plan_of(const char *yaml)
{
    struct result r = {0};
    struct suite *s = read_good(yaml);
    assert_int_equal(suite_add_arms(s, 2, &r, NULL), 0);
    suite_free(s);
    return r;
}

struct wrong {
    const char *yaml, *text;
};

static void expect_errors(const struct wrong *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct suite *s = (struct suite *)&s;
        struct err err = {0};
        int rc = read_bytes(list[i].yaml, strlen(list[i].yaml), &s, &err);
        assert_string_equal(err.text, list[i].text);
        assert_true(rc == -EINVAL || rc == -ERANGE);
        assert_null(s);
    }
}

#define EXPECT_ERRORS(list) expect_errors(list, sizeof(list) / sizeof *(list))

static void nothing_to_measure_is_an_error(void **state)
{
    (void)state;
    static const char text[] = "s.yaml: neither 'sweeps' nor 'arms': there is nothing to measure";
    static const struct wrong list[] = {
        {"", text},
        {"\n\n", text},
        {"# later\n", text},
        {"---\n", text},
        {"title: x\n", text},
        {"arms: []\n", "s.yaml:1: arms: an empty list"},
        {"title: x\nsweeps:\n", "s.yaml:2: sweeps: one value where a list ([...]) is wanted"},
    };
    EXPECT_ERRORS(list);
}

static void numbers_are_read_as_those_of_options(void **state)
{
    (void)state;
    static const struct wrong list[] = {
        {"arms:\n  - name: a\n    workers: 1.9\n", "s.yaml:3: arms[0].workers: '1.9' is not a whole number"},
        {"arms: [{workers: 1e3}]", "s.yaml:1: arms[0].workers: '1e3' is not a whole number"},
        {"arms: [{workers: 2 workers}]", "s.yaml:1: arms[0].workers: '2 workers' is not a whole number"},
        {"arms: [{workers: 0x10}]", "s.yaml:1: arms[0].workers: '0x10' is not a whole number"},
        {"arms: [{workers: ''}]", "s.yaml:1: arms[0].workers: no value"},
        {"arms: [{workers: [1]}]", "s.yaml:1: arms[0].workers: a list where one value is wanted"},
        {"arms: [{workers: -1}]", "s.yaml:1: arms[0].workers: -1 is outside 0 to 4096"},
        {"arms: [{batch_size: 32k}]", "s.yaml:1: arms[0].batch_size: '32k' is not a whole number"},
        {"arms: [{batch_size: 0}]", "s.yaml:1: arms[0].batch_size: 0 is outside 1 to 65536"},
        {"arms: [{prefetch: 0}]", "s.yaml:1: arms[0].prefetch: 0 is outside 1 to 1024"},
        {"arms: [{threads: al}]", "s.yaml:1: arms[0].threads: 'al' is neither a whole number nor 'all'"},
        {"sweeps:\n- workers:\n  - 1\n  - 1;2\n",
         "s.yaml:4: sweeps[0].workers[1]: '1;2' is not a whole number"},
        {"sweeps: [{workers: 2}]", "s.yaml:1: sweeps[0].workers: one value where a list ([...]) is wanted"},
        {"sweeps: [{prefetch: [1, 0]}]", "s.yaml:1: sweeps[0].prefetch[1]: 0 is outside 1 to 1024"},
    };
    EXPECT_ERRORS(list);
    struct result r = plan_of("arms: [{workers: 010}]");
    assert_int_equal(r.arms[0].setting.workers, 10);
    result_fini(&r);
}

static void yes_and_no_are_words(void **state)
{
    (void)state;
    static const struct wrong list[] = {
        {"arms: [{shuffle: flase}]", "s.yaml:1: arms[0].shuffle: 'flase' is neither yes nor no"},
        {"arms: [{shuffle: \"nope\"}]", "s.yaml:1: arms[0].shuffle: 'nope' is neither yes nor no"},
        {"workload: {shuffle: maybe}", "s.yaml:1: workload.shuffle: 'maybe' is neither yes nor no"},
    };
    EXPECT_ERRORS(list);
    struct result r = plan_of("workload: {shuffle: true}\n"
                              "arms: [{name: a}, {name: b, shuffle: false}, {name: c, shuffle: yes}]");
    assert_string_equal(r.arms[0].workload.sampler, "random");
    assert_string_equal(r.arms[1].workload.sampler, "sequential");
    assert_string_equal(r.arms[2].workload.sampler, "random");
    result_fini(&r);
}

static void a_suite_is_one_document(void **state)
{
    (void)state;
    static const struct wrong list[] = {
        {"arms: [{name: a}]\n---\narms: [{name: b}]\n", "s.yaml:2: a second document; a suite is one"},
        {"arms: [{name: a}]\n--- {\n",
         "s.yaml:3: while parsing a flow node, did not find expected node content"},
        {"arms: [{name: a\n", "s.yaml:2: while parsing a flow mapping, did not find expected ',' or '}'"},
        {"arms: [*a]\n", "s.yaml:1: found undefined alias"},
        {"a: \xff", "s.yaml: invalid leading UTF-8 octet at byte 3"},
    };
    EXPECT_ERRORS(list);
    struct result r = plan_of("---\narms: [{name: a é \u00a0}]\n...\n# the end\n");
    assert_int_equal(r.narms, 1);
    result_fini(&r);
}

static void every_value_is_checked_when_the_suite_is_read(void **state)
{
    (void)state;
    static const struct wrong list[] = {
        {"margin: abc\narms: [{}]", "s.yaml:1: margin: 'abc' is not a ratio (such as 5% or 0.05)"},
        {"budget: 0.1s\narms: [{}]", "s.yaml:1: budget: 0.1s is outside 1 s to 30 d"},
        {"arms: [{margin: nan}]", "s.yaml:1: arms[0].margin: 'nan' is not a ratio (such as 5% or 0.05)"},
        {"arms: [{margin: -5%}]", "s.yaml:1: arms[0].margin: -5% is outside 0.1% to 1000%"},
        {"arms: [{backend: thraed}]",
         "s.yaml:1: arms[0].backend: unknown backend 'thraed' (did you mean 'thread'?)"},
        {"sweeps: [{workers: [0], backend: [process, fork]}]",
         "s.yaml:1: sweeps[0].backend[1]: unknown backend 'fork' (known: process, thread)"},
        {"arms: [{affinity: skatter}]",
         "s.yaml:1: arms[0].affinity: unknown affinity policy 'skatter' (did you mean 'scatter'?)"},
        {"arms: [{main: suite}]", "s.yaml:1: arms[0].main: unknown 'suite' (known: share, reserve)"},
        {"workload: {cache: foo}", "s.yaml:1: workload.cache: unknown 'foo' (known: as-is, warm, cold)"},
        {"workload: {on_error: skp}", "s.yaml:1: workload.on_error: unknown 'skp' (did you mean 'skip'?)"},
        {"workload: {consumer: gpu}",
         "s.yaml:1: workload.consumer: consumer 'gpu' wants the time of a step: 'gpu=5ms'"},
        {"arms: [{name: \"a\\0b\"}]", "s.yaml:1: arms[0].name: a NUL byte behind 'a'"},
        {"arms: [{name: \"a\\nb\"}]", "s.yaml:1: arms[0].name: a control character at byte 1"},
        {"arms: [{name: \"\\x9b31m\"}]", "s.yaml:1: arms[0].name: a control character at byte 0"},
        {"title: \"\\e[31m\"\narms: [{}]", "s.yaml:1: title: a control character at byte 0"},
        {"arms: [{name: ''}]", "s.yaml:1: arms[0].name: no value"},
    };
    EXPECT_ERRORS(list);
}

static void keys_are_known_and_stand_once(void **state)
{
    (void)state;
    static const struct wrong list[] = {
        {"arms:\n  - {name: a}\n  - name: b\n    wokers: 1\n",
         "s.yaml:4: arms[1]: unknown key 'wokers' (did you mean 'workers'?)"},
        {"foo: 1", "s.yaml:1: unknown key 'foo' (known: title, budget, margin, workload, sweeps, arms)"},
        {"\"arms\\0\": [{}]", "s.yaml:1: a NUL byte behind 'arms'"},
        {"arms: [{name: a, name: b}]", "s.yaml:1: arms[0]: 'name' stands twice"},
        {"? [a]\n: 1", "s.yaml:1: a list where a key is wanted"},
        {"[1]", "s.yaml:1: a list where a mapping (KEY: VALUE) is wanted"},
        {"arms: [3]", "s.yaml:1: arms[0]: one value where a mapping (KEY: VALUE) is wanted"},
        {"workload: 1", "s.yaml:1: workload: one value where a mapping (KEY: VALUE) is wanted"},
        {"arms: [&a {name: a}, *a, [*a]]",
         "s.yaml:1: arms[2]: a list where a mapping (KEY: VALUE) is wanted"},
    };
    EXPECT_ERRORS(list);
}

static void two_arms_of_one_name_are_named_with_their_place(void **state)
{
    (void)state;
    struct suite *s = read_good("arms:\n  - {name: a}\n  - {name: b}\n  - {name: a}\n");
    struct result r = {0};
    struct err err = {0};
    assert_int_equal(suite_add_arms(s, 2, &r, &err), -EEXIST);
    assert_string_equal(err.text, "s.yaml:4: arms[2]: two settings are called 'a'");
    result_fini(&r);
    suite_free(s);
}

static void sweeps_and_arms_begin_with_the_workload(void **state)
{
    (void)state;
    struct result r =
        plan_of("arms:\n"
                "  - {name: own, data: 'synthetic:64', batch_size: 4, threads: all, main: reserve,\n"
                "     workers: 2, backend: thread, prefetch: 3, affinity: none, subject: x}\n"
                "sweeps: [{workers: [0, 1], transform: [copy]}]\n"
                "workload: {data: 'synthetic:32', transform: gemm=8, batch_size: 2, cache: warm,\n"
                "           on_error: skip, consumer: cpu=1ms}\n");
    assert_int_equal(r.narms, 3);
    const struct arm *swept = &r.arms[1], *own = &r.arms[2];
    assert_string_equal(swept->workload.data, "synthetic:32");
    assert_string_equal(swept->workload.transform, "copy");
    assert_int_equal(swept->workload.batch_size, 2);
    assert_int_equal(swept->setting.workers, 1);
    assert_int_equal(swept->setting.prefetch_factor, 2);
    assert_string_equal(swept->subject, "core");
    assert_string_equal(own->name, "own");
    assert_string_equal(own->subject, "x");
    assert_string_equal(own->workload.data, "synthetic:64");
    assert_string_equal(own->workload.transform, "gemm=8");
    assert_string_equal(own->workload.cache, "warm");
    assert_string_equal(own->workload.on_error, "skip");
    assert_string_equal(own->workload.consumer, "cpu=1ms");
    assert_int_equal(own->workload.batch_size, 4);
    assert_int_equal(own->setting.threads, 2);
    assert_int_equal(own->setting.prefetch_factor, 3);
    assert_string_equal(own->setting.backend, "thread");
    assert_string_equal(own->setting.affinity, "none");
    assert_true(own->setting.reserve_main);
    result_fini(&r);
}

static void all_threads_of_two_cpus_are_two(void **state)
{
    (void)state;
    struct result r = plan_of("sweeps: [{threads: [1, 2, all], workers: [1, 1]}]");
    assert_int_equal(r.narms, 2);
    result_fini(&r);
}

static void margins_are_an_arms_own_else_the_suites(void **state)
{
    (void)state;
    struct suite *s = read_good("margin: 2%\nbudget: 5m\narms: [{name: a, margin: 0.5}, {name: b}]\n"
                                "sweeps: [{workers: [0, 1]}]\n");
    assert_string_equal(suite_margin(s), "2%");
    assert_string_equal(suite_budget(s), "5m");
    assert_string_equal(suite_arm_margin(s, 1, 4), "2%");
    assert_string_equal(suite_arm_margin(s, 2, 4), "0.5");
    assert_string_equal(suite_arm_margin(s, 3, 4), "2%");
    suite_free(s);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(nothing_to_measure_is_an_error),
        cmocka_unit_test(numbers_are_read_as_those_of_options),
        cmocka_unit_test(yes_and_no_are_words),
        cmocka_unit_test(a_suite_is_one_document),
        cmocka_unit_test(every_value_is_checked_when_the_suite_is_read),
        cmocka_unit_test(keys_are_known_and_stand_once),
        cmocka_unit_test(two_arms_of_one_name_are_named_with_their_place),
        cmocka_unit_test(sweeps_and_arms_begin_with_the_workload),
        cmocka_unit_test(all_threads_of_two_cpus_are_two),
        cmocka_unit_test(margins_are_an_arms_own_else_the_suites),
    };
    return CASES(list);
}
