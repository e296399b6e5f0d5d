/* The smallest slowdown by budget; see sensitivity.h. */
#include "sensitivity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duel.h"
#include "results/stats/power.h"

enum { COMPARISONS_LEAST = 20, DRAWS = 2000 };
static const double SHARE = 0.95;

/* 0: without --budget. */
static const double budgets_s[] = {0, 5, 15, 30, 60};

int sensitivity_add(struct sensitivity *s, const double *ln_ratios, size_t n, double seconds, struct err *err)
{
    if (!n)
        return 0;
    double *ratios = realloc(s->ln_ratios, (s->n + n) * sizeof *ratios);
    s->ln_ratios = ratios ? ratios : s->ln_ratios;
    size_t *group = realloc(s->group, (s->ngroups + 1) * sizeof *group);
    s->group = group ? group : s->group;
    if (!ratios || !group)
        return err_set(err, -ENOMEM, "out of memory for %zu invocations", s->n + n);
    memcpy(s->ln_ratios + s->n, ln_ratios, n * sizeof *ratios);
    s->n += n;
    s->group[s->ngroups++] = n;
    s->seconds += seconds;
    return 0;
}

void sensitivity_fini(struct sensitivity *s)
{
    free(s->ln_ratios);
    free(s->group);
    *s = (struct sensitivity){0};
}

/* Fills n[looks] with what a gate of one row has at its looks; returns how many it comes to. */
static int plan_looks(const struct sensitivity *s, double budget_s, double alpha, int looks, size_t *n)
{
    struct duel d = {.looks = looks, .look = 1, .spend = budget_s > 0};
    int valid = duel_first(alpha, looks, 1);
    double each_s = s->seconds / (double)s->n;
    for (; valid; d.look++) {
        n[d.look - 1] = (size_t)valid;
        if (d.look == looks)
            return looks;
        valid = duel_next(&d, valid, duel_affordable(budget_s, valid * each_s, each_s));
    }
    return d.look - 1;
}

static int add_line(const struct sensitivity *s, double budget_s, double margin, double alpha, int looks,
                    struct text *out, struct err *err)
{
    const struct stats_power_pool pool = {
        .ln_ratios = s->ln_ratios, .group = s->group, .ngroups = s->ngroups};
    size_t n[STATS_POWER_LOOKS_MAX];
    int made = plan_looks(s, budget_s, alpha, looks, n);
    double ln_effect;
    /* a look that is not reached has had its share of alpha all the same */
    int rc = stats_power_smallest(&pool, n, made, alpha * made / looks, SHARE, DRAWS, 1, &ln_effect, err);
    if (rc)
        return rc;
    struct text line = {0};
    if (budget_s > 0)
        text_sayf(&line, "%.0f s", budget_s);
    else
        text_add(&line, "not given");
    text_pad_to(&line, 12);
    for (int k = 0; k < made; k++)
        text_sayf(&line, "%s%zu", k ? ", " : "", n[k]);
    text_pad_to(&line, 30);
    text_sayf(&line, "%.3g %%\n", 100 * ((1 + margin) * exp(ln_effect) - 1));
    text_add(out, text_get(&line));
    text_fini(&line);
    return 0;
}

int sensitivity_table(const struct sensitivity *s, double margin, double alpha, int looks, struct text *out,
                      struct err *err)
{
    if (s->ngroups < COMPARISONS_LEAST)
        return 0;
    text_sayf(out,
              "\nSmallest slowdown that 95 of 100 gates of one row would find, with these %zu invocations of "
              "equal arms\ndrawn anew:\n\n--budget    invocations       slowdown\n",
              s->n);
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof budgets_s / sizeof *budgets_s; i++)
        rc = add_line(s, budgets_s[i], margin, alpha, looks, out, err);
    return rc;
}
