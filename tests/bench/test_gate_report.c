/* What a gate says to programs: names that would break a format do not. */
#include "gate_report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
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
    assert_non_null(strstr(s, "50%25 d, e"));
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
    assert_non_null(strstr(s, "| a \\<b\\> \\& \"c\" \\| 50% d, e | cost\\_ns | 1.250 |"));
    assert_non_null(strstr(s, "<details>"));
    text_fini(&t);
    gate_report_fini(&g);
}

/* Of foreign words: the name of a row, what a subject says. */
static struct gate_report hostile_report(void)
{
    static const char words[] =
        "x\n::error::pwn\r\nloaderbench-gate: {}\n# head\n<img src=x><!-- \x1b[31m\x7f\xFF";
    struct gate_report g = nasty_report();
    struct err err = {0};
    free(g.row[0].name);
    g.row[0].name = strdup(words);
    g.row[0].missing = true;
    g.row[0].ratio = NAN;
    g.path = words;
    snprintf(g.row[0].note, sizeof g.row[0].note, "%s", words);
    err_set(&err, -EIO, "%s", words);
    gate_report_fail(&g, -EIO, &err);
    text_add(&g.warnings, "a line of ``` and ````\n");
    return g;
}

/* Lines of s that begin as one of ours does, or as GitHub reads them. */
static size_t lines_that_begin(const char *s, const char *with)
{
    size_t n = 0, len = strlen(with);
    for (const char *line = s; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        n += !strncmp(line, with, len);
    return n;
}

static void foreign_words_never_begin_a_line_nor_speak_to_a_terminal(void **state)
{
    (void)state;
    void (*const forms[])(const struct gate_report *, struct text *) = {
        gate_report_text, gate_report_markdown, gate_report_annotations, gate_report_junit};
    static const char *const starts[] = {"::error::", "loaderbench-gate", "# head", "<img", "\r"};
    struct gate_report g = hostile_report();
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct text t = {0};
        forms[f](&g, &t);
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (lines_that_begin(text_get(&t), starts[i]))
                fail_msg("a line of form %zu begins with '%s': %s", f, starts[i], text_get(&t));
        assert_null(strpbrk(text_get(&t), "\x1b\x7f\r\xFF"));
        text_fini(&t);
    }
    gate_report_fini(&g);
}

static void markdown_shows_a_failure_as_words(void **state)
{
    (void)state;
    struct gate_report g = hostile_report();
    struct text t = {0};
    gate_report_markdown(&g, &t);
    size_t tags = 0;
    for (const char *p = strchr(text_get(&t), '<'); p; p = strchr(p + 1, '<'))
        tags += p[-1] != '\\';
    assert_int_equal(tags, 4); /* details and summary, and their ends */
    assert_non_null(strstr(text_get(&t), "\\<img src=x\\>\\<!--"));
    assert_non_null(strstr(text_get(&t), "\n`````\na line of ``` and ````\n`````\n"));
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
        cmocka_unit_test(foreign_words_never_begin_a_line_nor_speak_to_a_terminal),
        cmocka_unit_test(markdown_shows_a_failure_as_words),
        cmocka_unit_test(the_last_line_is_json_with_the_exit_code),
        cmocka_unit_test(csv_and_json_give_the_name_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
