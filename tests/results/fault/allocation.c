/* Every allocation of the statistics fails once: each call says so, leaves nothing behind (LeakSanitizer) and no half
 * answer. Linked with --wrap for the three allocators and strdup. */
#include <errno.h>
#include <math.h>

#include "../building.h"
#include "results/checks.h"
#include "results/stats/bootstrap.h"
#include "results/stats/gate.h"
#include "results/stats/scaling.h"
#include "results/summary.h"
#include "testing/cmocka.h"

static long left = -1; /* allocations until one fails; -1 = none does */

static int fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

/* Calls `once` with the first, second, ... allocation failing, until it gets through; returns how many failed. */
static int until_it_succeeds(int (*once)(struct result *, struct err *), struct result *r)
{
    for (int k = 0; k < 10000; k++) {
        struct err err = {0};
        left = k;
        int rc = once(r, &err);
        bool reached = left < 0;
        left = -1;
        if (rc == 0 && !reached)
            return k;
        assert_int_equal(rc, -ENOMEM);
        assert_int_equal(err.code, -ENOMEM);
        assert_true(err.text[0] != '\0');
    }
    fail_msg("10,000 failures and no end");
    return 0;
}

static int summarise(struct result *r, struct err *err)
{
    struct summary *s;
    int rc = summary_create(r, 0.95, &s, err);
    assert_true((rc == 0) == (s != NULL));
    summary_destroy(s);
    return rc;
}

static int look(struct result *r, struct err *err)
{
    bool dropped[8];
    struct choice c;
    int rc = summary_look(r, 1, dropped, &c, err);
    if (rc)
        assert_true(c.arm == -1 && c.open == NULL);
    choice_fini(&c);
    return rc;
}

static int check(struct result *r, struct err *err)
{
    struct session_check out[SESSION_CHECKS];
    bool unfit;
    int rc = summary_checks(r, out, &unfit, err);
    if (rc)
        assert_false(unfit);
    return rc;
}

static int components(struct result *r, struct err *err)
{
    const bool in_race[3] = {true, true, false};
    struct stats_components c;
    return summary_components(r, in_race, &c, err);
}

static int effort(struct result *r, struct err *err)
{
    struct effort e;
    return summary_effort(r, 0, &e, err);
}

static int gate(struct result *r, struct err *err)
{
    (void)r;
    double x[12] = {0};
    struct stats_gate_row row = {.ratios = x, .n = 12};
    enum stats_verdict v;
    int rc = stats_gate(&row, 1, 0.05, 0.01, 1, &v, err);
    if (rc)
        assert_int_equal(v, STATS_INCONCLUSIVE);
    return rc;
}

static double first_of(const size_t *pick, size_t n, const void *data)
{
    (void)n, (void)data;
    return (double)pick[0];
}

static int bootstrap(struct result *r, struct err *err)
{
    (void)r;
    double value;
    struct interval ci;
    int rc = stats_bootstrap_t((struct stats_statistic){first_of, NULL}, 12, 0.9, 1, &value, &ci, err);
    if (rc)
        assert_true(!ci.known && isnan(value));
    return rc;
}

static int scaling(struct result *r, struct err *err)
{
    (void)r;
    static const int workers[] = {1, 2, 4, 8};
    static const double cost[] = {8, 4.2, 2.3, 1.5};
    struct stats_scaling s;
    return stats_scaling(workers, 4, cost, 1, 0.95, &s, err);
}

static void every_allocation_that_fails_is_told(void **state)
{
    (void)state;
    struct result r = building_create((struct shape){3, 12, 2, 1});
    for (size_t i = 0; i < 12; i++)
        building_absent(&r, i, 2); /* an arm with a note */
    building_turn(&r, 0, 0, 1, 0)->items = calloc(1, sizeof(struct histogram));
    assert_true(until_it_succeeds(summarise, &r) > 20);
    assert_true(until_it_succeeds(look, &r) > 5);
    assert_true(until_it_succeeds(check, &r) > 4);
    assert_true(until_it_succeeds(components, &r) > 3);
    assert_true(until_it_succeeds(effort, &r) > 3);
    assert_true(until_it_succeeds(gate, &r) > 1);
    assert_true(until_it_succeeds(bootstrap, &r) > 1);
    assert_true(until_it_succeeds(scaling, &r) > 0);
    left = 0; /* has no way to tell: an estimate that is not known */
    struct estimate e = summary_ratio(&r, 0, 1, METRIC_COST_NS, 0.95);
    left = -1;
    assert_true(isnan(e.value) && !e.ci.known);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest list[] = {cmocka_unit_test(every_allocation_that_fails_is_told)};
    return CASES(list);
}
