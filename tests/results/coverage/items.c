/* Quantiles of item times as tune shows them: of an invocation's own items, over invocations, from histograms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "parts.h"
#include "results/histogram.h"
#include "results/summary.h"

enum { INVOCATIONS = 24, ITEMS = 200, QUANTILES = 3 };

static const double quantiles[QUANTILES] = {0.5, 0.95, 0.99};

/* The items of an invocation that has `effect`: 1 ms and, the later they are, the more above it. A histogram keeps the
 * order of invocations, so the median of its quantiles is the quantile at the median effect. */
static void make_items(struct histogram *h, double effect)
{
    memset(h, 0, sizeof *h);
    for (int i = 0; i < ITEMS; i++)
        histogram_add(h, (uint64_t)(1e6 * exp(effect) / (1 - (double)i / (ITEMS + 1))));
}

static void count(const struct result *r, const double *truth, struct tally *t)
{
    struct summary *table;
    if (summary_create(r, 0.95, &table, NULL) < 0)
        abort();
    const struct interval *ci[QUANTILES] = {&table->arms[0].item_p50_ci, &table->arms[0].item_p95_ci,
                                            &table->arms[0].item_p99_ci};
    for (int q = 0; q < QUANTILES; q++)
        tally_interval(&t[q], ci[q]->known, ci[q]->low, ci[q]->high, NAN, truth[q]);
    summary_destroy(table);
}

static void rows(struct suite *s, const struct noise *noise)
{
    struct result r = building_create((struct shape){1, INVOCATIONS, 1, 1});
    struct histogram *h = calloc(INVOCATIONS + 1, sizeof *h);
    struct tally t[QUANTILES] = {{0}};
    double truth[QUANTILES], x[INVOCATIONS];
    if (!h)
        abort();
    make_items(&h[INVOCATIONS], 0);
    for (int q = 0; q < QUANTILES; q++)
        truth[q] = histogram_quantile(&h[INVOCATIONS], quantiles[q]);
    for (size_t i = 0; i < INVOCATIONS; i++)
        building_turn(&r, i, 0, 1, 0)->items = &h[i];
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 8700, k);
        noise_draw(noise, &rng, x, INVOCATIONS);
        for (size_t i = 0; i < INVOCATIONS; i++)
            make_items(&h[i], x[i]);
        count(&r, truth, t);
    }
    for (size_t i = 0; i < INVOCATIONS; i++)
        building_turn(&r, i, 0, 1, 0)->items = NULL;
    result_fini(&r);
    free(h);
    bool independent = noise_is_independent(noise);
    bool mild = noise->kind == NOISE_RECORDED || (noise->kind == NOISE_AR && noise->strength <= 0.5);
    for (int q = 0; q < QUANTILES; q++) {
        char what[64];
        snprintf(what, sizeof what, "p%.0f of %d items, %d invocations", 100 * quantiles[q], ITEMS,
                 INVOCATIONS);
        report_row(s, noise->name, what, 0.95, independent || mild ? ROW_AT_LEAST : ROW_SHOWN,
                   independent ? 0.94 : 0.92, &t[q]);
    }
}

void part_items(struct suite *s, const struct recordings *r)
{
    report_title("Quantiles of item times (95 %)", "covered");
    for (const struct noise *noise = noise_made; noise->name; noise++)
        if (!s->is_short || noise->kind == NOISE_LOGNORMAL || noise->kind == NOISE_AR)
            rows(s, noise);
    const struct noise recorded = {"loaded.csv, 1x1", NOISE_RECORDED, 0, r->rounds[2].ln[0], RECORDED_ROUNDS};
    rows(s, &recorded);
}
