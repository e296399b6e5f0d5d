/* Coding and decoding of the trial protocol: what goes round, and what a hostile or broken side may say. */
#include "harness/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

static json_t *json(const char *text)
{
    json_error_t why;
    json_t *v = json_loads(text, JSON_DECODE_ANY, &why);
    if (!v)
        fail_msg("%s: %s", why.text, text);
    return v;
}

static json_t *good_spec(void)
{
    char *cpus[] = {(char *)"0", (char *)"0-1,4"};
    struct trial_spec spec = {.workload = {.data = (char *)"synthetic:8",
                                           .transform = (char *)"gemm=4",
                                           .sampler = (char *)"random",
                                           .batch_size = 5},
                              .setting = {.workers = 2,
                                          .threads = 3,
                                          .prefetch_factor = 7,
                                          .affinity = (char *)"compact",
                                          .backend = (char *)"thread"},
                              .seed = UINT64_MAX - 3,
                              .spawned_ns = 123456789012345,
                              .bound = true,
                              .main_cpus = (char *)"0-1",
                              .worker_cpus = cpus};
    return harness_spec_json(&spec);
}

static void a_spec_goes_round(void **state)
{
    (void)state;
    struct trial_spec s;
    json_t *made = good_spec();
    char *text = json_dumps(made, JSON_COMPACT); /* over the wire, as it does */
    json_t *line = json(text);
    assert_int_equal(harness_spec_parse(line, &s, NULL), 0);
    assert_string_equal(s.workload.data, "synthetic:8");
    assert_string_equal(s.workload.transform, "gemm=4");
    assert_string_equal(s.workload.sampler, "random");
    assert_int_equal(s.workload.batch_size, 5);
    assert_int_equal(s.setting.workers, 2);
    assert_int_equal(s.setting.threads, 3);
    assert_int_equal(s.setting.prefetch_factor, 7);
    assert_string_equal(s.setting.affinity, "compact");
    assert_string_equal(s.setting.backend, "thread");
    assert_true(s.seed == UINT64_MAX - 3 && s.spawned_ns == 123456789012345 && s.bound);
    assert_string_equal(s.main_cpus, "0-1");
    assert_string_equal(s.worker_cpus[1], "0-1,4");
    harness_spec_fini(&s);
    json_decref(line);
    json_decref(made);
    free(text);
}

static void unknown_fields_of_a_spec_do_no_harm(void **state)
{
    (void)state;
    struct trial_spec s;
    json_t *line = good_spec();
    json_object_set_new(json_object_get(line, "spec"), "from_the_future", json_integer(1));
    assert_int_equal(harness_spec_parse(line, &s, NULL), 0);
    harness_spec_fini(&s);
    json_decref(line);
}

/* One change to a good spec: the member at `path` is set to `value`, or dropped for NULL. */
static void refuse_change(const char *const *path, const char *value, int code, const char *word)
{
    json_t *line = good_spec(), *at = json_object_get(line, "spec");
    for (; path[1]; path++)
        at = json_object_get(at, path[0]);
    if (value)
        json_object_set_new(at, path[0], json(value));
    else
        json_object_del(at, path[0]);
    struct trial_spec s;
    struct err err = {0};
    int rc = harness_spec_parse(line, &s, &err);
    if (rc != code || !strstr(err.text, word))
        fail_msg("%s = %s: %d, '%s'", path[0], value ? value : "(missing)", rc, err.text);
    assert_null(s.workload.data); /* nothing is left to free */
    assert_null(s.worker_cpus);
    json_decref(line);
}

#define PATH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void each_missing_field_of_a_spec_is_named(void **state)
{
    (void)state;
    static const char *const top[] = {"protocol", "seed", "spawned_ns"};
    for (size_t i = 0; i < 3; i++)
        refuse_change(PATH(top[i]), NULL, -EINVAL, top[i]);
    static const char *const nested[][2] = {{"workload", "data"},    {"workload", "transform"},
                                            {"workload", "sampler"}, {"workload", "batch_size"},
                                            {"setting", "workers"},  {"setting", "threads"},
                                            {"setting", "affinity"}, {"setting", "prefetch_factor"},
                                            {"setting", "backend"},  {"placement", "main"}};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
        refuse_change(PATH(nested[i][0], nested[i][1]), NULL, -EINVAL, nested[i][1]);
    refuse_change(PATH("placement", "workers"), NULL, -EINVAL, "placement of worker 0 of 2");
    refuse_change(PATH("placement", "workers"), "[\"0\"]", -EINVAL, "placement of worker 1 of 2");
    refuse_change(PATH("workload"), NULL, -EINVAL, "data");
    refuse_change(PATH("workload"), "[]", -EINVAL, "data");
    refuse_change(PATH("setting"), "null", -EINVAL, "workers");
}

static void another_version_is_told_with_both_numbers(void **state)
{
    (void)state;
    refuse_change(PATH("protocol"), "2", -EPROTO, "version 2; this subject speaks version 1");
    refuse_change(PATH("protocol"), "-1", -EPROTO, "version -1");
}

static void values_out_of_range_name_value_and_limit(void **state)
{
    (void)state;
    refuse_change(PATH("setting", "workers"), "-1", -EINVAL, "is -1, outside 0 to 65536");
    refuse_change(PATH("setting", "workers"), "2147483648", -EINVAL, "2147483648");
    refuse_change(PATH("setting", "threads"), "0", -EINVAL, "is 0, outside 1 to");
    refuse_change(PATH("setting", "prefetch_factor"), "-2", -EINVAL, "-2");
    refuse_change(PATH("workload", "batch_size"), "0", -EINVAL, "batch_size");
    refuse_change(PATH("workload", "batch_size"), "9223372036854775807", -EINVAL, "9223372036854775807");
    refuse_change(PATH("spawned_ns"), "-1", -EINVAL, "spawned_ns");
}

static void values_of_another_kind_are_refused(void **state)
{
    (void)state;
    refuse_change(PATH("setting", "workers"), "\"2\"", -EINVAL, "workers");
    refuse_change(PATH("setting", "workers"), "2.0", -EINVAL, "workers");
    refuse_change(PATH("setting", "affinity"), "3", -EINVAL, "affinity");
    refuse_change(PATH("setting", "backend"), "null", -EINVAL, "backend");
    refuse_change(PATH("workload", "data"), "{}", -EINVAL, "data");
    refuse_change(PATH("placement", "main"), "[0]", -EINVAL, "main");
    refuse_change(PATH("placement", "workers"), "[0, 1]", -EINVAL, "placement of worker 0");
}

static void a_line_that_is_no_spec_is_told(void **state)
{
    (void)state;
    static const char *const lines[] = {"{}", "[]", "null", "3", "{\"turn\": {}}", "{\"spec\": 3}"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        json_t *line = json(lines[i]);
        struct trial_spec s;
        struct err err = {0};
        assert_int_equal(harness_spec_parse(line, &s, &err), -EINVAL);
        assert_true(err.text[0]);
        json_decref(line);
    }
}

/* What the turns of these tests are held to: 4 batches of at most 2 samples, answered within 1000 ns. */
static const struct harness_turn_bounds bounds = {.batches = 4, .batch_size = 2, .waited_ns = 1000};

static void a_turn_is_divided_by_its_samples(void **state)
{
    (void)state;
    json_t *line = json("{\"turn\": {\"batches\": 4, \"samples\": 8, \"wall_ns\": 800, \"cpu_ns\": 1600,"
                        "\"item_ns\": 400, \"overhead_ns\": 80, \"voluntary_switches\": 16,"
                        "\"wait_ns\": {\"compute\": 24}, \"items\": {\"max_ns\": 99, \"buckets\": [[3, 8]]},"
                        "\"extra\": {\"mine\": 1}}}");
    struct turn t;
    assert_int_equal(harness_turn_parse(line, &bounds, &t, NULL), 0);
    assert_true(t.batches == 4 && t.samples == 8 && t.wall_ns == 800 && t.cost_ns == 100);
    assert_true(t.cpu_ns == 200 && t.item_ns == 50 && t.overhead_ns == 10 && t.voluntary_switches == 2);
    assert_true(t.wait_ns[RESULT_WAIT_COMPUTE] == 3);
    assert_true(isnan(t.wait_ns[RESULT_WAIT_PIN]) && isnan(t.migrations)); /* not told is not 0 */
    assert_int_equal(t.items->total, 8);
    assert_int_equal(t.items->max, 99);
    assert_string_equal(t.extra, "{\"mine\":1}");
    free(t.items);
    free(t.extra);
    json_decref(line);
}

static void refuse_turn(const json_t *line, const char *words)
{
    struct turn t;
    struct err err = {0};
    char *text = json_dumps(line, JSON_COMPACT);
    if (harness_turn_parse(line, &bounds, &t, &err) != -EPROTO || !strstr(err.text, words))
        fail_msg("%s: '%s' should hold '%s'", text, err.text, words);
    assert_true(isnan(t.cost_ns) && isnan(t.wall_ns) && !t.samples && !t.items && !t.extra);
    free(text);
}

static void an_answer_that_is_no_turn_is_no_number(void **state)
{
    (void)state;
    static const char *const turns[] = {"{}", "{\"turn\": {}}", "{\"turn\": 3}"};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        json_t *line = json(turns[i]);
        refuse_turn(line, "turn: \"batches\" is missing or no whole number");
        json_decref(line);
    }
}

/* One change to a turn that is taken: the member is set to `value`, or dropped for NULL. */
static void a_turn_is_held_to_what_was_asked_and_to_the_time_that_passed(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *words;
    } changes[] = {
        {"batches", NULL, "\"batches\" is missing"},
        {"batches", "-1", "\"batches\" is -1 where 4 were asked for"},
        {"batches", "3", "\"batches\" is 3 where 4 were asked for"},
        {"batches", "8", "\"batches\" is 8 where 4 were asked for"},
        {"batches", "\"4\"", "\"batches\" is missing or no whole number"},
        {"batches", "1e308", "where 4 were asked for"},
        {"samples", NULL, "\"samples\" is missing"},
        {"samples", "0", "\"samples\" is 0, outside 1 to 8"},
        {"samples", "-3", "\"samples\" is -3, outside 1 to 8"},
        {"samples", "9", "\"samples\" is 9, outside 1 to 8"},
        {"samples", "8000000", "\"samples\" is 8000000, outside 1 to 8"},
        {"samples", "1e300", "outside 1 to 8"},
        {"samples", "-1e300", "outside 1 to 8"},
        {"samples", "1.5", "\"samples\" is missing or no whole number"},
        {"samples", "\"3\"", "\"samples\" is missing or no whole number"},
        {"wall_ns", NULL, "\"wall_ns\" is missing or below 1"},
        {"wall_ns", "null", "\"wall_ns\" is missing or below 1"},
        {"wall_ns", "0", "\"wall_ns\" is missing or below 1"},
        {"wall_ns", "1e-320", "\"wall_ns\" is missing or below 1"},
        {"wall_ns", "-5", "\"wall_ns\" is -5, outside 0 to 1001010"},
        {"wall_ns", "\"5\"", "\"wall_ns\" is no number"},
        {"wall_ns", "1001011", "\"wall_ns\" is 1001011, outside 0 to 1001010"},
        {"wall_ns", "1e308", "\"wall_ns\" is 1e+308, outside 0 to 1001010"},
        {"wall_ns", "9223372036854775807", "outside 0 to 1001010"},
        {"cpu_ns", "-1", "\"cpu_ns\" is -1, outside 0 to"},
        {"cpu_ns", "1e308", "\"cpu_ns\" is 1e+308, outside 0 to"},
        {"item_ns", "\"2\"", "\"item_ns\" is no number"},
        {"overhead_ns", "[1]", "\"overhead_ns\" is no number"},
        {"page_faults", "true", "\"page_faults\" is no number"},
        {"stall_ratio", "-0.1", "\"stall_ratio\" is -0.1"},
        {"wait_ns", "{\"compute\": -4}", "\"wait_ns\": \"compute\" is -4"},
        {"items", "{\"max_ns\": 9, \"buckets\": [[3, 9]]}",
         "\"items\" counts 9 samples where 8 were delivered"},
        {"items", "{\"max_ns\": 9, \"buckets\": [[3, 7]]}",
         "\"items\" counts 7 samples where 8 were delivered"},
        {"untimed_ns", "-1", "\"untimed_ns\" is -1, outside 0 to 1001010"},
        {"untimed_ns", "1e308", "\"untimed_ns\" is 1e+308, outside 0 to 1001010"},
        {"untimed_ns", "[]", "\"untimed_ns\" is no number"},
        {"untimed_ns", "1",
         "\"wall_ns\" and \"untimed_ns\" are 1001011 together, more than the 1001010 that passed"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        json_t *line = json("{\"turn\": {\"batches\": 4, \"samples\": 8, \"wall_ns\": 1001010}}");
        struct turn t;
        assert_int_equal(harness_turn_parse(line, &bounds, &t, NULL), 0); /* at each limit it is taken */
        json_t *turn = json_object_get(line, "turn");
        if (changes[i].value)
            json_object_set_new(turn, changes[i].key, json(changes[i].value));
        else
            json_object_del(turn, changes[i].key);
        refuse_turn(line, changes[i].words);
        json_decref(line);
    }
}

/* A turn of 100 ms: 10 ms may be missing from what is told, and what the two waited for a CPU. */
static void what_is_told_of_a_turn_accounts_for_nearly_all_of_it(void **state)
{
    (void)state;
    static const struct {
        double delayed_ns;
        const char *wall_ns, *untimed_ns;
        bool taken;
    } cases[] = {
        {0, "60000000", "30000000", true},   {0, "60000000", "29999999", false},
        {0, "1200000", "0", false},          {0, "1200000", "98000000", true},
        {5e6, "60000000", "25000000", true}, {5e6, "60000000", "24999999", false},
        {NAN, "1200000", "0", true},         {0, "1200000", "null", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *line = json("{\"turn\": {\"batches\": 4, \"samples\": 8}}");
        const struct harness_turn_bounds b = {
            .batches = 4, .batch_size = 2, .waited_ns = 100e6, .delayed_ns = cases[i].delayed_ns};
        struct turn t;
        struct err err = {0};
        json_object_set_new(json_object_get(line, "turn"), "wall_ns", json(cases[i].wall_ns));
        json_object_set_new(json_object_get(line, "turn"), "untimed_ns", json(cases[i].untimed_ns));
        int rc = harness_turn_parse(line, &b, &t, &err);
        if (rc || !t.void_reason != cases[i].taken)
            fail_msg("case %zu: %d, %s%s", i, rc, err.text, t.void_reason ? t.void_reason : "");
        assert_true(t.seen_ns == 100e6 && isnan(t.untimed_ns) == !strcmp(cases[i].untimed_ns, "null"));
        if (i == 2)
            assert_string_equal(t.void_reason,
                                "turn: told 1.2 ms timed and 0 ms untimed for a turn that took "
                                "100 ms from here");
        free(t.void_reason);
        json_decref(line);
    }
}

static void a_start_is_held_to_the_time_that_passed(void **state)
{
    (void)state;
    static const char *const fields[] = {"start_ns", "first_batch_ns", "work_flops"};
    static const char *const values[] = {"1e300", "-1", "\"5\""};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            struct trial t = {0};
            struct err err = {0};
            json_t *line = json("{\"ready\": {}}");
            json_object_set_new(json_object_get(line, "ready"), fields[i], json(values[k]));
            if (harness_ready_parse(line, INFINITY, &t, &err) != -EPROTO || !strstr(err.text, fields[i]))
                fail_msg("%s = %s: '%s'", fields[i], values[k], err.text);
            json_decref(line);
        }
    struct trial t = {0};
    json_t *line = json("{\"ready\": {\"start_ns\": 2000000}}");
    assert_int_equal(harness_ready_parse(line, 1e6, &t, NULL), 0);
    assert_int_equal(harness_ready_parse(line, 0.9e6, &t, NULL), -EPROTO);
    json_decref(line);
}

static void a_histogram_with_hostile_buckets_keeps_to_its_bounds(void **state)
{
    (void)state;
    json_t *line = json(
        "{\"turn\": {\"batches\": 4, \"samples\": 2, \"wall_ns\": 1, \"items\": {\"max_ns\": -1, \"buckets\":"
        "[[-1, 5], [99999999, 5], [1, -5], [2], 7, \"x\", [3, 2]]}}}");
    struct turn t;
    assert_int_equal(harness_turn_parse(line, &bounds, &t, NULL), 0);
    assert_int_equal(t.items->max, 0);
    assert_int_equal(t.items->total, 2);
    free(t.items);
    json_decref(line);
}

static void free_trial(struct trial *t)
{
    struct result r = {.invocations = calloc(1, sizeof *r.invocations), .ninvocations = 1};
    r.invocations[0].trials = malloc(sizeof *t);
    r.invocations[0].trials[0] = *t;
    r.invocations[0].ntrials = 1;
    result_fini(&r);
}

static void ready_and_totals_fill_a_trial(void **state)
{
    (void)state;
    struct trial t = {0};
    json_t *ready = json("{\"ready\": {\"start_ns\": 5, \"placement\": {\"main\": \"0\"},"
                         "\"placement_mismatch\": \"worker 0: CPUs asked 0, found 1\"}}");
    json_t *totals = json("{\"totals\": {\"order_hash\": \"ab\", \"set_hash\": \"cd\", \"counters\": ["
                          "{\"name\": \"a\", \"value\": 3, \"share\": 0.5},"
                          "{\"name\": \"b\", \"value\": null, \"unavailable\": \"no PMU\"}]}}");
    assert_int_equal(harness_ready_parse(ready, INFINITY, &t, NULL), 0);
    assert_int_equal(harness_totals_parse(totals, &t, NULL), 0);
    assert_true(t.start_ns == 5 && isnan(t.first_batch_ns));
    assert_string_equal(t.placement, "{\"main\":\"0\"}");
    assert_non_null(strstr(t.placement_text, "found 1"));
    assert_string_equal(t.order_hash, "ab");
    assert_int_equal(t.ncounters, 2);
    assert_true(t.counters[0].value == 3 && t.counters[0].share == 0.5 && !t.counters[0].reason);
    assert_true(isnan(t.counters[1].value));
    assert_string_equal(t.counters[1].reason, "no PMU");
    json_decref(ready);
    json_decref(totals);
    free_trial(&t);
}

static void what_was_delivered_is_told_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        const char *totals, *words; /* NULL = it is taken */
    } cases[] = {
        {"{}", NULL},
        {"{\"order_hash\": null, \"extra\": {\"set_at\": [], \"order_at\": []}}", NULL},
        {"{\"extra\": {\"set_at\": [\"1\", \"2\", \"3\"], \"order_at\": [\"1\", \"2\", \"3\"]}}", NULL},
        {"{\"extra\": {\"set_at\": [\"1\", \"2\"], \"order_at\": [\"1\", \"2\"]}}",
         "\"set_at\" has 2 hashes, fewer than the 3 that 5 samples make"},
        {"{\"extra\": {\"set_at\": [\"1\", \"2\", \"3\"]}}", "\"set_at\" has 3 hashes and \"order_at\" 0"},
        {"{\"extra\": {\"set_at\": {}}}", "\"set_at\" is no list"},
        {"{\"extra\": {\"order_at\": \"1\"}}", "\"order_at\" is no list"},
        {"{\"extra\": {\"set_at\": [1, 2, 3]}}", "\"set_at\" has something at 0 that is no text"},
        {"{\"extra\": []}", "\"extra\" is no object"},
        {"{\"samples\": 5}", NULL},
        {"{\"samples\": 4}", "\"samples\" is 4, less than the 5 of the turns"},
        {"{\"samples\": -1}", "\"samples\" is -1, outside 0 to"},
        {"{\"samples\": \"5\"}", "\"samples\" is no number"},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 9.2e18, \"share\": 1, \"by\": [{\"who\": "
         "\"consumer\", "
         "\"value\": null, \"unavailable\": \"no\"}]}]}",
         NULL},
        {"{\"counters\": {}}", "\"counters\" is no list"},
        {"{\"counters\": [[[[[]]]]]}", "\"counters\" has something at 0 without \"name\""},
        {"{\"counters\": [{\"value\": 4}]}", "\"counters\" has something at 0 without \"name\""},
        {"{\"counters\": [{\"name\": \"a\", \"value\": -4, \"share\": 1}]}",
         "totals: counters 'a': \"value\" is -4, outside 0 to"},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 1e300, \"share\": 1}]}",
         "\"value\" is 1e+300, outside"},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 4, \"share\": 7}]}", "\"share\" is 7, outside 0 to 1"},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 4}]}", "\"share\" is missing or 0"},
        {"{\"counters\": [{\"name\": \"a\"}]}", "neither \"value\" nor \"unavailable\""},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 4, \"share\": 1, \"by\": 3}]}", "\"by\" is no list"},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 4, \"share\": 1, \"by\": [{}]}]}",
         "\"by\" has something at 0 without \"who\""},
        {"{\"counters\": [{\"name\": \"a\", \"value\": 4, \"share\": 1, \"by\": [{\"who\": \"w\", \"value\": "
         "-1}]}]}",
         "totals: by 'w': \"value\" is -1"},
        {"{\"set_hash\": 7}", "\"set_hash\" is no text"},
        {"{\"order_hash\": []}", "\"order_hash\" is no text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t = {.turns = calloc(2, sizeof *t.turns), .nturns = 2};
        struct err err = {0};
        t.turns[0].samples = 2;
        t.turns[1].samples = 3;
        json_t *line = json_pack("{s:o}", "totals", json(cases[i].totals));
        int rc = harness_totals_parse(line, &t, &err);
        if (rc != (cases[i].words ? -EPROTO : 0) || (rc && !strstr(err.text, cases[i].words)))
            fail_msg("%s: %d, '%s'", cases[i].totals, rc, err.text);
        json_decref(line);
        free_trial(&t);
    }
}

/* A line may be 64 MiB: what is kept of it for each trial and turn may not. */
static void what_is_beyond_measure_is_refused(void **state)
{
    (void)state;
    json_t *many = json_array(), *line = json_pack("{s:{s:o}}", "totals", "counters", many);
    struct trial t = {0};
    struct err err = {0};
    for (int i = 0; i <= 1024; i++)
        json_array_append_new(many, json_pack("{s:s, s:n, s:s}", "name", "a", "value", "unavailable", "no"));
    assert_int_equal(harness_totals_parse(line, &t, &err), -EPROTO);
    assert_non_null(strstr(err.text, "\"counters\" has 1025 members, at most 1024"));
    json_array_remove(many, 0);
    assert_int_equal(harness_totals_parse(line, &t, NULL), 0);
    json_decref(line);
    char *words = malloc((5 << 20) + 1);
    memset(words, 'x', 5 << 20);
    words[5 << 20] = '\0';
    line = json_pack("{s:{s:i, s:i, s:i, s:{s:s}}}", "turn", "batches", 4, "samples", 8, "wall_ns", 800,
                     "extra", "a", words);
    refuse_turn(line, "turn: \"extra\" has 5242888 bytes, at most 4194304");
    json_decref(line);
    free(words);
    free_trial(&t);
}

static void a_timeline_has_the_batches_asked_for_and_no_others(void **state)
{
    (void)state;
    static const struct {
        const char *turn, *words; /* NULL = it is taken */
    } cases[] = {
        {"{}", NULL},
        {"{\"timeline\": null}", NULL},
        {"{\"timeline\": [[0, 0, 1, 2, 3, 1], [1, -1, -5, 2, 3, 0]]}", NULL},
        {"3", "expected {\"turn\""},
        {"{\"timeline\": 3}", "\"timeline\" is no list"},
        {"{\"timeline\": [[0, 0, 1, 2, 3, 1], [0, 0, 1, 2, 3, 1], [0, 0, 1, 2, 3, 1]]}",
         "has 3 batches where 2"},
        {"{\"timeline\": [[0, 0, 1, 2, 3, -1]]}", "has 1 batches that are none"},
        {"{\"timeline\": [[0, 0, 3, 2, 3, 1]]}", "has 1 batches that are none"},
        {"{\"timeline\": [[0, 0, 1, 2, 1e300, 1], [0]]}", "has 2 batches that are none"},
        {"{\"timeline\": [[[[[[[]]]]]]]}", "has 1 batches that are none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t = {0};
        struct err err = {0};
        json_t *line = json_pack("{s:o}", "turn", json(cases[i].turn));
        int rc = harness_timeline_parse(line, 2, &t, &err);
        if (rc != (cases[i].words ? -EPROTO : 0) || (rc && !strstr(err.text, cases[i].words)))
            fail_msg("%s: %d, '%s'", cases[i].turn, rc, err.text);
        json_decref(line);
        free(t.timeline);
    }
}

static void other_answers_are_no_ready_and_no_totals(void **state)
{
    (void)state;
    static const char *const lines[] = {"{}", "{\"ready\": 1}", "{\"totals\": []}", "{\"turn\": {}}"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct trial t = {0};
        json_t *line = json(lines[i]);
        assert_int_equal(harness_ready_parse(line, INFINITY, &t, NULL), -EPROTO);
        assert_int_equal(harness_totals_parse(line, &t, NULL), -EPROTO);
        json_decref(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_goes_round),
        cmocka_unit_test(unknown_fields_of_a_spec_do_no_harm),
        cmocka_unit_test(each_missing_field_of_a_spec_is_named),
        cmocka_unit_test(another_version_is_told_with_both_numbers),
        cmocka_unit_test(values_out_of_range_name_value_and_limit),
        cmocka_unit_test(values_of_another_kind_are_refused),
        cmocka_unit_test(a_line_that_is_no_spec_is_told),
        cmocka_unit_test(a_turn_is_divided_by_its_samples),
        cmocka_unit_test(an_answer_that_is_no_turn_is_no_number),
        cmocka_unit_test(a_turn_is_held_to_what_was_asked_and_to_the_time_that_passed),
        cmocka_unit_test(a_start_is_held_to_the_time_that_passed),
        cmocka_unit_test(what_is_told_of_a_turn_accounts_for_nearly_all_of_it),
        cmocka_unit_test(a_histogram_with_hostile_buckets_keeps_to_its_bounds),
        cmocka_unit_test(ready_and_totals_fill_a_trial),
        cmocka_unit_test(what_was_delivered_is_told_whole_or_not_at_all),
        cmocka_unit_test(what_is_beyond_measure_is_refused),
        cmocka_unit_test(a_timeline_has_the_batches_asked_for_and_no_others),
        cmocka_unit_test(other_answers_are_no_ready_and_no_totals),
    };
    return CASES(tests);
}
