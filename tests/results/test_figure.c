/* Figures of trials: what each is, how it is paired, and which way is worse; and results against results. */
#include "results/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "results/compare.h"
#include "testing/cmocka.h"

enum { INVOCATIONS = 8 };

static struct result_figure figure(const char *name)
{
    struct result_figure f;
    assert_int_equal(result_figure_parse(name, &f, NULL), 0);
    return f;
}

static struct result two_arms(void)
{
    struct result r = building_create((struct shape){2, INVOCATIONS, 2, 2});
    r.arms[0].name = strdup("small");
    r.arms[1].name = strdup("large");
    return r;
}

static void add_counter(struct result *r, const char *name, int arm, double value, const char *reason)
{
    for (size_t i = 0; i < r->ninvocations; i++) {
        struct trial *t = &r->invocations[i].trials[arm];
        t->counters = calloc(1, sizeof *t->counters);
        t->ncounters = 1;
        t->counters[0] = (struct counter){
            .name = strdup(name), .value = value, .share = 1, .reason = reason ? strdup(reason) : NULL};
    }
}

static void a_turns_figure_is_paired_and_worse_is_above_0(void **state)
{
    (void)state;
    struct result r = two_arms();
    struct result_figure f = figure("cost_ns");
    double x[INVOCATIONS];
    size_t n;
    for (size_t i = 0; i < INVOCATIONS; i++) {
        building_scale(&r, i, 0, 1 + (double)i); /* what hits both cancels */
        building_scale(&r, i, 1, 1.1 * (1 + (double)i));
    }
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_int_equal(n, INVOCATIONS);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(x[i] - log(1.1)) < 1e-12);
    result_fini(&r);
}

static void a_trials_figure_is_paired_by_invocation(void **state)
{
    (void)state;
    struct result r = two_arms();
    struct result_figure f = figure("peak_bytes");
    double x[INVOCATIONS];
    size_t n;
    for (size_t i = 0; i < INVOCATIONS; i++) {
        r.invocations[i].trials[0].peak_bytes = i ? 100 : NAN; /* one was not seen */
        r.invocations[i].trials[1].peak_bytes = 150;
    }
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_int_equal(n, INVOCATIONS - 1);
    assert_true(fabs(x[0] - log(1.5)) < 1e-12);
    result_fini(&r);
}

static void a_counter_of_which_more_is_better_turns_its_sign(void **state)
{
    (void)state;
    struct result r = two_arms();
    struct result_figure f = figure("counter:HITS/more-is-better"), g = figure("counter:HITS");
    double x[INVOCATIONS], y[INVOCATIONS];
    size_t n;
    assert_string_equal(f.name, "counter:HITS");
    add_counter(&r, "HITS", 0, 10, NULL);
    add_counter(&r, "HITS", 1, 20, NULL);
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &g, y, &n, NULL), 0);
    assert_true(fabs(x[0] + log(2)) < 1e-12 && fabs(y[0] - log(2)) < 1e-12);
    result_fini(&r);
}

static void zeros_are_equal_and_something_from_nothing_is_much(void **state)
{
    (void)state;
    struct result r = two_arms();
    struct result_figure f = figure("counter:FAULTS");
    double x[INVOCATIONS];
    size_t n;
    add_counter(&r, "FAULTS", 0, 0, NULL);
    add_counter(&r, "FAULTS", 1, 0, NULL);
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_true(n == INVOCATIONS && fabs(x[0]) < 1e-12);
    r.invocations[0].trials[1].counters[0].value = 3;
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_true(isfinite(x[0]) && x[0] > log(1e6));
    result_fini(&r);
}

static void what_was_not_counted_says_why(void **state)
{
    (void)state;
    struct result r = two_arms();
    struct result_figure f = figure("counter:CYCLES"), other = figure("counter:NONE");
    double x[INVOCATIONS];
    size_t n;
    add_counter(&r, "CYCLES", 1, NAN, "no such hardware");
    assert_int_equal(result_figure_ln_ratios(&r, 1, 0, &f, x, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_string_equal(result_figure_missing(&r, 1, &f), "no such hardware");
    assert_string_equal(result_figure_missing(&r, 1, &other), "no counter of that name was recorded");
    result_fini(&r);
}

static void unknown_figures_are_refused_with_the_nearest(void **state)
{
    (void)state;
    struct result_figure f;
    struct err err = {0};
    assert_int_equal(result_figure_parse("item_p95ns", &f, &err), -EINVAL);
    assert_non_null(strstr(err.text, "item_p95_ns"));
    assert_int_equal(result_figure_parse("counter:", &f, NULL), -EINVAL);
    assert_int_equal(result_figure_parse("", &f, NULL), -EINVAL);
}

static void one_name_that_is_wrong_leaves_no_figures(void **state)
{
    (void)state;
    char right[] = "cost_ns", other[] = "counter:PAPI_TOT_INS", wrong[] = "cots_ns";
    char *const good[] = {right, other}, *const bad[] = {right, wrong};
    struct result_figure *list;
    struct err err = {0};
    assert_int_equal(result_figures_parse(good, 2, &list, NULL), 0);
    assert_string_equal(list[0].name, right);
    assert_string_equal(list[1].name, other);
    free(list);
    assert_int_equal(result_figures_parse(bad, 2, &list, &err), -EINVAL);
    assert_null(list);
    assert_non_null(strstr(err.text, "cots_ns"));
}

/* ---- compare ---- */

static const struct compare_row *row_of(const struct compare *c, const char *arm)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->row[i].arm, arm))
            return &c->row[i];
    fail_msg("no row '%s'", arm);
    return NULL;
}

static void extra_of(struct result *r, int arm, const char *extra)
{
    free(r->invocations[0].trials[arm].extra);
    r->invocations[0].trials[arm].extra = strdup(extra);
}

static void sessions_that_delivered_other_samples_are_not_compared(void **state)
{
    (void)state;
    struct result a[2] = {two_arms(), two_arms()}, b = two_arms();
    struct result_figure f = figure("cost_ns");
    const struct compare_side x = {a, 2}, y = {&b, 1};
    struct compare c;
    extra_of(&a[0], 0, "{\"set_at\": [\"1\", \"2\"], \"order_at\": [\"1\", \"2\"]}");
    extra_of(&b, 0, "{\"set_at\": [\"1\", \"2\", \"3\"], \"order_at\": [\"1\", \"2\", \"3\"]}");
    for (size_t i = 0; i < INVOCATIONS; i++)
        building_scale(&b, i, 0, 1.0 / 30);
    assert_int_equal(compare_create(&x, &y, &f, 0, &c, NULL), 0);
    assert_int_equal(row_of(&c, "small")->state, COMPARE_KNOWN);
    compare_fini(&c);
    extra_of(&b, 0, "{\"set_at\": [\"1\", \"9\", \"3\"], \"order_at\": [\"1\", \"9\", \"3\"]}");
    assert_int_equal(compare_create(&x, &y, &f, 0, &c, NULL), 0);
    assert_int_equal(row_of(&c, "small")->state, COMPARE_OTHER_SAMPLES);
    assert_int_equal(row_of(&c, "large")->state, COMPARE_KNOWN);
    compare_fini(&c);
    result_fini(&a[0]);
    result_fini(&a[1]);
    result_fini(&b);
}

static void an_arm_that_does_something_else_under_its_name_is_told(void **state)
{
    (void)state;
    struct result a[2] = {two_arms(), two_arms()}, b = two_arms();
    struct result_figure f = figure("cost_ns");
    const struct compare_side x = {a, 2}, y = {&b, 1};
    struct compare c;
    b.arms[0].setting.threads = 2;
    free(b.arms[1].failure);
    b.arms[1].failure = strdup("it crashed");
    assert_int_equal(compare_create(&x, &y, &f, 0, &c, NULL), 0);
    assert_int_equal(row_of(&c, "small")->state, COMPARE_OTHER_WORK);
    assert_int_equal(row_of(&c, "large")->state, COMPARE_FAILED);
    assert_string_equal(row_of(&c, "large")->note, "it crashed");
    compare_fini(&c);
    result_fini(&a[0]);
    result_fini(&a[1]);
    result_fini(&b);
}

static void the_spread_between_sessions_is_what_the_error_rests_on(void **state)
{
    (void)state;
    struct result a[2] = {two_arms(), two_arms()}, b[2] = {two_arms(), two_arms()};
    struct result_figure f = figure("cost_ns");
    const struct compare_side x = {a, 2}, y = {b, 2};
    struct compare c;
    for (size_t i = 0; i < INVOCATIONS; i++) {
        building_scale(&a[1], i, 0, 1.2); /* each session agrees with itself perfectly */
        building_scale(&b[0], i, 0, 1.1);
        building_scale(&b[1], i, 0, 1.1 * 1.2);
    }
    assert_int_equal(compare_create(&x, &y, &f, 0, &c, NULL), 0);
    const struct compare_row *r = row_of(&c, "small");
    assert_true(r->state == COMPARE_KNOWN && fabs(r->ln.df - 2) < 1e-12);
    assert_true(fabs(r->ln.difference - log(1.1)) < 1e-12);
    assert_true(fabs(r->ln.sd - log(1.2) / sqrt(2)) < 1e-12); /* of two values that far apart */
    compare_fini(&c);
    for (int i = 0; i < 2; i++) {
        result_fini(&a[i]);
        result_fini(&b[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turns_figure_is_paired_and_worse_is_above_0),
        cmocka_unit_test(a_trials_figure_is_paired_by_invocation),
        cmocka_unit_test(a_counter_of_which_more_is_better_turns_its_sign),
        cmocka_unit_test(zeros_are_equal_and_something_from_nothing_is_much),
        cmocka_unit_test(what_was_not_counted_says_why),
        cmocka_unit_test(unknown_figures_are_refused_with_the_nearest),
        cmocka_unit_test(one_name_that_is_wrong_leaves_no_figures),
        cmocka_unit_test(sessions_that_delivered_other_samples_are_not_compared),
        cmocka_unit_test(an_arm_that_does_something_else_under_its_name_is_told),
        cmocka_unit_test(the_spread_between_sessions_is_what_the_error_rests_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
