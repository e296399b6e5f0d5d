/* Verdicts of a gate's rows, each against its own margin, and what the exit code makes of many of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duel.h"
#include "gate_report.h"
#include "testing/cmocka.h"

enum { INVOCATIONS = 24, MANY = 256 };

/* Rows whose log ratios lie within 0.1 % of ln(ratio). */
static struct duel rows_create(size_t nrows, const double *ratio, const double *margin)
{
    struct duel d = {.rows = calloc(nrows, sizeof *d.rows), .nrows = nrows, .alpha = 0.01, .looks = 3};
    for (size_t i = 0; i < nrows; i++) {
        struct stats_gate_row *g = &d.rows[i].gate;
        d.rows[i].ln_margin = log1p(margin[i]);
        g->n = INVOCATIONS;
        g->ratios = calloc(INVOCATIONS, sizeof *g->ratios);
        for (int k = 0; k < INVOCATIONS; k++)
            g->ratios[k] = log(ratio[i]) + 0.001 * (k - INVOCATIONS / 2) / INVOCATIONS;
    }
    return d;
}

static void rows_destroy(struct duel *d)
{
    duel_fini(d);
    free(d->rows);
}

static void each_row_is_judged_against_its_own_margin(void **state)
{
    (void)state;
    const double ratio[] = {1.04, 1.04}, margin[] = {0.05, 0.03};
    struct duel d = rows_create(2, ratio, margin);
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.rows[0].gate.verdict, STATS_PASS);
    assert_int_equal(d.rows[1].gate.verdict, STATS_REGRESSION);
    assert_int_equal(d.verdict, STATS_REGRESSION);
    rows_destroy(&d);
}

static void judging_again_gives_the_same(void **state)
{
    (void)state;
    const double ratio[] = {1.02}, margin[] = {0.05};
    struct duel d = rows_create(1, ratio, margin);
    assert_int_equal(duel_judge(&d, NULL), 0);
    struct stats_limits first = d.rows[0].gate.limits;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_true(fabs(d.rows[0].gate.limits.low - first.low) < 1e-12);
    assert_true(fabs(d.rows[0].ratio.value - 1.02) < 0.001);
    assert_true(d.rows[0].ratio.ci.known && d.rows[0].ratio.ci.low < 1.02 && d.rows[0].ratio.ci.high > 1.019);
    rows_destroy(&d);
}

static void detect_passes_only_where_it_could_have_seen_the_smallest_effect(void **state)
{
    (void)state;
    const double ratio[] = {1.0}, margin[] = {0.05};
    struct duel d = rows_create(1, ratio, margin);
    d.rule = DUEL_DETECT;
    d.ln_effect = log1p(0.10);
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.verdict, STATS_PASS);
    for (int k = 0; k < INVOCATIONS; k++) /* so wide that 10 % would have gone unseen */
        d.rows[0].gate.ratios[k] = 0.4 * (k - INVOCATIONS / 2) / INVOCATIONS;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.verdict, STATS_INCONCLUSIVE);
    for (int k = 0; k < INVOCATIONS; k++)
        d.rows[0].gate.ratios[k] = 0.2;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.verdict, STATS_REGRESSION);
    rows_destroy(&d);
}

static void exit_status_of_256_regressing_rows_is_1(void **state)
{
    (void)state;
    double ratio[MANY], margin[MANY];
    for (int i = 0; i < MANY; i++) {
        ratio[i] = 1.3;
        margin[i] = 0.05;
    }
    struct duel d = rows_create(MANY, ratio, margin);
    struct gate_report g;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(gate_report_init(&g, MANY, NULL), 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(d.rows[i].gate.verdict, STATS_REGRESSION);
        g.row[i].verdict = d.rows[i].gate.verdict;
    }
    gate_report_conclude(&g, d.verdict, BENCH_EXIT_INCONCLUSIVE);
    assert_int_equal(g.exit, 1);
    gate_report_fini(&g);
    rows_destroy(&d);
}

static void a_missing_row_never_passes(void **state)
{
    (void)state;
    struct gate_report g;
    assert_int_equal(gate_report_init(&g, 2, NULL), 0);
    g.row[0].verdict = STATS_PASS;
    g.row[1].missing = true;
    gate_report_conclude(&g, STATS_PASS, BENCH_EXIT_DONE);
    assert_int_equal(g.exit, BENCH_EXIT_FAILED);
    g.row[1].missing = false;
    gate_report_conclude(&g, STATS_PASS, BENCH_EXIT_DONE);
    assert_int_equal(g.exit, BENCH_EXIT_DONE);
    gate_report_fini(&g);
}

static void no_row_at_all_does_not_pass(void **state)
{
    (void)state;
    struct duel d = {.alpha = 0.01, .looks = 3};
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.verdict, STATS_INCONCLUSIVE);
}

static void a_row_whose_verdict_is_withheld_neither_passes_nor_alarms(void **state)
{
    (void)state;
    const double ratio[] = {1.0, 1.3, 1.0}, margin[] = {0.05, 0.05, 0.05};
    struct duel d = rows_create(3, ratio, margin);
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.verdict, STATS_REGRESSION); /* the twin */
    d.rows[1].withheld = true;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.rows[1].gate.verdict, STATS_INCONCLUSIVE);
    assert_int_equal(d.rows[0].gate.verdict, STATS_PASS);
    assert_int_equal(d.verdict, STATS_INCONCLUSIVE);
    d.rows[1].withheld = false;
    d.rows[0].withheld = true;
    assert_int_equal(duel_judge(&d, NULL), 0);
    assert_int_equal(d.rows[0].gate.verdict, STATS_INCONCLUSIVE);
    assert_int_equal(d.verdict, STATS_REGRESSION);
    rows_destroy(&d);
}

static void looks_come_at_n_2n_and_4n_as_far_as_the_budget_allows(void **state)
{
    (void)state;
    struct duel d = {.looks = 3, .look = 1};
    assert_int_equal(duel_next(&d, 12, INFINITY), 24);
    assert_int_equal(duel_next(&d, 12, 12), 24);
    assert_int_equal(duel_next(&d, 12, 11.9), 0);
    assert_int_equal(duel_next(&d, 12, -3), 0);
    d.look = 2;
    assert_int_equal(duel_next(&d, 24, 1000), 48);
}

static void a_budget_that_was_asked_for_is_spent_at_the_last_look(void **state)
{
    (void)state;
    struct duel d = {.looks = 3, .look = 1, .spend = true};
    assert_int_equal(duel_next(&d, 12, 12 * 99), 120); /* between 12 and 1200 */
    assert_int_equal(duel_next(&d, 12, 20), 24);       /* never less than twice */
    assert_int_equal(duel_next(&d, 12, 5), 0);
    d.look = 2;
    assert_int_equal(duel_next(&d, 120, 1080), 1200);
    assert_int_equal(duel_next(&d, 120, 100), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_judged_against_its_own_margin),
        cmocka_unit_test(judging_again_gives_the_same),
        cmocka_unit_test(detect_passes_only_where_it_could_have_seen_the_smallest_effect),
        cmocka_unit_test(exit_status_of_256_regressing_rows_is_1),
        cmocka_unit_test(a_missing_row_never_passes),
        cmocka_unit_test(a_row_whose_verdict_is_withheld_neither_passes_nor_alarms),
        cmocka_unit_test(looks_come_at_n_2n_and_4n_as_far_as_the_budget_allows),
        cmocka_unit_test(a_budget_that_was_asked_for_is_spent_at_the_last_look),
        cmocka_unit_test(no_row_at_all_does_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
