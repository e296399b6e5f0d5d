/* What tune and run export: by its schema, saying what the result file says, and null with a reason for the rest. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "results/csv.h"
#include "results/io.h"
#include "results/summary.h"
#include "schema.h"
#include "testing/cmocka.h"

static json_t *exported(const struct program *p, const char *name)
{
    json_error_t where;
    char *text = program_file(p, name);
    assert_non_null(text);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!o)
        fail_msg("%s: line %d: %s", name, where.line, where.text);
    free(text);
    return o;
}

static bool is_by_its_schema(const json_t *o, char why[SCHEMA_WHY])
{
    struct schema schema = schema_open(SCHEMA_DIR "/outcome.schema.json", true);
    bool ok = schema_holds(&schema, NULL, o, why);
    schema_close(&schema);
    return ok;
}

static json_t *by_its_schema(const struct program *p, const char *name)
{
    char why[SCHEMA_WHY];
    json_t *o = exported(p, name);
    if (!is_by_its_schema(o, why))
        fail_msg("%s: %s", name, why);
    return o;
}

static const json_t *figure(const json_t *o, size_t setting, const char *name)
{
    const json_t *all = json_object_get(json_array_get(json_object_get(o, "settings"), setting), "figures");
    const json_t *f = json_object_get(all, name);
    assert_non_null(f);
    return f;
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void expect_close(double a, double b)
{
    if (!(fabs(a - b) <= 1e-8 * fabs(b)))
        fail_msg("%.12g is not %.12g", a, b);
}

static void expect_estimate(const json_t *f, const struct estimate *e)
{
    expect_close(number(f, "value"), e->value);
    assert_true(e->ci.known == isfinite(number(f, "low")));
    assert_true(e->ci.known != json_is_string(json_object_get(f, "no_interval")));
    if (e->ci.known) {
        expect_close(number(f, "low"), e->ci.low);
        expect_close(number(f, "high"), e->ci.high);
    }
    assert_int_equal((int)number(f, "n"), e->n);
    assert_int_equal((int)number(f, "n_effective"), e->n_effective);
}

/* The same figures come out of the result file. */
static void expect_figures(const struct program *p, const json_t *o)
{
    char path[256];
    struct result r;
    struct summary *s;
    snprintf(path, sizeof path, "%s/%s", p->folder, word(o, "result"));
    assert_int_equal(result_read(path, &r, NULL), 0);
    assert_int_equal(summary_create(&r, number(o, "ci_level"), &s, NULL), 0);
    assert_int_equal(json_array_size(json_object_get(o, "settings")), r.narms);
    for (size_t i = 0; i < r.narms; i++) {
        expect_estimate(figure(o, i, "cost_ns"), &s->arms[i].cost_ns);
        expect_estimate(figure(o, i, "cpu_ns"), &s->arms[i].cpu_ns);
        expect_estimate(figure(o, i, "to_best"), &s->arms[i].to_best);
        expect_estimate(figure(o, i, "wait_compute_ns"), &s->arms[i].wait_ns[RESULT_WAIT_COMPUTE]);
        expect_close(number(figure(o, i, "item_p95_ns"), "value"), s->arms[i].item_p95_ns);
    }
    summary_destroy(s);
    result_fini(&r);
}

/* Field `want` of record `record`, 0 = the head. The caller frees; NULL when there is none. */
static char *csv_at(const char *text, size_t record, size_t want)
{
    struct text field = {0};
    for (size_t row = 0, column = 0;; column++) {
        int ended = csv_read(&text, &field);
        assert_true(ended >= 0);
        if (!ended && !field.len)
            break;
        if (row == record && column == want)
            return text_take(&field);
        row += ended == '\n';
        column = ended == '\n' ? (size_t)-1 : column;
        if (!ended)
            break;
    }
    text_fini(&field);
    return NULL;
}

static size_t csv_column(const char *text, const char *name)
{
    for (size_t i = 0;; i++) {
        char *head = csv_at(text, 0, i);
        if (!head)
            fail_msg("no column '%s'", name);
        bool found = !strcmp(head, name);
        free(head);
        if (found)
            return i;
    }
}

static size_t csv_width(const char *text, size_t record)
{
    size_t n = 0;
    for (char *field; (field = csv_at(text, record, n)); n++)
        free(field);
    return n;
}

static void expect_csv(const struct program *p, const char *name, const json_t *o)
{
    char *text = program_file(p, name);
    assert_non_null(text);
    size_t n = json_array_size(json_object_get(o, "settings"));
    size_t cost = csv_column(text, "cost_ns"), state = csv_column(text, "state");
    assert_int_equal(csv_width(text, n + 1), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(csv_width(text, i + 1), csv_width(text, 0));
        char *value = csv_at(text, i + 1, cost), *word_there = csv_at(text, i + 1, state);
        double there = number(figure(o, i, "cost_ns"), "value");
        if (isfinite(there))
            expect_close(strtod(value, NULL), there);
        else
            assert_string_equal(value, "");
        assert_string_equal(word_there, word(json_array_get(json_object_get(o, "settings"), i), "state"));
        free(value);
        free(word_there);
    }
    free(text);
}

#define TUNE                                                                                                 \
    "exec \"$LB\" tune --unfit-ok --data synthetic:4096:16 --transform spin=20us --workers 0,1 --threads 1 " \
    "--turn 2ms --blocks 1 "                                                                                 \
    "--no-plots -q -o t.jsonl "

static void a_tune_exports_what_its_result_file_says(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    assert_int_equal(
        program_run(&p, TUNE "-r 6 --export-json t.json --export-csv t.csv --export-markdown t.md"), 0);
    json_t *o = by_its_schema(&p, "t.json");
    assert_int_equal((int)number(o, "exit"), 0);
    expect_figures(&p, o);
    expect_csv(&p, "t.csv", o);
    char *table = program_file(&p, "t.md"), *out = program_out(&p);
    assert_non_null(strstr(table, "| main process x 1 thread | "));
    assert_non_null(strstr(table, "result: t.jsonl"));
    assert_non_null(strstr(out, "cost/sample")); /* files do not take the table's place */
    free(table);
    free(out);
    json_decref(o);
    assert_int_equal(program_fini(&p), 0);
}

static void one_invocation_has_values_and_says_why_no_intervals(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    assert_int_equal(program_run(&p, TUNE "-r 1 --export-json - >t.json"), 0);
    json_t *o = by_its_schema(&p, "t.json");
    assert_true(number(figure(o, 0, "cost_ns"), "value") > 0);
    assert_string_equal(word(figure(o, 0, "cost_ns"), "no_interval"), "n = 1: too few invocations");
    assert_string_equal(word(figure(o, 0, "stall_ratio"), "unavailable"), "no consumer step was emulated");
    json_decref(o);
    assert_int_equal(program_fini(&p), 0);
}

/* A setting that fails among others of another workload: each null has its reason, and the exit status is told. */
static void a_setting_that_fails_is_null_with_its_reason(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(&p, "printf '%s\\n' 'arms:' '  - {name: \"well, \\\"so\\\"\", workers: 0, data: "
                               "\"synthetic:4096:16\", transform: spin=20us}' "
                               "'  - {name: gone, workers: 0, data: \"synthetic:4096:16\", transform: "
                               "spin=30us, subject: \"false\"}' >s.yaml; "
                               "exec \"$LB\" run s.yaml -r 1 --blocks 1 --turn 2ms --no-plots -q -o t.jsonl "
                               "--export-json t.json --export-csv t.csv");
    json_t *o = by_its_schema(&p, "t.json");
    const json_t *gone = json_array_get(json_object_get(o, "settings"), 1);
    assert_int_equal(code, 5);
    assert_int_equal((int)number(o, "exit"), 5);
    assert_true(json_is_null(json_object_get(o, "recommendation")));
    assert_string_equal(word(gone, "state"), "failed");
    assert_string_equal(word(gone, "note"), "the trial ended with exit code 1");
    assert_string_equal(word(figure(o, 1, "cost_ns"), "unavailable"), word(gone, "note"));
    assert_string_equal(word(json_array_get(json_object_get(o, "settings"), 0), "state"), "measured");
    assert_non_null(strstr(word(figure(o, 0, "to_best"), "unavailable"), "several workloads"));
    expect_csv(&p, "t.csv", o);
    json_decref(o);
    assert_int_equal(program_fini(&p), 0);
}

static void a_session_without_a_figure_says_why_it_ended(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code = program_run(&p, TUNE "-r 2 --consumer plugin:./none.so --export-json t.json");
    assert_int_equal(code, 2); /* nothing was begun: nothing is exported */
    assert_false(program_has(&p, "t.json"));
    code =
        program_run(&p, "echo 'arms: [{name: gone, workers: 0, subject: \"false\"}]' >s.yaml; "
                        "exec \"$LB\" run s.yaml --race -r 2 --no-plots -q -o t.jsonl --export-json t.json "
                        "--export-csv t.csv");
    json_t *o = by_its_schema(&p, "t.json");
    assert_int_equal(code, 5);
    assert_int_equal((int)number(o, "exit"), 5);
    assert_non_null(strstr(word(o, "failure"), "no arm could be measured"));
    assert_string_equal(word(json_object_get(o, "recommendation"), "state"), "none");
    expect_csv(&p, "t.csv", o);
    json_decref(o);
    assert_int_equal(program_fini(&p), 0);
}

/* The twins: what the schema has to refuse. */
static void a_null_without_a_reason_breaks_the_schema(void **state)
{
    (void)state;
    struct program p;
    char why[SCHEMA_WHY];
    program_init(&p);
    assert_int_equal(program_run(&p, TUNE "-r 1 --export-json t.json"), 0);
    static const char *const cut[][2] = {{"cost_ns", "no_interval"}, {"stall_ratio", "unavailable"}};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        json_t *o = by_its_schema(&p, "t.json");
        json_object_del((json_t *)(uintptr_t)figure(o, 0, cut[i][0]), cut[i][1]);
        assert_false(is_by_its_schema(o, why));
        assert_non_null(strstr(why, cut[i][0]));
        json_decref(o);
    }
    json_t *o = by_its_schema(&p, "t.json");
    json_object_set_new(o, "exit", json_integer(1));
    assert_false(is_by_its_schema(o, why));
    json_decref(o);
    assert_int_equal(program_fini(&p), 0);
}

/* The footer is taken away, as a kill would have: it goes on, and is over at once. */
static void a_session_that_went_on_tells_its_pauses(void **state)
{
    (void)state;
    struct program p;
    program_init(&p);
    int code =
        program_run(&p, "\"$LB\" tune --unfit-ok --transform gemm=24 -j 0 -t 1 --runs 1 --blocks 1 --turn "
                        "3ms --no-plots -q -o t.jsonl"
                        " --export-json before.json && sed -i '$d' t.jsonl &&"
                        " \"$LB\" tune --unfit-ok --resume t.jsonl --no-plots -q --export-json after.json");
    assert_int_equal(code, 0);
    json_t *before = by_its_schema(&p, "before.json"), *after = by_its_schema(&p, "after.json");
    assert_int_equal(json_array_size(json_object_get(before, "pauses")), 0);
    const json_t *pauses = json_object_get(after, "pauses");
    assert_int_equal(json_array_size(pauses), 1);
    assert_true(number(json_array_get(pauses, 0), "invocations") >= 1);
    assert_true(number(json_array_get(pauses, 0), "pause_ns") >= 0);
    assert_true(number(json_array_get(pauses, 0), "spent_ns") > 0);
    json_decref(before);
    json_decref(after);
    assert_int_equal(program_fini(&p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tune_exports_what_its_result_file_says),
        cmocka_unit_test(one_invocation_has_values_and_says_why_no_intervals),
        cmocka_unit_test(a_setting_that_fails_is_null_with_its_reason),
        cmocka_unit_test(a_session_without_a_figure_says_why_it_ended),
        cmocka_unit_test(a_null_without_a_reason_breaks_the_schema),
        cmocka_unit_test(a_session_that_went_on_tells_its_pauses),
    };
    return CASES(tests);
}
