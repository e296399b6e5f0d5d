/* The sentences below the table: what is recommended, how surely, and what is still open. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

#include "../results/building.h"
#include "testing/cmocka.h"

/* Arm a has a workers. 12 invocations; factors alternate between two values. */
static char *said(size_t narms, const double factor[][2])
{
    struct result r = building_create((struct shape){narms, 12, 1, 1});
    struct summary *s;
    struct text t = {0};
    for (size_t a = 0; a < narms; a++) {
        char name[16];
        snprintf(name, sizeof name, "arm %zu", a);
        r.arms[a].name = strdup(name);
        for (size_t i = 0; i < 12; i++)
            building_scale(&r, i, a, factor[a][i % 2]);
    }
    assert_int_equal(summary_create(&r, 0.95, &s, NULL), 0);
    table_add_choice(&t, s);
    char *copy = strdup(text_get(&t));
    text_fini(&t);
    summary_destroy(s);
    result_fini(&r);
    return copy;
}

static void expect(char *text, const char *words, const char *not_these)
{
    if (!strstr(text, words) || (not_these && strstr(text, not_these)))
        fail_msg("'%s'", text);
    free(text);
}

/* 0 and 1 may be within 5 % of the lowest cost; 2 is, and 3, which is no slower than 2, is larger. */
static void a_smaller_setting_that_is_open_is_named_and_no_larger_one(void **state)
{
    (void)state;
    expect(said(4, (const double[][2]){{1.03, 1.2}, {1.02, 1.2}, {1, 1}, {1, 1}}),
           "Recommendation: arm 2. It is within 5 % of the lowest cost, at 95 % confidence.\n"
           "Whether a smaller setting is within 5 % of the lowest cost, too, was not decided: arm 0 and arm "
           "1.\n",
           "arm 3");
}

static void what_is_decided_leaves_nothing_open(void **state)
{
    (void)state;
    expect(said(3, (const double[][2]){{1.2, 1.3}, {1, 1}, {1, 1}}),
           "Recommendation: arm 1. It is within 5 % of the lowest cost,\nand no smaller setting is, at 95 % ",
           "arm 0");
}

static void without_a_decision_all_that_is_open_is_named(void **state)
{
    (void)state;
    expect(said(3, (const double[][2]){{1, 1.1}, {1.1, 1}, {1, 1.1}}), "Still in the race: arm ", NULL);
    expect(said(3, (const double[][2]){{1, 1.1}, {1.1, 1}, {1, 1.1}}), "is the best guess",
           "at 95 % confidence,");
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_smaller_setting_that_is_open_is_named_and_no_larger_one),
        cmocka_unit_test(what_is_decided_leaves_nothing_open),
        cmocka_unit_test(without_a_decision_all_that_is_open_is_named),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
