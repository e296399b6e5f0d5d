/* Rows of a comparison: which arms both sides have, what they did, and how far apart they are. */
#include "results/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/delivery.h"
#include "results/stats/order_statistic.h"

/* The first session of a side that has the arm; NULL when none has. */
static const struct result *session_with(const struct compare_side *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (result_arm_named(&s->session[i], name) >= 0)
            return &s->session[i];
    return NULL;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* What differs between two arms of one name, in words; NULL = nothing. */
static const char *other_work(const struct arm *a, const struct arm *b)
{
    if (!same(a->workload.data, b->workload.data))
        return "other data";
    if (!same(a->workload.transform, b->workload.transform))
        return "another transform";
    if (!same(a->workload.sampler, b->workload.sampler))
        return "another sampler";
    if (a->workload.batch_size != b->workload.batch_size)
        return "another batch size";
    if (a->setting.workers != b->setting.workers || a->setting.threads != b->setting.threads ||
        a->setting.prefetch_factor != b->setting.prefetch_factor ||
        a->setting.reserve_main != b->setting.reserve_main ||
        !same(a->setting.affinity, b->setting.affinity) || !same(a->setting.backend, b->setting.backend))
        return "another setting";
    return NULL;
}

/* ln of what each session of a side found. A session in which the arm failed, or was not measured, fails the row. */
static int gather(const struct compare_side *s, struct compare_row *row, const struct result_figure *f,
                  double *ln, size_t *n, struct err *err)
{
    *n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct result *r = &s->session[i];
        int arm = result_arm_named(r, row->arm);
        if (arm < 0)
            continue;
        size_t values = 0;
        double *x = malloc((r->ninvocations + 1) * sizeof *x);
        int rc = x ? result_figure_series(r, arm, f, x, &values, err)
                   : err_set(err, -ENOMEM, "no memory for %zu invocations", r->ninvocations);
        double median = rc ? NAN : stats_median(x, values);
        free(x);
        if (rc)
            return rc;
        if (r->arms[arm].failure || !(median > 0)) {
            row->state = COMPARE_FAILED;
            snprintf(row->note, sizeof row->note, "%s",
                     values && !r->arms[arm].failure ? "the figure is 0" : result_figure_missing(r, arm, f));
            return 0;
        }
        ln[(*n)++] = log(median);
    }
    return 0;
}

static double mean_exp(const double *ln, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ln[i];
    return n ? exp(sum / (double)n) : NAN;
}

/* A trial of each arm from the first invocation that both sessions have it in: each invocation loads other samples. */
static void find_alike(const struct result *ra, int a, const struct result *rb, int b,
                       const struct trial **ta, const struct trial **tb)
{
    *ta = *tb = NULL;
    for (size_t i = 0; !(*ta && *tb) && i < ra->ninvocations && i < rb->ninvocations; i++) {
        *ta = result_trial_of(&ra->invocations[i], a);
        *tb = result_trial_of(&rb->invocations[i], b);
    }
}

const char *compare_delivery_text(enum compare_delivery d)
{
    static const char *const words[COMPARE_DELIVERY_REASONS] = {
        [COMPARE_DELIVERY_SEEDS] = "the seeds of the sessions differ",
        [COMPARE_DELIVERY_UNTOLD] = "a session does not tell what it delivered",
        [COMPARE_DELIVERY_APART] = "the sessions have no invocation in common"};
    return words[d];
}

static enum compare_delivery delivery_of(const struct result *ra, const struct trial *ta,
                                         const struct result *rb, const struct trial *tb)
{
    if (ra->seed != rb->seed)
        return COMPARE_DELIVERY_SEEDS;
    if (!ta || !tb)
        return COMPARE_DELIVERY_APART;
    return result_delivery_told(ta) && result_delivery_told(tb) ? COMPARE_DELIVERY_SAME
                                                                : COMPARE_DELIVERY_UNTOLD;
}

/* Both sides have the arm: did it do the same? */
static void check_same(struct compare_row *row, const struct compare_side *a, const struct compare_side *b)
{
    const struct result *ra = session_with(a, row->arm);
    int first = result_arm_named(ra, row->arm);
    size_t mark;
    for (size_t i = 0; i < b->n; i++) {
        const struct result *rb = &b->session[i];
        int arm = result_arm_named(rb, row->arm);
        if (arm < 0)
            continue;
        const char *what = other_work(&ra->arms[first], &rb->arms[arm]);
        if (what) {
            row->state = COMPARE_OTHER_WORK;
            snprintf(row->note, sizeof row->note, "%s under the same name", what);
            return;
        }
        const struct trial *ta, *tb;
        find_alike(ra, first, rb, arm, &ta, &tb);
        enum compare_delivery delivery = delivery_of(ra, ta, rb, tb);
        row->delivery = row->delivery ? row->delivery : delivery;
        what = delivery == COMPARE_DELIVERY_SAME ? result_delivery_differs(ta, tb, &mark) : NULL;
        if (!what && ta && tb && same(ra->arms[first].subject, rb->arms[arm].subject) &&
            result_delivery_told(ta) && !result_delivery_told(tb)) {
            row->state = COMPARE_OTHER_SAMPLES;
            snprintf(row->note, sizeof row->note,
                     "tells nothing of what it delivered, as the other side does");
            return;
        }
        if (what) {
            row->state = COMPARE_OTHER_SAMPLES;
            snprintf(row->note, sizeof row->note, "delivered %s within the first %lld", what, 1LL << mark);
            return;
        }
    }
}

static int fill_row(struct compare_row *row, const struct compare_side *a, const struct compare_side *b,
                    const struct result_figure *f, double assumed_sd, struct err *err)
{
    row->a = row->b = NAN;
    row->ln = stats_pooled(NULL, 0, NULL, 0, 0);
    if (row->state != COMPARE_KNOWN)
        return 0;
    check_same(row, a, b);
    if (row->state != COMPARE_KNOWN)
        return 0;
    double *x = calloc(a->n + b->n, sizeof *x), *y = x + a->n;
    int rc = x ? gather(a, row, f, x, &row->sessions_a, err) : err_set(err, -ENOMEM, "no memory for a row");
    if (!rc && row->state == COMPARE_KNOWN)
        rc = gather(b, row, f, y, &row->sessions_b, err);
    if (!rc && row->state == COMPARE_KNOWN) {
        row->a = mean_exp(x, row->sessions_a);
        row->b = mean_exp(y, row->sessions_b);
        row->ln = stats_pooled(x, row->sessions_a, y, row->sessions_b, assumed_sd);
        if (f->more_is_better)
            row->ln.difference = -row->ln.difference;
        if (!(row->ln.df > 0)) {
            row->state = COMPARE_ONE_SESSION;
            snprintf(row->note, sizeof row->note,
                     "one session a side: the spread between sessions is not known");
        }
    }
    free(x);
    return rc;
}

/* Appends the arms of a side that the list lacks. */
static void add_arms(struct compare *c, const struct compare_side *s, const struct compare_side *other,
                     enum compare_state alone)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->session[i].narms; k++) {
            const char *name = s->session[i].arms[k].name;
            size_t j = 0;
            while (j < c->n && strcmp(c->row[j].arm, name) != 0)
                j++;
            if (j == c->n)
                c->row[c->n++] = (struct compare_row){
                    .arm = name, .state = session_with(other, name) ? COMPARE_KNOWN : alone};
        }
}

static size_t arms_in(const struct compare_side *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->session[i].narms;
    return n;
}

int compare_create(const struct compare_side *a, const struct compare_side *b, const struct result_figure *f,
                   double assumed_sd, struct compare *out, struct err *err)
{
    *out = (struct compare){.row = calloc(arms_in(a) + arms_in(b) + 1, sizeof *out->row)};
    int rc = out->row ? 0 : err_set(err, -ENOMEM, "no memory for the rows of a comparison");
    if (!rc) {
        add_arms(out, a, b, COMPARE_ONLY_A);
        add_arms(out, b, a, COMPARE_ONLY_B);
    }
    for (size_t i = 0; !rc && i < out->n; i++)
        rc = fill_row(&out->row[i], a, b, f, assumed_sd, err);
    if (rc)
        compare_fini(out);
    return rc;
}

void compare_fini(struct compare *c)
{
    free(c->row);
    *c = (struct compare){0};
}
