/* Cost over results, in the order they were measured in, with the levels that lasted and the commits they began with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "palette.h"
#include "results/stats/change_point.h"

enum { RESULTS_LEAST = 3, SEGMENT_LEAST = 3, ARMS_MOST = 12 };
static const double MAGNITUDE = 0.05;

static const char *missing(const struct plot_model *m)
{
    return m->nresults < RESULTS_LEAST ? "it takes three results or more of the same settings" : NULL;
}

/* One setting through all results: NaN where a result lacks it. */
struct course {
    const char *name;
    double *cost, *low, *high; /* [nresults] */
};

static const char *started(const struct summary *s)
{
    return s->result->started ? s->result->started : "";
}

static int by_time(const void *a, const void *b)
{
    return strcmp(started(*(const struct summary *const *)a), started(*(const struct summary *const *)b));
}

static const struct arm_summary *find(const struct summary *s, const char *name)
{
    for (size_t i = 0; i < s->result->narms; i++)
        if (!strcmp(s->result->arms[i].name, name))
            return &s->arms[i];
    return NULL;
}

static void fill(struct course *c, const struct summary *const *sorted, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct arm_summary *a = find(sorted[i], c->name);
        c->cost[i] = a ? a->cost_ns.value : NAN;
        c->low[i] = a && a->cost_ns.ci.known ? a->cost_ns.ci.low : c->cost[i];
        c->high[i] = a && a->cost_ns.ci.known ? a->cost_ns.ci.high : c->cost[i];
    }
}

static void draw_points(struct plot_page *page, const struct course *c, size_t n, double scale, unsigned rgb)
{
    char about[96];
    snprintf(about, sizeof about, "%.90s", c->name);
    size_t block = page_block(page, "result cost low high", about);
    for (size_t i = 0; i < n; i++)
        if (isfinite(c->cost[i]))
            page_row(page, "%zu %.9g %.9g %.9g", i + 1, c->cost[i] / scale, c->low[i] / scale,
                     c->high[i] / scale);
    page_element(page,
                 page->terminal ? "'history.dat' index %zu using 1:2 with points"
                                : "'history.dat' index %zu using 1:2:3:4 with yerrorbars pointtype 7 "
                                  "pointsize 0.7 linewidth 1.2 linecolor rgb '#%06x'",
                 block, rgb);
    page_key(page, c->name);
}

/* Each level as a flat line over the results it lasts for; results that lack the setting are jumped over. */
static void draw_levels(struct plot_page *page, const struct course *c, size_t n, double scale, unsigned rgb)
{
    double *ln = malloc(n * sizeof *ln);
    size_t *at = malloc(n * sizeof *at), count = 0, nsegments = 0;
    struct stats_level_segment *s = calloc(n + 1, sizeof *s);
    for (size_t i = 0; ln && at && i < n; i++)
        if (isfinite(c->cost[i]) && c->cost[i] > 0) {
            at[count] = i;
            ln[count++] = log(c->cost[i]);
        }
    if (s && count && !stats_change_points(ln, count, SEGMENT_LEAST, log1p(MAGNITUDE), s, &nsegments, NULL)) {
        size_t block = page_block(page, "result level", "levels that lasted");
        for (size_t k = 0; k < nsegments; k++) {
            page_row(page, "%zu %.9g", at[s[k].from] + 1, exp(s[k].median) / scale);
            page_row(page, "%zu %.9g", at[s[k].to - 1] + 1, exp(s[k].median) / scale);
            page_row(page, "NaN NaN");
        }
        if (!page->terminal)
            page_element(
                page,
                "'history.dat' index %zu using 1:2 with lines linewidth 2 linecolor rgb '#%06x' notitle",
                block, rgb);
    }
    free(ln);
    free(at);
    free(s);
}

static void draw_courses(struct plot_page *page, const struct plot_model *m,
                         const struct summary *const *sorted, double *figures)
{
    static const unsigned rgb[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xE69F00};
    size_t n = m->nresults;
    const struct result *newest = sorted[n - 1]->result;
    size_t narms = newest->narms < ARMS_MOST ? newest->narms : ARMS_MOST;
    double lowest = INFINITY, highest = 0;
    struct course c = {.cost = figures, .low = figures + n, .high = figures + 2 * n};
    for (size_t a = 0; a < narms; a++) {
        c.name = newest->arms[a].name;
        fill(&c, sorted, n);
        for (size_t i = 0; i < n; i++) {
            lowest = isfinite(c.low[i]) ? fmin(lowest, c.low[i]) : lowest;
            highest = isfinite(c.high[i]) ? fmax(highest, c.high[i]) : highest;
        }
    }
    struct page_unit unit = page_unit_ns(highest);
    struct page_range range = page_axis(page, 'y', lowest / unit.scale, highest / unit.scale);
    page_axis_label(page, 'y', "cost of a sample", unit.name, &range);
    text_addf(&page->setup, "set xrange [0.5:%zu.5]\nset xlabel \"result, in order of time\"\n", n);
    for (size_t a = 0; a < narms; a++) {
        c.name = newest->arms[a].name;
        fill(&c, sorted, n);
        draw_points(page, &c, n, unit.scale, rgb[a % 6]);
        draw_levels(page, &c, n, unit.scale, rgb[a % 6]);
    }
    if (narms < newest->narms)
        text_addf(&page->caption, "; the first %zu of %zu settings", narms, newest->narms);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    const struct summary **sorted = malloc(m->nresults * sizeof *sorted);
    double *figures = malloc(3 * m->nresults * sizeof *figures);
    page_caption_intervals(page, m);
    text_addf(&page->caption, "; lines: levels that lasted for %d results, steps of at least %g %%",
              SEGMENT_LEAST, 100 * MAGNITUDE);
    if (sorted && figures) {
        memcpy(sorted, m->s, m->nresults * sizeof *sorted);
        qsort(sorted, m->nresults, sizeof *sorted, by_time);
        draw_courses(page, m, sorted, figures);
    } else {
        page->setup.failed = 1;
    }
    free(sorted);
    free(figures);
}

const struct plot plot_history = {
    .name = "history",
    .title = "Cost over time",
    .question = "When did the cost of a setting change for good?",
    .alt = "Results from left to right in the order they were measured in; each setting's cost as a point "
           "with its "
           "interval, and a flat line over the results for which a level lasted.",
    .missing = missing,
    .draw = draw,
};
