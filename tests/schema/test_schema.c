/* The checker itself, rule by rule, each with its twin that must fail; and that both schemas stay within what it knows. */
#include "schema.h"

#include <string.h>

#include "testing/cmocka.h"

static json_t *json(const char *text)
{
    json_error_t error;
    json_t *v = json_loads(text, JSON_DECODE_ANY, &error);
    if (!v)
        fail_msg("%s: %s", error.text, text);
    return v;
}

static bool check(const char *schema, const char *value, bool strict, char why[SCHEMA_WHY])
{
    struct schema s = {.root = json(schema), .strict = strict};
    json_t *v = json(value);
    bool ok = schema_holds(&s, NULL, v, why);
    json_decref(v);
    schema_close(&s);
    return ok;
}

static void each_rule_takes_good_and_refuses_bad_values(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{\"type\": \"object\"}", "{}", "[]"},
        {"{\"type\": \"integer\"}", "3", "3.5"},
        {"{\"type\": \"integer\"}", "3.0", "\"3\""},
        {"{\"type\": \"number\"}", "3.5", "null"},
        {"{\"type\": \"boolean\"}", "true", "1"},
        {"{\"type\": [\"string\", \"null\"]}", "null", "0"},
        {"{\"const\": \"a\"}", "\"a\"", "\"b\""},
        {"{\"enum\": [\"a\", null]}", "null", "\"b\""},
        {"{\"minimum\": 0}", "0", "-0.5"},
        {"{\"maximum\": 1}", "1", "1.01"},
        {"{\"exclusiveMinimum\": 0}", "0.1", "0"},
        {"{\"minLength\": 1}", "\"a\"", "\"\""},
        {"{\"maxLength\": 1}", "\"a\"", "\"ab\""},
        {"{\"minItems\": 2}", "[1, 2]", "[1]"},
        {"{\"maxItems\": 1}", "[1]", "[1, 2]"},
        {"{\"items\": {\"type\": \"null\"}}", "[null]", "[null, 1]"},
        {"{\"required\": [\"a\"]}", "{\"a\": null}", "{\"b\": 1}"},
        {"{\"properties\": {\"a\": {\"type\": \"null\"}}}", "{\"a\": null}", "{\"a\": 1}"},
        {"{\"additionalProperties\": false, \"properties\": {\"a\": {}}}", "{\"a\": 1}", "{\"b\": 1}"},
        {"{\"additionalProperties\": {\"type\": \"null\"}}", "{\"a\": null}", "{\"a\": 1}"},
        {"{\"anyOf\": [{\"type\": \"null\"}, {\"minimum\": 3}]}", "4", "2"},
        {"{\"oneOf\": [{\"minimum\": 2}, {\"maximum\": 4}]}", "5", "3"},
        {"{\"$ref\": \"#/$defs/x\", \"$defs\": {\"x\": {\"type\": \"null\"}}}", "null", "1"},
    };
    char why[SCHEMA_WHY];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!check(rows[i][0], rows[i][1], false, why))
            fail_msg("%s refuses %s: %s", rows[i][0], rows[i][1], why);
        if (check(rows[i][0], rows[i][2], false, why))
            fail_msg("%s takes %s", rows[i][0], rows[i][2]);
        assert_true(why[0]);
    }
}

static void strict_refuses_members_that_are_not_described(void **state)
{
    (void)state;
    char why[SCHEMA_WHY];
    static const char closed[] = "{\"properties\": {\"a\": {}}}",
                      open[] = "{\"additionalProperties\": true, \"properties\": {\"a\": {}}}";
    assert_true(check(closed, "{\"b\": 1}", false, why));
    assert_false(check(closed, "{\"b\": 1}", true, why));
    assert_non_null(strstr(why, "'b'"));
    assert_true(check(open, "{\"b\": 1}", true, why));
}

static void the_reason_names_the_deepest_place(void **state)
{
    (void)state;
    char why[SCHEMA_WHY];
    assert_false(check(
        "{\"oneOf\": [{\"type\": \"null\"}, {\"properties\": {\"a\": {\"items\": {\"type\": \"null\"}}}}]}",
        "{\"a\": [null, 3]}", false, why));
    assert_string_equal(why, "/a/1: is no null");
}

static void unknown_keywords_and_references_are_failures(void **state)
{
    (void)state;
    char why[SCHEMA_WHY];
    assert_false(check("{\"pattern\": \"x\"}", "\"x\"", false, why));
    assert_false(check("{\"$ref\": \"#/$defs/x\"}", "1", false, why));
    assert_false(check("{\"$ref\": \"other.json\"}", "1", false, why));
}

/* As the export's schema refers to that of result files. */
static void a_reference_into_a_file_beside_it_is_followed(void **state)
{
    (void)state;
    char why[SCHEMA_WHY], folder[] = SCHEMA_DIR;
    struct schema s = {.folder = folder};
    json_t *good = json("{\"type\": \"look\", \"look\": 1, \"dropped\": []}"), *bad = json("{\"look\": 0}");
    s.root = json("{\"$ref\": \"result.schema.json#/$defs/look\"}");
    assert_true(schema_holds(&s, NULL, good, why));
    assert_false(schema_holds(&s, NULL, bad, why));
    json_decref(s.root);
    s.root = json("{\"$ref\": \"nowhere.schema.json#/$defs/look\"}");
    assert_false(schema_holds(&s, NULL, good, why));
    json_decref(s.root);
    json_decref(good);
    json_decref(bad);
}

/* Lines as they are written in documentation: good ones, and what an adapter's author gets wrong. */
static void the_protocols_schema_tells_good_lines_from_bad_ones(void **state)
{
    (void)state;
    struct schema s = schema_open(SCHEMA_DIR "/protocol.schema.json", true);
    static const struct {
        const char *def, *line;
        bool ok;
    } rows[] = {
        {"harness_line", "{\"turn\": {\"warm_batches\": 0, \"batches\": 3}}", true},
        {"harness_line", "{\"turn\": {\"warm_batches\": 0, \"batches\": 0}}", false},
        {"harness_line", "{\"stop\": {}}", true},
        {"harness_line", "{\"halt\": {}}", false},
        {"subject_line", "{\"ready\": {}}", true},
        {"subject_line", "{\"ready\": {\"start_ns\": -1}}", false},
        {"subject_line", "{\"turn\": {\"batches\": 1, \"samples\": 3, \"wall_ns\": 5}}", true},
        {"subject_line", "{\"turn\": {\"batches\": 1, \"samples\": 0, \"wall_ns\": 5}}", false},
        {"subject_line", "{\"turn\": {\"batches\": 1, \"wall_ns\": 5}}", false},
        {"subject_line", "{\"turn\": {\"samples\": 3, \"wall_ns\": 5}}", false},
        {"subject_line",
         "{\"totals\": {\"counters\": [{\"name\": \"a\", \"value\": null, \"unavailable\": \"x\"}]}}", true},
        {"subject_line",
         "{\"totals\": {\"counters\": [{\"name\": \"a\", \"value\": 0, \"unavailable\": \"x\"}]}}", false},
        {"subject_line", "{\"totals\": {\"counters\": [{\"name\": \"a\", \"value\": null}]}}", false},
        {"subject_line", "{\"error\": \"no such file\"}", true},
        {"subject_line", "{\"error\": \"\"}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[SCHEMA_WHY];
        json_t *line = json(rows[i].line);
        if (schema_holds(&s, rows[i].def, line, why) != rows[i].ok)
            fail_msg("%s: %s", rows[i].line, why);
        if (strstr(why, "the schema"))
            fail_msg("%s", why);
        json_decref(line);
    }
    schema_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_takes_good_and_refuses_bad_values),
        cmocka_unit_test(strict_refuses_members_that_are_not_described),
        cmocka_unit_test(the_reason_names_the_deepest_place),
        cmocka_unit_test(unknown_keywords_and_references_are_failures),
        cmocka_unit_test(a_reference_into_a_file_beside_it_is_followed),
        cmocka_unit_test(the_protocols_schema_tells_good_lines_from_bad_ones),
    };
    return CASES(tests);
}
