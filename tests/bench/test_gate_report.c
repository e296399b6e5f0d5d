/* What a gate says to programs: names that would break a format do not. */
#include "gate_report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/csv.h"
#include "testing/cmocka.h"

static const char nasty[] = "a <b> & \"c\" | 50%\nd, e";

static struct gate_report nasty_report(void)
{
    struct gate_report g;
    assert_int_equal(gate_report_init(&g, 2, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        g.row[i].name = strdup(i ? "plain" : nasty);
        g.row[i].metric = "cost_ns";
        g.row[i].margin = 0.05;
        g.row[i].counts = "invocations";
        g.row[i].n = 12;
        g.row[i].ratio = i ? 1.0 : 1.25;
        g.row[i].low = g.row[i].ratio - 0.01;
        g.row[i].high = g.row[i].ratio + 0.01;
        g.row[i].smallest_seen = 1.06;
        g.row[i].verdict = i ? STATS_PASS : STATS_REGRESSION;
    }
    g.rule = "non-inferior";
    g.alpha = 0.01;
    g.look = 1;
    g.looks = 3;
    gate_report_conclude(&g, STATS_REGRESSION, BENCH_EXIT_INCONCLUSIVE);
    return g;
}

static void junit_escapes_what_xml_would_read(void **state)
{
    (void)state;
    struct gate_report g = nasty_report();
    struct text t = {0};
    gate_report_junit(&g, &t);
    const char *s = text_get(&t);
    assert_non_null(strstr(s, "name=\"a &lt;b&gt; &amp; &quot;c&quot; | 50%&#10;d, e [cost_ns]\""));
    assert_non_null(strstr(s, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    assert_non_null(strstr(s, "<failure type=\"regression\""));
    assert_null(strstr(s, "<b>"));
    text_fini(&t);
    gate_report_fini(&g);
}

static void a_gate_without_a_verdict_is_an_error_in_junit(void **state)
{
    (void)state;
    struct gate_report g;
    struct text t = {0};
    struct err err = {0};
    assert_int_equal(gate_report_init(&g, 0, NULL), 0);
    err_set(&err, -EXDEV, "another machine");
    gate_report_fail(&g, -EXDEV, &err);
    gate_report_junit(&g, &t);
    assert_non_null(strstr(text_get(&t), "tests=\"1\" failures=\"0\" errors=\"1\""));
    assert_non_null(strstr(text_get(&t), "<error type=\"UNFIT\" message=\"another machine\"/>"));
    assert_int_equal(g.exit, BENCH_EXIT_UNFIT);
    text_fini(&t);
    gate_report_fini(&g);
}

static void annotations_stay_on_one_line_each(void **state)
{
    (void)state;
    struct gate_report g = nasty_report();
    struct text t = {0};
    gate_report_annotations(&g, &t);
    const char *s = text_get(&t);
    assert_int_equal(strncmp(s, "::error title=loaderbench gate: regression::", 44), 0);
    assert_non_null(strstr(s, "50%25%0Ad, e"));
    assert_ptr_equal(strchr(s, '\n'), s + strlen(s) - 1); /* the row that passed has none */
    text_fini(&t);
    gate_report_fini(&g);
}

static void markdown_says_the_verdict_first_and_keeps_a_row_in_its_line(void **state)
{
    (void)state;
    struct gate_report g = nasty_report();
    struct text t = {0};
    gate_report_markdown(&g, &t);
    const char *s = text_get(&t);
    assert_int_equal(strncmp(s, "## Gate: REGRESSION\n", 20), 0);
    assert_non_null(strstr(s, "| a \\<b\\> & \"c\" \\| 50% d, e | cost\\_ns | 1.250 |"));
    assert_non_null(strstr(s, "<details>"));
    text_fini(&t);
    gate_report_fini(&g);
}

static void the_last_line_is_json_with_the_exit_code(void **state)
{
    (void)state;
    struct gate_report g = nasty_report();
    struct text t = {0};
    static const char prefix[] = "loaderbench-gate: ";
    assert_int_equal(gate_report_last_line(&g, &t, NULL), 0);
    assert_int_equal(strncmp(text_get(&t), prefix, strlen(prefix)), 0);
    json_t *o = json_loads(text_get(&t) + strlen(prefix), 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(o, "exit")), 1);
    assert_int_equal(json_integer_value(json_object_get(o, "regressions")), 1);
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), "REGRESSION");
    json_decref(o);
    text_fini(&t);
    gate_report_fini(&g);
}

static void csv_and_json_give_the_name_back(void **state)
{
    (void)state;
    struct gate_report g = nasty_report();
    struct text t = {0}, field = {0}, json = {0};
    gate_report_csv(&g, &t);
    const char *p = text_get(&t);
    while (csv_read(&p, &field) == ',')
        ;
    assert_int_equal(csv_read(&p, &field), ',');
    assert_string_equal(text_get(&field), nasty);
    assert_int_equal(gate_report_json(&g, &json, NULL), 0);
    json_t *o = json_loads(text_get(&json), 0, NULL);
    const json_t *row = json_array_get(json_object_get(o, "row"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "name")), nasty);
    json_decref(o);
    text_fini(&json);
    text_fini(&field);
    text_fini(&t);
    gate_report_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_escapes_what_xml_would_read),
        cmocka_unit_test(a_gate_without_a_verdict_is_an_error_in_junit),
        cmocka_unit_test(annotations_stay_on_one_line_each),
        cmocka_unit_test(markdown_says_the_verdict_first_and_keeps_a_row_in_its_line),
        cmocka_unit_test(the_last_line_is_json_with_the_exit_code),
        cmocka_unit_test(csv_and_json_give_the_name_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
