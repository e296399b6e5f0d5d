/* Pictures over the number of workers; see by_workers.h. */
#include "by_workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quote.h"

static int by_count(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static size_t distinct(int *counts, size_t n)
{
    qsort(counts, n, sizeof *counts, by_count);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || counts[kept - 1] != counts[i])
            counts[kept++] = counts[i];
    return kept;
}

static void set_tics(const struct workers_axis *axis, struct plot_page *page)
{
    size_t every = axis->n > 24 ? (axis->n + 23) / 24 : 1;
    text_add(&page->setup, "set xtics (");
    for (size_t i = 0; i < axis->n; i += every)
        text_addf(&page->setup, "%s\"%d\" %g", i ? ", " : "", axis->counts[i],
                  workers_axis_at(axis, axis->counts[i]));
    text_add(&page->setup, ")\n");
}

struct workers_axis workers_axis_init(const struct plot_model *m, struct plot_page *page)
{
    struct workers_axis axis = {.counts = calloc(m->narms + 1, sizeof *axis.counts)};
    if (!axis.counts) {
        page->setup.failed = 1;
        return axis;
    }
    for (size_t i = 0; i < m->narms; i++)
        axis.counts[i] = m->arms[i].arm->setting.workers;
    axis.n = distinct(axis.counts, m->narms);
    int span = axis.counts[axis.n - 1] - axis.counts[0];
    axis.to_scale = span <= 2 * (int)axis.n;
    return axis;
}

void workers_axis_set(const struct workers_axis *axis, struct plot_page *page)
{
    double low = workers_axis_at(axis, axis->counts[0]);
    double high = workers_axis_at(axis, axis->counts[axis->n - 1]);
    text_addf(&page->setup, "set xrange [%g:%g]\n", low - 0.5, high + 0.5);
    set_tics(axis, page);
    text_addf(&page->setup, "set xlabel \"workers%s%s\" textcolor rgb '" PLOT_INK "'\n",
              axis->counts[0] == 0 ? " (0: the main process loads)" : "",
              axis->to_scale ? "" : ", not to scale");
}

void workers_axis_fini(struct workers_axis *axis)
{
    free(axis->counts);
    *axis = (struct workers_axis){0};
}

double workers_axis_at(const struct workers_axis *axis, double workers)
{
    if (axis->to_scale || axis->n < 2)
        return workers;
    size_t i = 0;
    while (i + 2 < axis->n && workers > axis->counts[i + 1])
        i++;
    double low = axis->counts[i], high = axis->counts[i + 1];
    return (double)i + (workers - low) / (high - low);
}

void workers_axis_budget(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page)
{
    int budget = m->s[0]->result->cpu_budget;
    for (size_t i = 1; i < m->nresults; i++)
        if (m->s[i]->result->cpu_budget != budget)
            return; /* no one mark holds for all */
    if (!axis->n || budget <= 0 || budget > axis->counts[axis->n - 1] || budget < axis->counts[0])
        return;
    double x = workers_axis_at(axis, budget);
    if (!page->terminal)
        text_addf(
            &page->setup,
            "set object 1 rectangle from first %g, graph 0 to graph 1, graph 1 fillcolor rgb '" PLOT_SHADE
            "' fillstyle solid noborder behind\n",
            x);
    text_addf(&page->setup,
              "set arrow 1 from first %g, graph 0 to first %g, graph 1 nohead linewidth 1.2 dashtype (6,4) "
              "linecolor rgb '" PLOT_QUIET "'\n",
              x, x);
    if (page->terminal)
        text_addf(&page->caption, "; |: CPU budget of %d", budget);
    else
        text_addf(
            &page->setup,
            "set label 1 \"CPU budget: %d\" at first %g, graph 1 offset character 0,0.6 center font \",9\" "
            "textcolor rgb '" PLOT_QUIET "'\n",
            budget, x);
}

static double bar_end(const struct estimate *e, bool high)
{
    return !e->ci.known ? e->value : high ? e->ci.high : e->ci.low;
}

void workers_extent(const struct plot_model *m, workers_quantity *quantity, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < m->narms; i++) {
        struct estimate e = quantity(m, &m->arms[i]);
        *low = fmin(*low, bar_end(&e, false));
        *high = fmax(*high, bar_end(&e, true));
    }
}

/* Lines stand beside each other at the same count, so that their bars can be told apart. */
static double aside(const struct plot_model *m, size_t line)
{
    double step = fmin(0.09, 0.6 / (double)m->nlines);
    return step * ((double)line - (double)(m->nlines - 1) / 2);
}

static size_t write_line(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                         size_t line, workers_quantity *quantity, double scale)
{
    struct text about = {0};
    text_addf(&about, "%s", m->lines[line].label);
    size_t block = page_block(page, "x workers value low high over_budget rgb", text_get(&about));
    text_fini(&about);
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *a = &m->arms[i];
        struct estimate e = quantity(m, a);
        if (a->line != line || !isfinite(e.value))
            continue;
        page_row(page, "%.6g %d %.9g %.9g %.9g %d %u",
                 workers_axis_at(axis, a->arm->setting.workers) + aside(m, line), a->arm->setting.workers,
                 e.value / scale, bar_end(&e, false) / scale, bar_end(&e, true) / scale, a->over_budget,
                 a->rgb);
    }
    return block;
}

/* A band says how wide the intervals are all along the line: only where every point has one. */
static bool has_band(const struct plot_model *m, size_t line, workers_quantity *quantity)
{
    for (size_t i = 0; i < m->narms; i++) {
        struct estimate e = quantity(m, &m->arms[i]);
        if (m->arms[i].line == line && isfinite(e.value) && !e.ci.known)
            return false;
    }
    return m->nlines <= 4;
}

static void draw_line(const struct plot_model *m, struct plot_page *page, size_t line, const char *dat,
                      size_t block, bool band)
{
    const struct plot_line *l = &m->lines[line];
    const struct plot_look *k = &l->look;
    double size = m->nlines > 8 ? 0.6 : 0.95;
    if (page->terminal) {
        page_element(page, "'%s' index %zu using 1:3 with linespoints", dat, block);
        page_key(page, l->label);
        return;
    }
    if (band)
        page_element(
            page,
            "'%s' index %zu using 1:4:5 with filledcurves linecolor rgb '#%06x' fillstyle transparent "
            "solid 0.12 noborder notitle",
            dat, block, k->rgb);
    page_element(
        page,
        "'%s' index %zu using 1:3:4:5 with yerrorbars linecolor rgb '#%06x' linewidth 1.4 pointtype 0 "
        "notitle",
        dat, block, k->rgb);
    page_element(page,
                 "'%s' index %zu using 1:3 with lines linecolor rgb '#%06x' linewidth 2 dashtype %d notitle",
                 dat, block, k->rgb, k->dash);
    page_element(page,
                 "'%s' index %zu using 1:3 with points linecolor rgb '" PLOT_PAPER
                 "' pointtype %d pointsize %g "
                 "notitle",
                 dat, block, k->filled, size);
    page_element(page,
                 "'%s' index %zu using 1:($6 == 0 ? $3 : NaN) with points linecolor rgb '#%06x' pointtype %d "
                 "pointsize %g notitle",
                 dat, block, k->rgb, k->filled, size);
    page_element(page,
                 "'%s' index %zu using 1:($6 == 1 ? $3 : NaN) with points linecolor rgb '#%06x' pointtype %d "
                 "pointsize %g linewidth 1.6 notitle",
                 dat, block, k->rgb, k->hollow, size);
    page_element(
        page, "NaN with linespoints linecolor rgb '#%06x' linewidth 2 dashtype %d pointtype %d pointsize %g",
        k->rgb, k->dash, k->filled, size);
    page_key(page, l->label);
}

/* A ring around what each result recommends. */
static void draw_chosen(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                        const char *dat, workers_quantity *quantity, double scale)
{
    size_t block = page_block(page, "x value", "recommended");
    const struct plot_arm *chosen = NULL;
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *a = &m->arms[i];
        struct estimate e = quantity(m, a);
        if (!a->chosen || !isfinite(e.value))
            continue;
        page_row(page, "%.6g %.9g", workers_axis_at(axis, a->arm->setting.workers) + aside(m, a->line),
                 e.value / scale);
        chosen = a;
    }
    if (!chosen)
        return;
    page_element(
        page,
        "'%s' index %zu using 1:2 with points pointtype 6 pointsize 2.6 linewidth 2 linecolor rgb '" PLOT_INK
        "' notitle",
        dat, block);
    page_element(page, "NaN with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb '" PLOT_INK "'");
    struct text words = {0};
    text_add(&words, plot__chosen_word(chosen));
    if (m->nresults == 1)
        text_addf(&words, ": %s", chosen->arm->name ? chosen->arm->name : "");
    page_key(page, text_get(&words));
    text_fini(&words);
}

void workers_lines(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                   workers_quantity *quantity, double scale)
{
    char dat[80];
    snprintf(dat, sizeof dat, "%s.dat", page->plot->name);
    bool any_over = false;
    page_caption_intervals(page, m);
    for (size_t i = 0; i < m->nlines; i++) {
        size_t block = write_line(axis, m, page, i, quantity, scale);
        draw_line(m, page, i, dat, block, has_band(m, i, quantity));
    }
    for (size_t i = 0; i < m->narms; i++)
        any_over |= m->arms[i].over_budget && isfinite(quantity(m, &m->arms[i]).value);
    if (any_over && !page->terminal) {
        page_element(
            page, "NaN with points pointtype 6 pointsize 0.95 linewidth 1.6 linecolor rgb '" PLOT_QUIET "'");
        page_key(page, "hollow: beyond the CPU budget");
    }
    draw_chosen(axis, m, page, dat, quantity, scale);
}

static const struct plot_arm *one_worker(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms && m->nresults == 1; i++)
        if (m->arms[i].arm->setting.workers == 1 && plot__measured(&m->arms[i]))
            return &m->arms[i];
    return NULL;
}

/* Workers until which ideal scaling is drawn: the CPUs are used up, or the axis ends. */
static int ideal_end(const struct workers_axis *axis, const struct plot_model *m, const struct plot_arm *one)
{
    int threads = one->arm->setting.threads > 0 ? one->arm->setting.threads : 1;
    int most = m->s[0]->result->cpu_budget / threads;
    return most < axis->counts[axis->n - 1] ? most : axis->counts[axis->n - 1];
}

static void draw_ideal(const struct workers_picture *what, const struct workers_axis *axis,
                       const struct plot_model *m, struct plot_page *page, double scale)
{
    const struct plot_arm *one = one_worker(m);
    int most = one ? ideal_end(axis, m, one) : 0, steps = what->steps ? what->steps : most - 1;
    if (most < 2 || page->terminal)
        return;
    double of_one = what->quantity(m, one).value;
    size_t block = page_block(page, "x ideal", what->about);
    for (int i = 0; i <= steps; i++) {
        double workers = 1 + (most - 1) * (double)i / steps;
        page_row(page, "%.6g %.9g", workers_axis_at(axis, workers), what->ideal(of_one, workers) / scale);
    }
    page_element(page,
                 "'%s.dat' index %zu using 1:2 with lines linewidth 1.4 dashtype 3 linecolor rgb '" PLOT_QUIET
                 "'",
                 page->plot->name, block);
    page_key(page, what->key);
}

void workers_draw(const struct workers_picture *what, const struct plot_model *m, struct plot_page *page)
{
    double low, high;
    workers_extent(m, what->quantity, &low, &high);
    struct page_unit unit = what->unit(high);
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    workers_axis_set(&axis, page);
    struct page_range range = page_axis(page, 'y', low / unit.scale, high / unit.scale);
    page_axis_label(page, 'y', what->axis, unit.name, &range);
    workers_axis_budget(&axis, m, page);
    draw_ideal(what, &axis, m, page, unit.scale);
    workers_lines(&axis, m, page, what->quantity, unit.scale);
    if (what->more)
        what->more(&axis, m, page, unit.scale);
    workers_axis_fini(&axis);
}
