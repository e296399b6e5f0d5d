/* The session's checks, each a number against a limit. */
#include "results/checks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cells.h"
#include "results/stats/autocorrelation.h"
#include "results/stats/order_statistic.h"

enum { RATIOS_LEAST = 6 };

static const struct session_check checks[SESSION_CHECKS] = {
    [CHECK_NEIGHBOURS] = {.name = "neighbours",
                          .text = "ratios of neighbouring invocations are alike: n counts too many of them",
                          .limit = 0.01,
                          .is_p = true},
    [CHECK_HALVES] = {.name = "halves",
                      .text = "ratios changed between the first and the second half of the session",
                      .limit = 0.01,
                      .is_p = true},
    [CHECK_SLOT] = {.name = "slot",
                    .text = "the place in the block changes the cost: trials disturb those after them",
                    .limit = 0.10},
    [CHECK_SPREAD] = {.name = "spread",
                      .text = "the ratio to another arm is hardly the same twice",
                      .limit = 0.7},
    [CHECK_STEAL] = {.name = "steal", .text = "the hypervisor gave the CPUs to others", .limit = 0.05},
    [CHECK_FIXED_WORK] =
        {.name = "fixed work",
         .text = "a fixed loop takes another time in each invocation: the machine is not the same",
         .limit = 0.5},
};

/* Spread of sorted logarithms as a standard deviation; the quartiles of a normal distribution lie 1.349 apart. */
static double spread(const double *sorted, size_t n)
{
    if (n < 4)
        return NAN;
    return (stats_quantile_sorted(sorted, n, 0.75) - stats_quantile_sorted(sorted, n, 0.25)) / 1.349;
}

/* ln ratios of arm a by invocation to the first arm that was measured in so many of the same ones: whichever, but not
 * chosen by outcome. Their number; 0: there is no such arm before a. */
static size_t ratios_of(const struct cells *c, size_t a, double *x)
{
    for (size_t b = 0; c->measured[a] && b < a; b++) {
        size_t n = c->measured[b] ? results__cells_ratios(c, a, b, x, x + c->ninvocations) : 0;
        if (n >= RATIOS_LEAST)
            return n;
    }
    return 0;
}

static int check_ratios(const struct cells *c, struct session_check *out, struct err *err)
{
    double *x = malloc((c->ninvocations + c->nblocks + 1) * sizeof *x);
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the ratios of %zu invocations", c->ninvocations);
    size_t tests = 0;
    double neighbours = NAN, halves = NAN, widest = NAN;
    int rc = 0;
    for (size_t a = 1; rc == 0 && a < c->narms; a++) {
        size_t n = ratios_of(c, a, x);
        if (!n)
            continue;
        double p, q;
        rc = stats_lag1_test(x, n, &p, err);
        rc = rc ? rc : stats_halves_test(x, n, &q, err);
        if (rc)
            break;
        tests++;
        neighbours = fmin(neighbours, p);
        halves = fmin(halves, q);
        stats_sort(x, n);
        widest = fmax(widest, spread(x, n));
    }
    /* of the smallest p, Holm's adjustment is Bonferroni's */
    out[CHECK_NEIGHBOURS].value = tests ? fmin(1, neighbours * (double)tests) : NAN;
    out[CHECK_HALVES].value = tests ? fmin(1, halves * (double)tests) : NAN;
    out[CHECK_SPREAD].value = widest;
    free(x);
    return rc;
}

/* ln(cost) of the turns in `slot` of an invocation's block, each less its arm's mean over the invocation, and less
 * the same of all slots; NaN when the block does not count. */
static double slot_effect(const struct cells *c, const struct invocation *inv, size_t i, int block, int slot,
                          const double *arm_mean)
{
    double sum = 0, all = 0;
    size_t n = 0, nall = 0;
    for (size_t t = 0; t < inv->ntrials; t++) {
        int arm = inv->trials[t].arm;
        for (size_t k = 0; arm >= 0 && k < inv->trials[t].nturns; k++) {
            const struct turn *turn = &inv->trials[t].turns[k];
            if (turn->block != block || !results__cells_turn_counts(c, i, turn))
                continue;
            double own = log(turn->cost_ns) - arm_mean[arm];
            sum += turn->slot == slot ? own : 0;
            n += turn->slot == slot;
            all += own;
            nall++;
        }
    }
    return n ? sum / (double)n - all / (double)nall : NAN;
}

static void mean_of_arms(const struct cells *c, size_t i, double *arm_mean)
{
    for (size_t a = 0; a < c->narms; a++) {
        double sum = 0;
        size_t n = 0;
        for (size_t b = 0; b < c->nblocks; b++) {
            double x = c->mean_ln[(i * c->nblocks + b) * c->narms + a];
            sum += isfinite(x) ? x : 0;
            n += isfinite(x);
        }
        arm_mean[a] = n ? sum / (double)n : NAN;
    }
}

static int most_slots(const struct result *r)
{
    int most = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            for (size_t k = 0; k < r->invocations[i].trials[t].nturns; k++)
                if (r->invocations[i].trials[t].turns[k].slot >= most)
                    most = r->invocations[i].trials[t].turns[k].slot + 1;
    return most;
}

/* An invocation's effect of a slot: the mean over its blocks. The effect: the median over invocations, which has to be
 * different from 0 for sure (99 %, Bonferroni over slots) to count. */
static int check_slot(const struct cells *c, const struct result *r, struct session_check *out,
                      struct err *err)
{
    int slots = most_slots(r);
    double *x = malloc((r->ninvocations + c->narms + 1) * sizeof *x), *arm_mean = x + r->ninvocations;
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the slots of %zu invocations", r->ninvocations);
    out->value = NAN;
    for (int slot = 0; slots > 1 && slot < slots; slot++) {
        size_t n = 0;
        for (size_t i = 0; i < r->ninvocations; i++) {
            double sum = 0;
            size_t blocks = 0;
            mean_of_arms(c, i, arm_mean);
            for (size_t b = 1; b < c->nblocks; b++) {
                double e = slot_effect(c, &r->invocations[i], i, (int)b, slot, arm_mean);
                sum += isfinite(e) ? e : 0;
                blocks += isfinite(e);
            }
            if (blocks)
                x[n++] = sum / (double)blocks;
        }
        double median = stats_median(x, n), alpha = 0.01 / 2 / slots;
        bool sure = stats_median_lower(x, n, alpha) > 0 || stats_median_upper(x, n, alpha) < 0;
        if (n >= stats_median_smallest_n(alpha))
            out->value = fmax(out->value, sure ? expm1(fabs(median)) : 0);
    }
    free(x);
    return 0;
}

static void check_steal(const struct cells *c, const struct result *r, struct session_check *out)
{
    double stolen = 0, wall = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            for (size_t k = 0; k < r->invocations[i].trials[t].nturns; k++) {
                const struct turn *turn = &r->invocations[i].trials[t].turns[k];
                if (!results__cells_turn_counts(c, i, turn) || !isfinite(turn->steal_ns + turn->wall_ns))
                    continue;
                stolen += turn->steal_ns;
                wall += turn->wall_ns;
            }
    out->value = wall > 0 ? stolen / wall : NAN;
}

static int check_fixed_work(const struct result *r, struct session_check *out, struct err *err)
{
    double *x = malloc((2 * r->ninvocations + 1) * sizeof *x);
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the loops of %zu invocations", r->ninvocations);
    size_t n = 0;
    for (size_t i = 0; i < r->ninvocations; i++) {
        const double both[] = {r->invocations[i].fixed_work_before_ns, r->invocations[i].fixed_work_after_ns};
        for (int k = 0; k < 2; k++)
            if (isfinite(both[k]) && both[k] > 0)
                x[n++] = log(both[k]);
    }
    stats_sort(x, n);
    out->value = spread(x, n);
    free(x);
    return 0;
}

int summary_checks(const struct result *r, struct session_check *out, bool *unfit, struct err *err)
{
    *unfit = false;
    for (int k = 0; k < SESSION_CHECKS; k++) {
        out[k] = checks[k];
        out[k].value = NAN;
    }
    struct cells c;
    int rc = results__cells_init(&c, r, METRIC_COST_NS, err);
    if (rc)
        return rc;
    rc = check_ratios(&c, out, err);
    rc = rc ? rc : check_slot(&c, r, &out[CHECK_SLOT], err);
    rc = rc ? rc : check_fixed_work(r, &out[CHECK_FIXED_WORK], err);
    check_steal(&c, r, &out[CHECK_STEAL]);
    for (int k = 0; rc == 0 && k < SESSION_CHECKS; k++) {
        out[k].failed = out[k].is_p ? out[k].value < out[k].limit : out[k].value > out[k].limit;
        *unfit |= out[k].failed;
    }
    results__cells_fini(&c);
    return rc;
}
