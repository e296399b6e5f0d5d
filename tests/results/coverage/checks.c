/* The statistics beside the main ones: trimmed-mean t, bootstrap-t, the scaling law's parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "results/stats/bootstrap.h"
#include "results/stats/scaling.h"
#include "results/stats/trimmed.h"

enum { N = 24 };

enum { MOST = N * 6 };

/* Differences of two draws: symmetric, so that mean, trimmed mean and median agree on 0. */
static void symmetric(const struct noise *noise, struct counter_rng *rng, double *x, size_t n)
{
    double y[MOST];
    noise_draw(noise, rng, x, n);
    noise_draw(noise, rng, y, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= y[i];
}

/* Neighbours are not joined: it stands beside ratios within blocks, which do not remember. */
static void trimmed_row(struct suite *s, const struct noise *noise)
{
    struct tally t = {.misses = malloc(s->replications * sizeof(double))};
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 4000, k);
        double x[N];
        symmetric(noise, &rng, x, N);
        struct stats_trimmed e = stats_trimmed(x, N, 0.95);
        tally_interval(&t, e.ci.known, e.ci.low, e.ci.high, e.mean, 0);
    }
    report_row(s, noise->name, "trimmed mean t, 24 invocations", 0.95,
               noise->kind == NOISE_AR ? ROW_SHOWN : ROW_AT_LEAST, 0.94, &t);
    free(t.misses);
}

static double mean_of(const size_t *pick, size_t n, const void *data)
{
    const double *x = data;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[pick[i]];
    return sum / (double)n;
}

/* True means: of 0.1 (exp(z) - 1): 0.1 (exp(1/2) - 1). */
static void bootstrap_row(struct suite *s, const struct noise *noise, double truth, size_t n)
{
    struct tally t = {.misses = malloc(s->replications * sizeof(double))};
    size_t replications = s->replications / 2; /* 10,000 n evaluations each */
    for (size_t k = 0; k < replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 5000, k);
        double x[N], value;
        noise_draw(noise, &rng, x, n);
        struct interval ci;
        if (stats_bootstrap_t((struct stats_statistic){mean_of, x}, n, 0.95, k, &value, &ci, NULL) == 0)
            tally_interval(&t, ci.known, ci.low, ci.high, value, truth);
    }
    char what[64];
    snprintf(what, sizeof what, "bootstrap-t of a mean, %zu invocations", n);
    report_row(s, noise->name, what, 0.95, noise->kind == NOISE_NORMAL ? ROW_AT_LEAST : ROW_SHOWN, 0.94, &t);
    free(t.misses);
}

/* Workers one after another, each invocation: what they meet is a series of all of them. */
static void scaling_row(struct suite *s, const struct noise *noise, double scale)
{
    static const int workers[] = {1, 2, 3, 4, 6, 8};
    enum { POINTS = 6 };
    struct tally sigma = {0}, peak = {0};
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 6000, k);
        double cost[N * POINTS];
        symmetric(noise, &rng, cost, N * POINTS);
        for (int i = 0; i < N * POINTS; i++) {
            double w = workers[i % POINTS];
            cost[i] = 1e6 * (1 + 0.05 * (w - 1) + 0.02 * w * (w - 1)) / w * exp(scale * cost[i]);
        }
        struct stats_scaling fit;
        if (stats_scaling(workers, POINTS, cost, N, 0.95, &fit, NULL) < 0)
            continue;
        const struct interval *c = &fit.sigma.ci, *p = &fit.peak_workers.ci;
        tally_interval(&sigma, c->known, c->low, c->high, fit.sigma.value, 0.05);
        tally_event(&peak, p->low <= sqrt(0.95 / 0.02) + 1e-9 && p->high >= sqrt(0.95 / 0.02) - 1e-9);
    }
    char name[64];
    snprintf(name, sizeof name, "%s x %g", noise->name, scale);
    report_row(s, name, "scaling law, sigma, 24 invocations", 0.95, ROW_AT_LEAST, 0.94, &sigma);
    report_row(s, name, "scaling law, peak, 24 invocations", 0.95, ROW_AT_LEAST, 0.94, &peak);
}

void part_checks(struct suite *s, const struct recordings *r)
{
    (void)r;
    report_title("Checks and fits (95 %)", "covered");
    for (const struct noise *noise = noise_made; noise->name; noise++)
        trimmed_row(s, noise);
    bootstrap_row(s, &noise_made[0], 0, 12);
    if (!s->is_short) {
        bootstrap_row(s, &noise_made[0], 0, N);
        bootstrap_row(s, &noise_made[1], 0.1 * (exp(0.5) - 1), N);
    }
    for (const struct noise *noise = noise_made; noise->name; noise++)
        scaling_row(s, noise, 0.1);
    scaling_row(s, &noise_made[0], 0.3);
}
