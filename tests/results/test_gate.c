#include "results/stats/gate.h"

#include <math.h>

#include "testing/cmocka.h"

enum { MOST = 16 };

static struct stats_gate_row row(double *storage, size_t n, double from, double to)
{
    for (size_t i = 0; i < n; i++)
        storage[i] = n > 1 ? from + (to - from) * (double)i / (double)(n - 1) : from;
    return (struct stats_gate_row){.ratios = storage, .n = n};
}

static enum stats_verdict judge(struct stats_gate_row *rows, size_t n)
{
    enum stats_verdict v;
    assert_int_equal(stats_gate(rows, n, log(1.05), 0.01, 1, &v, NULL), 0);
    return v;
}

static void verdicts_are_as_defined(void **state)
{
    (void)state;
    double x[MOST];
    struct stats_gate_row r = row(x, 12, -0.02, 0.02);
    assert_int_equal(judge(&r, 1), STATS_PASS);
    assert_int_equal(r.verdict, STATS_PASS);
    r = row(x, 12, 0.06, 0.10);
    assert_int_equal(judge(&r, 1), STATS_REGRESSION);
    assert_true(r.limits.low > log(1.05) && fabs(r.p - ldexp(1, -12)) < 1e-15);
    r = row(x, 12, -0.1, 0.2);
    assert_int_equal(judge(&r, 1), STATS_INCONCLUSIVE);
    r = row(x, 12, 0.02, 0.04); /* slower, but within the margin for sure */
    assert_int_equal(judge(&r, 1), STATS_PASS);
}

static void seven_invocations_can_say_something_and_six_cannot(void **state)
{
    (void)state;
    double x[MOST];
    assert_int_equal(stats_gate_smallest_n(0.01, 1, 1), 7);
    assert_int_equal(stats_gate_smallest_n(0.01, 3, 1), 9);
    for (size_t n = 0; n <= 7; n++) {
        struct stats_gate_row slow = row(x, n, 0.5, 0.6);
        assert_int_equal(judge(&slow, 1), n == 7 ? STATS_REGRESSION : STATS_INCONCLUSIVE);
        struct stats_gate_row same = row(x, n, 0, 0);
        assert_int_equal(judge(&same, 1), n == 7 ? STATS_PASS : STATS_INCONCLUSIVE);
        if (n < 7)
            assert_true(isinf(same.smallest_seen_ln));
    }
}

static void many_rows_need_more_evidence_for_an_alarm(void **state)
{
    (void)state;
    double x[4][MOST];
    struct stats_gate_row rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = row(x[i], 8, i ? 0.0 : 0.06, i ? 0.01 : 0.10);
    assert_int_equal(judge(rows, 1), STATS_REGRESSION); /* 2^-8 < 0.01 */
    for (int i = 0; i < 4; i++)
        rows[i] = row(x[i], 8, i ? 0.0 : 0.06, i ? 0.01 : 0.10);
    assert_int_equal(judge(rows, 4), STATS_INCONCLUSIVE); /* 4 x 2^-8 > 0.01 */
    assert_true(fabs(rows[0].p - 4 * ldexp(1, -8)) < 1e-15);
    assert_int_equal(rows[1].verdict, STATS_PASS);
    rows[0] = row(x[0], 10, 0.06, 0.10);
    assert_int_equal(judge(rows, 4), STATS_REGRESSION);
    assert_int_equal(judge(rows, 0), STATS_INCONCLUSIVE); /* nothing measured is not a pass */
}

static void the_smallest_effect_is_what_the_spread_allows(void **state)
{
    (void)state;
    double x[MOST];
    struct stats_gate_row r = row(x, 13, -0.06, 0.06); /* median 0, lower limit the second value: -0.05 */
    judge(&r, 1);
    assert_true(fabs(r.limits.low + 0.05) < 1e-12);
    assert_true(fabs(r.smallest_seen_ln - (log(1.05) + 0.05)) < 1e-12);
    r = row(x, 13, r.smallest_seen_ln - 0.06 + 1e-9, r.smallest_seen_ln + 0.06 + 1e-9);
    assert_int_equal(judge(&r, 1), STATS_REGRESSION);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(verdicts_are_as_defined),
        cmocka_unit_test(seven_invocations_can_say_something_and_six_cannot),
        cmocka_unit_test(many_rows_need_more_evidence_for_an_alarm),
        cmocka_unit_test(the_smallest_effect_is_what_the_spread_allows),
    };
    return CASES(list);
}
