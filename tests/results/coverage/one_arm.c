/* One arm's cost: the median of invocations with its interval, after the joining of neighbours. */
#include <stdio.h>
#include <stdlib.h>

#include "cells.h"
#include "parts.h"
#include "results/stats/order_statistic.h"

enum { MOST = 96 };

static void row(struct suite *s, const struct noise *noise, size_t n, enum row_rule rule, double required)
{
    struct tally t = {.misses = malloc(s->replications * sizeof(double))};
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 1000 + n, k);
        double x[MOST];
        noise_draw(noise, &rng, x, n);
        struct estimate e;
        if (results__series_estimate(x, n, 0.95, 1, &e, NULL) == 0)
            tally_interval(&t, e.ci.known, e.ci.low, e.ci.high, e.value, 0);
    }
    char what[32];
    snprintf(what, sizeof what, "%zu invocations", n);
    report_row(s, noise->name, what, 0.95, rule, required, &t);
    free(t.misses);
}

/* Promised: 94 % for independent values, 92 % for AR(1) up to 0.5 and recorded series from 24 on. */
static void rows(struct suite *s, const struct noise *noise, bool remembers)
{
    static const size_t sizes[] = {12, 24, 48};
    for (int i = 0; i < 3; i++) {
        if (s->is_short && sizes[i] != 24)
            continue;
        if (noise_is_independent(noise))
            row(s, noise, sizes[i], ROW_AT_LEAST, 0.94);
        else if (remembers && sizes[i] >= 24)
            row(s, noise, sizes[i], ROW_AT_LEAST, 0.92);
        else
            row(s, noise, sizes[i], ROW_SHOWN, 0);
    }
}

static void recorded(struct suite *s, const struct recordings *r, enum noise_kind kind)
{
    static const char *const names[] = {"1x1", "1x2", "2x1", "2x2", "4x1"};
    for (int f = 0; f < 3; f++)
        for (int c = 0; c < RECORDED_CONFIGURATIONS; c++) {
            char name[96];
            snprintf(name, sizeof name, "%s.csv, %s%s", r->rounds[f].name, names[c],
                     kind == NOISE_REGIME ? ", as one regime" : "");
            struct noise noise = {name, kind, 0, r->rounds[f].ln[c], RECORDED_ROUNDS};
            if (kind == NOISE_RECORDED)
                rows(s, &noise, true);
            else
                row(s, &noise, 24, ROW_SHOWN, 0);
        }
}

void part_one_arm(struct suite *s, const struct recordings *r)
{
    report_title("The cost of one arm (95 %)", "covered");
    for (const struct noise *noise = noise_made; noise->name; noise++)
        rows(s, noise, noise->kind == NOISE_AR && noise->strength <= 0.5);
    recorded(s, r, NOISE_RECORDED);
    if (!s->is_short)
        recorded(s, r, NOISE_REGIME);
}

/* The twin that must fail: a series that remembers, taken for independent. */
void part_too_narrow(struct suite *s, const struct recordings *r)
{
    (void)r;
    static const struct noise remembers = {"AR(1) 0.7", NOISE_AR, 0.7, NULL, 0};
    struct tally t = {.misses = malloc(s->replications * sizeof(double))};
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 1000, k);
        double x[24];
        noise_draw(&remembers, &rng, x, 24);
        stats_sort(x, 24);
        struct interval ci = stats_median_interval(x, 24, 0.95);
        tally_interval(&t, ci.known, ci.low, ci.high, (x[11] + x[12]) / 2, 0);
    }
    report_title("An interval that is too narrow", "covered");
    report_row(s, remembers.name, "taken for independent", 0.95, ROW_AT_LEAST, 0.92, &t);
    free(t.misses);
}
