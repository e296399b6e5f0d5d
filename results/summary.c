/* One row of the table for each arm, and the choice. */
#include "results/summary.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "results/stats/trimmed.h"

static struct estimate estimate_of_ratio(struct stats_limits l, double level)
{
    struct estimate e = {.value = exp(l.value), .n = (int)l.n, .n_effective = (int)l.n};
    e.ci = (struct interval){.low = NAN, .high = NAN, .level = level};
    e.ci.known = isfinite(l.low) && isfinite(l.high);
    if (e.ci.known) {
        e.ci.low = exp(l.low);
        e.ci.high = exp(l.high);
    }
    return e;
}

struct estimate summary_ratio(const struct result *r, int arm_a, int arm_b, enum result_metric metric,
                              double level)
{
    struct stats_limits none = {.value = NAN, .low = NAN, .high = NAN};
    struct estimate e = estimate_of_ratio(none, level);
    struct cells c;
    if (arm_a < 0 || arm_b < 0 || (size_t)arm_a >= r->narms || (size_t)arm_b >= r->narms ||
        results__cells_init(&c, r, metric, NULL) < 0)
        return e;
    double *ratios = malloc((c.ninvocations + c.nblocks + 1) * sizeof *ratios);
    if (ratios) {
        size_t n = results__cells_ratios(&c, (size_t)arm_a, (size_t)arm_b, ratios, ratios + c.ninvocations);
        double alpha = (1 - level) / 2 / summary_looks(r);
        e = estimate_of_ratio(stats_limits(ratios, n, alpha, alpha), level);
    }
    free(ratios);
    results__cells_fini(&c);
    return e;
}

struct estimate summary_ratio_trimmed(const struct result *r, int arm_a, int arm_b, enum result_metric metric,
                                      double level)
{
    struct stats_limits l = {.value = NAN, .low = NAN, .high = NAN};
    double *x = calloc(r->ninvocations + 1, sizeof *x);
    size_t n;
    if (x && !summary_ln_ratios(r, arm_a, arm_b, metric, x, &n, NULL)) {
        struct stats_trimmed t = stats_trimmed(x, n, 1 - (1 - level) / summary_looks(r));
        l = (struct stats_limits){.value = t.mean, .low = t.ci.low, .high = t.ci.high, .n = n};
    }
    free(x);
    return estimate_of_ratio(l, level);
}

int summary_ln_ratios(const struct result *r, int arm_a, int arm_b, enum result_metric metric, double *out,
                      size_t *n, struct err *err)
{
    *n = 0;
    struct cells c;
    int rc = results__cells_init(&c, r, metric, err);
    if (rc)
        return rc;
    double *scratch = malloc((c.nblocks + 1) * sizeof *scratch);
    if (scratch)
        *n = results__cells_ratios(&c, (size_t)arm_a, (size_t)arm_b, out, scratch);
    else
        rc = err_set(err, -ENOMEM, "no memory for %zu blocks", c.nblocks);
    free(scratch);
    results__cells_fini(&c);
    return rc;
}

static struct estimate inverse(struct estimate e)
{
    struct estimate i = e;
    i.value = 1 / e.value;
    if (e.ci.known) {
        i.ci.low = 1 / e.ci.high;
        i.ci.high = 1 / e.ci.low;
    }
    return i;
}

static int fill_turn_estimates(const struct cells *c, const struct result *r, size_t arm, double level,
                               struct arm_summary *s, struct err *err)
{
    const struct {
        size_t offset;
        struct estimate *out;
    } fields[] = {
        {offsetof(struct turn, cost_ns), &s->cost_ns},
        {offsetof(struct turn, item_ns), &s->item_ns},
        {offsetof(struct turn, cpu_ns), &s->cpu_ns},
        {offsetof(struct turn, overhead_ns), &s->overhead_ns},
        {offsetof(struct turn, stall_ratio), &s->stall_ratio},
    };
    int rc = 0, looks = summary_looks(r);
    for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof *fields; i++)
        rc = results__cells_estimate(c, r, arm, fields[i].offset, level, looks, fields[i].out, err);
    for (size_t w = 0; rc == 0 && w < RESULT_WAIT_CAUSES; w++)
        rc = results__cells_estimate(c, r, arm, offsetof(struct turn, wait_ns) + w * sizeof(double), level,
                                     looks, &s->wait_ns[w], err);
    s->rate_per_s = s->cost_ns;
    s->rate_per_s.value *= 1e-9;
    s->rate_per_s.ci.low *= 1e-9;
    s->rate_per_s.ci.high *= 1e-9;
    s->rate_per_s = inverse(s->rate_per_s);
    return rc;
}

/* What a start shows: one value an invocation that counts, of the arm's first trial in it. */
static int fill_start_estimates(const struct result *r, size_t arm, double level, struct arm_summary *s,
                                struct err *err)
{
    double *x = malloc(2 * (r->ninvocations + 1) * sizeof *x), *y = x + r->ninvocations + 1;
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the starts of %zu invocations", r->ninvocations);
    size_t nx = 0, ny = 0;
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct invocation *inv = &r->invocations[i];
        for (size_t t = 0; t < inv->ntrials && !inv->void_reason; t++) {
            if (inv->trials[t].arm != (int)arm)
                continue;
            if (isfinite(inv->trials[t].start_ns))
                x[nx++] = inv->trials[t].start_ns;
            if (isfinite(inv->trials[t].first_batch_ns))
                y[ny++] = inv->trials[t].first_batch_ns;
            break;
        }
    }
    int rc = results__series_estimate(x, nx, level, summary_looks(r), &s->start_ns, err);
    if (rc == 0)
        rc = results__series_estimate(y, ny, level, summary_looks(r), &s->first_batch_ns, err);
    free(x);
    return rc;
}

/* The items of an arm in one invocation, blocks that count only. */
static void gather_items(const struct cells *c, const struct result *r, size_t invocation, size_t arm,
                         struct histogram *h)
{
    const struct invocation *inv = &r->invocations[invocation];
    memset(h, 0, sizeof *h);
    for (size_t t = 0; t < inv->ntrials; t++)
        for (size_t n = 0; inv->trials[t].arm == (int)arm && n < inv->trials[t].nturns; n++) {
            const struct turn *turn = &inv->trials[t].turns[n];
            if (turn->items && results__cells_turn_counts(c, invocation, turn))
                histogram_merge(h, turn->items);
        }
}

static int fill_items(const struct cells *c, const struct result *r, size_t arm, double level,
                      struct arm_summary *s, struct err *err)
{
    const struct {
        double p;
        double *value;
        struct interval *ci;
    } quantiles[] = {{0.5, &s->item_p50_ns, &s->item_p50_ci},
                     {0.95, &s->item_p95_ns, &s->item_p95_ci},
                     {0.99, &s->item_p99_ns, &s->item_p99_ci}};
    enum { QUANTILES = sizeof quantiles / sizeof *quantiles };
    struct histogram *all = calloc(2, sizeof *all), *one = all + 1;
    double *x = calloc(QUANTILES * (r->ninvocations + 1), sizeof *x);
    int rc =
        all && x ? 0 : err_set(err, -ENOMEM, "no memory for histograms of %zu invocations", r->ninvocations);
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < r->ninvocations; i++) {
        gather_items(c, r, i, arm, one);
        histogram_merge(all, one);
        for (size_t q = 0; one->total && q < QUANTILES; q++)
            x[q * r->ninvocations + n] = histogram_quantile(one, quantiles[q].p);
        n += one->total > 0;
    }
    s->item_max_ns = rc == 0 && all->total ? (double)all->max : NAN;
    for (size_t q = 0; rc == 0 && q < QUANTILES; q++) {
        struct estimate e;
        rc = results__series_estimate(x + q * r->ninvocations, n, level, summary_looks(r), &e, err);
        *quantiles[q].value = histogram_quantile(all, quantiles[q].p);
        *quantiles[q].ci = e.ci;
    }
    free(x);
    free(all);
    return rc;
}

/* Why an arm has no figure: the first reason found among its trials. */
static int fill_note(const struct result *r, size_t arm, struct arm_summary *s, struct err *err)
{
    const char *note = "it was in no invocation";
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct invocation *inv = &r->invocations[i];
        for (size_t t = 0; t < inv->ntrials; t++) {
            if (inv->trials[t].arm != (int)arm)
                continue;
            note = "no block of its invocations counts";
            if (inv->void_reason)
                note = inv->void_reason;
            for (size_t n = 0; n < inv->trials[t].nturns && !inv->void_reason; n++)
                if (inv->trials[t].turns[n].void_reason)
                    note = inv->trials[t].turns[n].void_reason;
        }
    }
    s->note = strdup(r->arms[arm].failure ? r->arms[arm].failure : note);
    return s->note ? 0 : err_set(err, -ENOMEM, "no memory for a note");
}

const char *summary_standing_word(enum arm_standing standing)
{
    static const char *const words[] = {[ARM_NOT_MEASURED] = "not measured",
                                        [ARM_IN_RACE] = "open",
                                        [ARM_GOOD] = "good",
                                        [ARM_SLOWER] = "slower",
                                        [ARM_WORSE] = "worse"};
    return words[standing];
}

static enum arm_standing standing(const struct race *race, size_t arm)
{
    if (!race->cells.measured[arm])
        return ARM_NOT_MEASURED;
    if (!race->in_race[arm] || race->out[arm])
        return results__race_only_slower(race, arm) ? ARM_SLOWER : ARM_WORSE;
    return race->good[arm] ? ARM_GOOD : ARM_IN_RACE;
}

static int fill_arms(struct summary *s, const struct race *race, double level, struct err *err)
{
    const struct result *r = race->result;
    int rc = 0;
    for (size_t a = 0; rc == 0 && a < r->narms; a++) {
        struct arm_summary *arm = &s->arms[a];
        arm->standing = standing(race, a);
        arm->dropped_at_look = r->dropped_at_look ? r->dropped_at_look[a] : 0;
        rc = fill_turn_estimates(&race->cells, r, a, level, arm, err);
        if (rc == 0)
            rc = fill_start_estimates(r, a, level, arm, err);
        if (rc == 0)
            rc = fill_items(&race->cells, r, a, level, arm, err);
        if (rc == 0 && arm->standing == ARM_NOT_MEASURED)
            rc = fill_note(r, a, arm, err);
    }
    return rc;
}

/* Every arm against the truly best one, whichever that is. */
static int fill_to_best(struct summary *s, const struct race *race, double level, struct err *err)
{
    size_t narms = race->result->narms;
    double alpha = (1 - level) / 2 / race->looks;
    struct stats_limits *pairs = calloc(narms * narms + 1, sizeof *pairs);
    if (!pairs)
        return err_set(err, -ENOMEM, "no memory for the comparison of %zu arms", narms);
    int rc = results__race_pairs(race, race->nmeasured > 1 ? alpha / (double)(race->nmeasured - 1) : alpha,
                                 alpha, pairs, err);
    for (size_t a = 0; rc == 0 && a < narms; a++) {
        struct stats_limits l = {.value = NAN, .low = NAN, .high = NAN};
        if (s->choice.best >= 0 && race->cells.measured[a])
            l = stats_choice_excess(pairs, race->cells.measured, narms, a, (size_t)s->choice.best);
        if (race->nmeasured == 1)
            l.n = (size_t)s->arms[a].cost_ns.n;
        s->arms[a].to_best = estimate_of_ratio(l, level);
    }
    free(pairs);
    return rc;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_work(const struct arm *a, const struct arm *b)
{
    return same_text(a->subject, b->subject) && same_text(a->workload.data, b->workload.data) &&
           same_text(a->workload.transform, b->workload.transform) &&
           same_text(a->workload.sampler, b->workload.sampler) &&
           a->workload.batch_size == b->workload.batch_size;
}

/* The pair behind "a worker runs the transform n times faster than the main process": one worker of one
 * thread, and the main process with as many threads as there are CPUs to use. */
static void find_worker_and_main(struct summary *s, double level)
{
    const struct result *r = s->result;
    int cpus = r->cpu_budget > 1 ? r->cpu_budget : 2;
    s->worker_arm = s->main_arm = -1;
    for (size_t w = 0; w < r->narms && s->worker_arm < 0; w++) {
        if (r->arms[w].setting.workers != 1 || r->arms[w].setting.threads != 1)
            continue;
        for (size_t m = 0; m < r->narms; m++) {
            const struct setting *set = &r->arms[m].setting;
            if (set->workers != 0 || set->threads < cpus || !same_work(&r->arms[w], &r->arms[m]))
                continue;
            if (s->main_arm < 0 || set->threads < r->arms[s->main_arm].setting.threads)
                s->main_arm = (int)m;
        }
        s->worker_arm = s->main_arm < 0 ? -1 : (int)w;
    }
    s->worker_to_main = summary_ratio(r, s->worker_arm, s->main_arm, METRIC_ITEM_NS, level);
}

int summary_create(const struct result *r, double level, struct summary **out, struct err *err)
{
    *out = NULL;
    if (!(level > 0 && level < 1))
        return err_set(err, -EINVAL, "a level of %g: it has to lie between 0 and 1", level);
    struct race race = {0};
    struct summary *s = calloc(1, sizeof *s);
    int rc = s ? 0 : err_set(err, -ENOMEM, "no memory for a summary");
    if (rc == 0) {
        s->result = r;
        s->choice = (struct choice){.arm = -1, .best = -1, .more_ns = NAN};
        s->arms = calloc(r->narms + 1, sizeof *s->arms);
        rc = s->arms ? results__race_init(&race, r, r->alpha > 0 && r->alpha < 1 ? r->alpha : 1 - level, err)
                     : err_set(err, -ENOMEM, "no memory for %zu arms", r->narms);
    }
    if (rc == 0)
        rc = results__race_choose(&race, &s->choice, err);
    if (rc == 0)
        rc = fill_arms(s, &race, level, err);
    if (rc == 0)
        rc = fill_to_best(s, &race, level, err);
    if (rc == 0) {
        s->invocations_valid = race.cells.invocations_valid;
        s->invocations_void = race.cells.invocations_void;
        s->blocks_void = race.cells.blocks_void;
        find_worker_and_main(s, level);
        *out = s;
        s = NULL;
    }
    results__race_fini(&race);
    summary_destroy(s);
    return rc;
}

void summary_destroy(struct summary *s)
{
    if (!s)
        return;
    for (size_t a = 0; s->arms && a < s->result->narms; a++)
        free(s->arms[a].note);
    free(s->arms);
    choice_fini(&s->choice);
    free(s);
}

int summary_compare_size(const struct summary *s, int arm_a, int arm_b)
{
    const struct setting *x = &s->result->arms[arm_a].setting, *y = &s->result->arms[arm_b].setting;
    return results__compare_size(x, s->arms[arm_a].cpu_ns.value, y, s->arms[arm_b].cpu_ns.value);
}
