/* Fitting and drawing the scaling law; see law.h. */
#include "law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/stats/order_statistic.h"
#include "results/stats/scaling.h"

enum { LEAST_POINTS = 4, MOST_POINTS = 64, MOST_LINES = 4, MOST_INVOCATIONS = 400, STEPS = 60 };

/* Median of an arm's turns in an invocation; NaN when it has none that counts. */
static double cost_in(const struct invocation *inv, int arm)
{
    enum { MOST = 1024 };
    double v[MOST];
    size_t n = 0;
    for (size_t t = 0; !inv->void_reason && t < inv->ntrials; t++)
        for (size_t u = 0; inv->trials[t].arm == arm && u < inv->trials[t].nturns && n < MOST; u++) {
            const struct turn *turn = &inv->trials[t].turns[u];
            if (turn->block > 0 && !turn->void_reason && isfinite(turn->cost_ns))
                v[n++] = turn->cost_ns;
        }
    return stats_median(v, n);
}

/* Arms of a line that have workers, ascending and each count once. */
static size_t points_of(const struct plot_model *m, size_t line, const struct plot_arm *arms[MOST_POINTS],
                        int workers[MOST_POINTS])
{
    size_t n = 0;
    for (size_t i = 0; i < m->narms && n < MOST_POINTS; i++) {
        const struct plot_arm *a = &m->arms[i];
        int w = a->arm->setting.workers;
        if (a->line != line || w < 1 || !plot__measured(a) || (n && workers[n - 1] == w))
            continue;
        arms[n] = a;
        workers[n++] = w;
    }
    return n;
}

static bool fit(const struct plot_model *m, size_t line, struct stats_scaling *law)
{
    const struct plot_arm *arms[MOST_POINTS];
    int workers[MOST_POINTS];
    const struct result *r = m->s[0]->result;
    size_t n = points_of(m, line, arms, workers);
    if (n < LEAST_POINTS || r->ninvocations > MOST_INVOCATIONS)
        return false;
    double *costs = calloc(r->ninvocations * n + 1, sizeof *costs);
    for (size_t i = 0; costs && i < r->ninvocations; i++)
        for (size_t p = 0; p < n; p++)
            costs[i * n + p] = cost_in(&r->invocations[i], arms[p]->index);
    bool fitted = costs && !stats_scaling(workers, n, costs, r->ninvocations,
                                          1 - (1 - m->level) / summary_looks(r), law, NULL);
    free(costs);
    return fitted && law->sigma.ci.known && law->kappa.ci.known && isfinite(law->lambda_per_s.value) &&
           isfinite(law->sigma.value) && isfinite(law->kappa.value);
}

/* A line of the key of its own: "name value (low .. high)" and what is to be said after it. */
static void say_parameter(struct plot_page *page, const char *name, const struct stats_scaling_parameter *p,
                          const char *after)
{
    struct text words = {0};
    int digits = summary_digits(p->value, &p->ci);
    text_addf(&words, "%s %.*g", name, digits, p->value);
    if (p->ci.known)
        text_addf(&words, " (%.*g .. %.*g)", digits, p->ci.low, digits, p->ci.high);
    text_add(&words, after);
    page_element(page, "NaN with points pointtype 0");
    page_key(page, text_get(&words));
    text_fini(&words);
}

/* The parameters and the peak with their intervals; a peak past twice what was measured is no number. */
static void say_fit(struct plot_page *page, const struct stats_scaling *law)
{
    char n[64];
    snprintf(n, sizeof n, ", n = %zu", law->n);
    say_parameter(page, "sigma", &law->sigma, "");
    say_parameter(page, "kappa", &law->kappa, law->peak_beyond ? n : "");
    if (!law->peak_beyond)
        say_parameter(page, "peak at", &law->peak_workers, n);
}

static void draw_curve(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                       size_t line, const struct stats_scaling *law, double scale)
{
    struct text words = {0};
    text_addf(&words, "law of %s", m->lines[line].label);
    size_t block = page_block(page, "x law", text_get(&words)), drawn = 0;
    for (int i = 0; i <= STEPS; i++) {
        double workers = 1 + (law->most_workers - 1) * (double)i / STEPS;
        bool beyond;
        double rate = stats_scaling_rate(law, workers, &beyond);
        if (!isfinite(rate) || rate <= 0)
            continue;
        page_row(page, "%.6g %.9g", workers_axis_at(axis, workers), rate / scale);
        drawn++;
    }
    if (drawn) {
        page_element(
            page,
            "'%s.dat' index %zu using 1:2 with lines linewidth 1.3 dashtype (10,5) linecolor rgb '#%06x'",
            page->plot->name, block, m->lines[line].look.rgb);
        if (law->peak_beyond)
            text_addf(&words, ", no peak up to %d", 2 * law->most_workers);
        page_key(page, text_get(&words));
        say_fit(page, law);
    }
    text_fini(&words);
}

void law_draw(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
              double scale)
{
    if (m->nresults > 1 || m->nlines > MOST_LINES || page->terminal)
        return;
    for (size_t l = 0; l < m->nlines; l++) {
        struct stats_scaling law;
        if (fit(m, l, &law))
            draw_curve(axis, m, page, l, &law, scale);
    }
}
