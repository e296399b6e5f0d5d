/* The race of the arms of a result: limits of every pair, who is out, who is chosen. */
#include "race.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "results/stats/order_statistic.h"

int summary_looks(const struct result *r)
{
    return r->looks_planned > 0 ? r->looks_planned : 3;
}

int results__race_pairs(const struct race *race, double alpha_low, double alpha_high,
                        struct stats_limits *pairs, struct err *err)
{
    const struct cells *c = &race->cells;
    double *ratios = malloc((c->ninvocations + c->nblocks + 1) * sizeof *ratios);
    if (!ratios)
        return err_set(err, -ENOMEM, "no memory for the ratios of %zu invocations", c->ninvocations);
    for (size_t i = 0; i < c->narms; i++)
        for (size_t j = 0; j < c->narms; j++) {
            size_t n = 0;
            if (i != j && c->measured[i] && c->measured[j])
                n = results__cells_ratios(c, i, j, ratios, ratios + c->ninvocations);
            pairs[i * c->narms + j] = stats_limits(ratios, n, alpha_low, alpha_high);
        }
    free(ratios);
    return 0;
}

/* Median over invocations of the median turn. */
static int fill_cpu(struct race *race, struct err *err)
{
    const struct result *r = race->result;
    double *x = results__series_alloc(r);
    if (!x)
        return err_set(err, -ENOMEM, "no memory for the figures of %zu invocations", r->ninvocations);
    for (size_t a = 0; a < r->narms; a++) {
        size_t n =
            results__cells_series(&race->cells, r, a, offsetof(struct turn, cpu_ns), x, x + r->ninvocations);
        race->cpu_ns[a] = stats_median(x, n);
    }
    free(x);
    return 0;
}

static int allocate(struct race *race, size_t narms, struct err *err)
{
    race->in_race = calloc(narms + 1, sizeof *race->in_race);
    race->out = calloc(narms + 1, sizeof *race->out);
    race->good = calloc(narms + 1, sizeof *race->good);
    race->size = calloc(narms + 1, sizeof *race->size);
    race->cpu_ns = calloc(narms + 1, sizeof *race->cpu_ns);
    race->stall = calloc(narms + 1, sizeof *race->stall);
    race->pairs = calloc(narms * narms + 1, sizeof *race->pairs);
    if (!race->in_race || !race->out || !race->good || !race->size || !race->cpu_ns || !race->stall ||
        !race->pairs)
        return err_set(err, -ENOMEM, "no memory for the comparison of %zu arms", narms);
    return 0;
}

static void fill_sizes(struct race *race)
{
    const struct result *r = race->result;
    for (size_t a = 0; a < r->narms; a++)
        for (size_t b = 0; b < r->narms; b++)
            race->size[a] += results__compare_size(&r->arms[b].setting, 0, &r->arms[a].setting, 0) < 0;
}

int results__race_init(struct race *race, const struct result *r, double alpha, struct err *err)
{
    *race = (struct race){.result = r, .looks = summary_looks(r), .alpha = alpha};
    race->ln_margin = log1p(r->margin > 0 ? r->margin : 0);
    int rc = results__cells_init(&race->cells, r, METRIC_COST_NS, err);
    if (rc == 0)
        rc = allocate(race, r->narms, err);
    if (rc < 0)
        goto fail;
    fill_sizes(race);
    for (size_t a = 0; a < r->narms; a++) {
        if (r->arms[a].failure) /* taken out for good: what was measured before stays to be seen */
            race->cells.measured[a] = false;
        race->in_race[a] = race->cells.measured[a] && !(r->dropped_at_look && r->dropped_at_look[a]);
        race->nmeasured += race->cells.measured[a];
    }
    race->alpha_pair = stats_choice_alpha(alpha, race->looks, race->nmeasured ? race->nmeasured : 1);
    rc = results__race_pairs(race, race->alpha_pair, race->alpha_pair, race->pairs, err);
    if (rc == 0)
        rc = fill_cpu(race, err);
    if (rc == 0 && r->max_stall > 0)
        rc = results__race_judge_stall(race, err);
    else if (rc == 0)
        stats_choice_judge(race->pairs, race->in_race, race->size, r->narms, race->ln_margin, race->out,
                           race->good);
    if (rc < 0)
        goto fail;
    return 0;
fail:
    results__race_fini(race);
    return rc;
}

void results__race_fini(struct race *race)
{
    results__cells_fini(&race->cells);
    free(race->in_race);
    free(race->out);
    free(race->good);
    free(race->size);
    free(race->cpu_ns);
    free(race->stall);
    free(race->pairs);
    *race = (struct race){0};
}

bool results__race_only_slower(const struct race *race, size_t arm)
{
    return !(race->result->max_stall > 0) &&
           stats_choice_only_slower(race->pairs, race->cells.measured, race->size, race->result->narms, arm,
                                    race->ln_margin);
}

int results__compare_size(const struct setting *x, double x_cpu_ns, const struct setting *y, double y_cpu_ns)
{
    if (x->workers != y->workers)
        return x->workers < y->workers ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return (x_cpu_ns > y_cpu_ns) - (x_cpu_ns < y_cpu_ns);
}

/* Where nothing else tells two arms apart, the one named first is the smaller. */
static int compare_size(const struct race *race, size_t a, size_t b)
{
    const struct arm *arms = race->result->arms;
    int order = results__compare_size(&arms[a].setting, race->cpu_ns[a], &arms[b].setting, race->cpu_ns[b]);
    return order ? order : (a > b) - (a < b);
}

/* Smallest arm left in the race that passes; narms when none does. */
static size_t smallest(const struct race *race, bool (*passes)(const struct race *, size_t arm, size_t best),
                       size_t best)
{
    size_t found = race->result->narms;
    for (size_t a = 0; a < race->result->narms; a++)
        if (race->in_race[a] && !race->out[a] && passes(race, a, best) &&
            (found == race->result->narms || compare_size(race, a, found) < 0))
            found = a;
    return found;
}

static bool is_surely_good(const struct race *race, size_t arm, size_t best)
{
    (void)best;
    return race->good[arm];
}

static bool seems_good(const struct race *race, size_t arm, size_t best)
{
    if (race->result->max_stall > 0)
        return race->stall[arm] <= race->result->max_stall;
    return arm == best || race->pairs[arm * race->result->narms + best].value <= race->ln_margin;
}

static bool is_left(const struct race *race, size_t arm, size_t best)
{
    (void)race, (void)arm, (void)best;
    return true;
}

/* Whether an arm smaller than the chosen one is still open; lists all open arms. */
static int list_open(const struct race *race, struct choice *c, bool *smaller_open, struct err *err)
{
    size_t narms = race->result->narms;
    *smaller_open = false;
    c->open = calloc(narms, sizeof *c->open);
    if (!c->open)
        return err_set(err, -ENOMEM, "no memory for a list of %zu arms", narms);
    for (size_t a = 0; a < narms; a++) {
        if (!race->in_race[a] || race->out[a] || a == (size_t)c->arm)
            continue;
        c->open[c->nopen++] = (int)a;
        *smaller_open |= compare_size(race, a, (size_t)c->arm) < 0;
    }
    return 0;
}

/* Measuring time of the last invocation that counts: its trials start and take their turns one after another.
 */
static double invocation_ns(const struct race *race)
{
    const struct result *r = race->result;
    for (size_t i = r->ninvocations; i-- > 0;) {
        const struct invocation *inv = &r->invocations[i];
        double sum = 0;
        for (size_t t = 0; t < inv->ntrials && !inv->void_reason; t++) {
            const struct trial *trial = &inv->trials[t];
            if (trial->arm < 0 || (size_t)trial->arm >= r->narms || race->out[trial->arm])
                continue;
            sum += results__trial_ns(trial);
        }
        if (sum > 0)
            return sum;
    }
    return NAN;
}

static int estimate_more(const struct race *race, struct choice *c, struct err *err)
{
    size_t narms = race->result->narms, arm = (size_t)c->arm;
    bool *left = calloc(2 * narms, sizeof *left), *precedes = left + narms;
    if (!left)
        return err_set(err, -ENOMEM, "no memory for a list of %zu arms", narms);
    for (size_t a = 0; a < narms; a++) {
        left[a] = race->in_race[a] && !race->out[a];
        precedes[a] = left[a] && compare_size(race, a, arm) < 0;
    }
    double n = stats_choice_needed_n(race->pairs, left, race->size, precedes, narms, arm, race->ln_margin,
                                     race->alpha_pair);
    double more = fmax(1, n - race->cells.invocations_valid) * invocation_ns(race);
    c->more_ns = isfinite(more) ? more : NAN;
    free(left);
    return 0;
}

int results__race_choose(const struct race *race, struct choice *out, struct err *err)
{
    size_t narms = race->result->narms;
    *out = (struct choice){
        .state = CHOICE_NONE, .arm = -1, .best = -1, .level = 1 - race->alpha, .more_ns = NAN};
    size_t best = stats_choice_best(race->pairs, race->in_race, narms);
    if (best == narms || smallest(race, is_left, best) == narms)
        return 0; /* nothing was measured, or (by stall) every arm is surely worse than was asked */
    size_t chosen = smallest(race, is_surely_good, best);
    bool sure = chosen < narms;
    if (!sure)
        chosen = smallest(race, seems_good, best);
    out->best = (int)best;
    out->arm = (int)(chosen < narms ? chosen : best);
    bool smaller_open;
    int rc = list_open(race, out, &smaller_open, err);
    if (rc == 0) {
        out->state = !sure ? CHOICE_UNDECIDED : smaller_open ? CHOICE_TIED : CHOICE_DECIDED;
        out->more_ns = 0;
        if (race->result->max_stall > 0)
            out->more_ns = NAN; /* no law says how a stall's limits close in on it */
        else if (out->state != CHOICE_DECIDED)
            rc = estimate_more(race, out, err);
    }
    if (rc < 0)
        choice_fini(out);
    return rc;
}

void choice_fini(struct choice *c)
{
    if (!c)
        return;
    free(c->open);
    *c = (struct choice){.state = CHOICE_NONE, .arm = -1, .best = -1, .more_ns = NAN};
}

int summary_look(const struct result *r, int look, bool *dropped, struct choice *out, struct err *err)
{
    *out = (struct choice){.state = CHOICE_NONE, .arm = -1, .best = -1, .more_ns = NAN};
    for (size_t a = 0; a < r->narms; a++)
        dropped[a] = r->dropped_at_look && r->dropped_at_look[a];
    if (look < 1 || look > summary_looks(r))
        return err_set(err, -EINVAL, "look %d of %d: alpha is split over the looks that were planned", look,
                       summary_looks(r));
    struct race race;
    int rc = results__race_init(&race, r, r->alpha > 0 && r->alpha < 1 ? r->alpha : 0.05, err);
    if (rc < 0)
        return rc;
    for (size_t a = 0; a < r->narms; a++)
        dropped[a] |= race.out[a];
    rc = results__race_choose(&race, out, err);
    results__race_fini(&race);
    return rc;
}
