/* The forms of a session's outcome: the state of each setting, and names that would break a format do not. */
#include "outcome.h"

#include <stdio.h>

#include "../results/building.h"
#include "results/csv.h"
#include "testing/cmocka.h"

static const char nasty[] = "a, \"b\"\n| <c> =1";

/* Four settings of one workload: the lowest cost, one within the margin of it, one far above, and one that is slower by
 * less than the margin. */
static struct result four_settings(void)
{
    struct result r =
        building_create((struct shape){.narms = 4, .ninvocations = 20, .blocks = 2, .turns = 2});
    for (size_t a = 0; a < r.narms; a++) {
        char name[16];
        snprintf(name, sizeof name, "setting %zu", a);
        r.arms[a].name = strdup(a ? name : nasty);
        r.arms[a].subject = strdup("core");
        r.arms[a].workload = (struct workload){
            .data = strdup("synthetic:1:1"), .transform = strdup("copy"), .sampler = strdup("random")};
        r.arms[a].setting.affinity = strdup("scatter");
        r.arms[a].setting.backend = strdup("process");
    }
    for (size_t i = 0; i < r.ninvocations; i++) {
        building_scale(&r, i, 1, 0.984 + 0.01 * (double)(i % 5));
        building_scale(&r, i, 2, 2);
        building_scale(&r, i, 3, 1.01 + 0.001 * (double)(i % 5));
    }
    return r;
}

static struct outcome outcome_of(const struct result *r, struct summary **s)
{
    assert_int_equal(summary_create(r, 0.95, s, NULL), 0);
    return (struct outcome){.summary = *s, .path = "t.jsonl", .race = true};
}

static void a_setting_is_best_good_worse_slower_or_failed(void **state)
{
    (void)state;
    struct result r = four_settings();
    struct summary *s;
    struct outcome o = outcome_of(&r, &s);
    assert_string_equal(outcome_state(&o, 0), "best");
    assert_string_equal(outcome_state(&o, 1), "good");
    assert_string_equal(outcome_state(&o, 2), "worse");
    assert_string_equal(outcome_state(&o, 3), "slower");
    assert_true(outcome_recommends(&o, 0) && !outcome_recommends(&o, 1));
    o.race = false;
    assert_false(outcome_recommends(&o, 0));
    summary_destroy(s);
    r.arms[1].failure = strdup("it broke");
    o = outcome_of(&r, &s);
    assert_string_equal(outcome_state(&o, 1), "failed");
    assert_string_equal(outcome_missing(&o, 1, &outcome_figures[0]), "it broke");
    assert_null(outcome_missing(&o, 0, &outcome_figures[0]));
    summary_destroy(s);
    result_fini(&r);
}

static void settings_of_several_workloads_are_no_race(void **state)
{
    (void)state;
    struct result r = four_settings();
    struct summary *s;
    free(r.arms[2].workload.transform);
    r.arms[2].workload.transform = strdup("gemm=8");
    struct outcome o = outcome_of(&r, &s);
    for (size_t a = 0; a < r.narms; a++)
        assert_string_equal(outcome_state(&o, a), "measured");
    summary_destroy(s);
    result_fini(&r);
}

static void a_nasty_name_stays_one_field_and_one_row(void **state)
{
    (void)state;
    struct result r = four_settings();
    struct summary *s;
    struct outcome o = outcome_of(&r, &s);
    struct text csv = {0}, markdown = {0}, field = {0};
    assert_int_equal(outcome_csv(&o, &csv, NULL), 0);
    const char *at = text_get(&csv);
    size_t records = 0;
    for (int ended; (ended = csv_read(&at, &field)) != 0;) {
        assert_true(ended > 0);
        if (ended == '\n' && ++records == 1) {
            assert_int_equal(csv_read(&at, &field), ',');
            assert_string_equal(text_get(&field), nasty);
        }
    }
    assert_int_equal(records, 5);
    assert_int_equal(outcome_markdown(&o, &markdown, NULL), 0);
    assert_non_null(strstr(text_get(&markdown), "\n| a, \"b\" \\| &lt;c&gt; =1 | recommended | "));
    assert_null(strstr(text_get(&markdown), "<c>"));
    text_fini(&csv);
    text_fini(&markdown);
    text_fini(&field);
    summary_destroy(s);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_is_best_good_worse_slower_or_failed),
        cmocka_unit_test(settings_of_several_workloads_are_no_race),
        cmocka_unit_test(a_nasty_name_stays_one_field_and_one_row),
    };
    return CASES(tests);
}
