/* Workers x threads as a map: colour and figure are the cost over the best. */
#include <math.h>
#include <stdio.h>

#include "by_workers.h"
#include "quote.h"

static struct estimate to_best(const struct plot_model *m, const struct plot_arm *a)
{
    (void)m;
    return a->sum->to_best;
}

static const char *missing(const struct plot_model *m)
{
    double low, high;
    workers_extent(m, to_best, &low, &high);
    return isfinite(high) ? NULL : "no setting was compared with the best";
}

/* Cells stand at whole positions: the columns are the distinct worker counts, never to scale. */
static size_t column_of(const struct workers_axis *axis, const struct plot_arm *a)
{
    size_t i = 0;
    while (i < axis->n && axis->counts[i] != a->arm->setting.workers)
        i++;
    return i;
}

static void set_axes(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page)
{
    text_addf(&page->setup, "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\nset xtics (", (double)axis->n - 0.5,
              (double)m->nlines - 0.5);
    for (size_t i = 0; i < axis->n; i++)
        text_addf(&page->setup, "%s\"%d\" %zu", i ? ", " : "", axis->counts[i], i);
    text_add(&page->setup, ") scale 0\nset ytics (");
    for (size_t i = 0; i < m->nlines; i++) {
        text_add(&page->setup, i ? ", " : "");
        plot__quote_tic(&page->setup, m->lines[i].label, 30);
        text_addf(&page->setup, " %zu", i);
    }
    text_add(&page->setup, ") scale 0\nunset grid\nunset border\nset xlabel \"workers\"\n");
}

static double most_ratio(const struct plot_model *m)
{
    double most = 2;
    for (size_t i = 0; i < m->narms; i++)
        most = fmax(most, m->arms[i].sum->to_best.value);
    return most;
}

/* Small figures where the columns are narrow; none where they would touch. */
static int font_of(const struct workers_axis *axis, const struct plot_page *page, int columns)
{
    double width = (page->width - 260.0) / (double)axis->n / columns;
    return width >= 9 ? 11 : width >= 7.6 ? 9 : width >= 6.6 ? 8 : width >= 5.6 ? 7 : 0;
}

static void add_cell(struct plot_page *page, const struct workers_axis *axis, const struct plot_arm *a,
                     double most, bool interval)
{
    const struct estimate *e = &a->sum->to_best;
    uint32_t rgb = plot__heat(log(e->value) / log(most));
    uint32_t ink = plot__luminance(rgb) > 0.3 ? 0x1f2328 : 0xffffff;
    char range[64] = "";
    if (interval && e->ci.known)
        snprintf(range, sizeof range, "%.2f to %.2f", e->ci.low, e->ci.high);
    const char *before = page->terminal && a->chosen ? "[" : "";
    const char *after = !page->terminal ? "" : a->chosen ? "]" : a->over_budget ? "*" : "";
    page_row(page, "%zu %zu %.9g %.9g %.9g %u %u %d \"%s%.2f%s\" \"%s\"", column_of(axis, a), a->line,
             e->value, e->ci.known ? e->ci.low : NAN, e->ci.known ? e->ci.high : NAN, rgb, ink, a->chosen,
             before, e->value, after, range);
}

/* Nothing was measured between two cells of a row. */
static bool is_next(const struct plot_model *m, const struct workers_axis *axis, const struct plot_arm *a,
                    const struct plot_arm *b)
{
    size_t low = column_of(axis, a), high = column_of(axis, b);
    for (size_t i = 0; i < m->narms; i++) {
        size_t c = column_of(axis, &m->arms[i]);
        if (m->arms[i].line == a->line && ((c > low && c < high) || (c > high && c < low)))
            return false;
    }
    return true;
}

/* Pieces of border between cells within the budget and cells beyond it. */
static void add_budget(struct plot_page *page, const struct workers_axis *axis, const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        for (size_t j = 0; j < m->narms; j++) {
            const struct plot_arm *in = &m->arms[i], *out = &m->arms[j];
            if (in->over_budget || !out->over_budget || in->result != out->result)
                continue;
            double x = (double)column_of(axis, in), y = (double)in->line;
            double dx = (double)column_of(axis, out) - x, dy = (double)out->line - y;
            if (dy == 0 && is_next(m, axis, in, out))
                page_row(page, "%g %g 0 1", x + dx - copysign(0.5, dx), y - 0.5);
            else if (dx == 0 && fabs(dy) == 1)
                page_row(page, "%g %g 1 0", x - 0.5, y + dy / 2);
        }
}

static void draw_cells(struct plot_page *page, size_t cells, size_t border, int figure, int range)
{
    static const char dat[] = "'oversubscription.dat' index";
    if (page->terminal) {
        page_element(page, "%s %zu using 1:2:9 with labels notitle", dat, cells);
        return;
    }
    page_element(page,
                 "%s %zu using 1:2:(0.485):(0.47):6 with boxxyerror linecolor rgb variable fillstyle solid "
                 "noborder notitle",
                 dat, cells);
    page_element(
        page, "%s %zu using 1:2:3:4 with vectors nohead linewidth 3.2 linecolor rgb '" PLOT_INK "' notitle",
        dat, border);
    page_element(page,
                 "%s %zu using ($8 == 1 ? $1 : NaN):2:(0.43):(0.39) with boxxyerror linecolor rgb '" PLOT_INK
                 "' "
                 "linewidth 1.8 fillstyle empty border notitle",
                 dat, cells);
    if (figure)
        page_element(page,
                     "%s %zu using 1:2:9:7 with labels offset character 0,%g textcolor rgb variable font "
                     "\",%d\" notitle",
                     dat, cells, range ? 0.45 : 0.0, figure);
    if (range)
        page_element(
            page,
            "%s %zu using 1:2:10:7 with labels offset character 0,-0.75 textcolor rgb variable font \",%d\" "
            "notitle",
            dat, cells, range > 8 ? 8 : range);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    set_axes(&axis, m, page);
    page->height = 240 + 62 * (int)(m->nlines < 4 ? 4 : m->nlines);
    int figure = font_of(&axis, page, 5), range = font_of(&axis, page, 12);
    size_t cells = page_block(page, "column row ratio low high rgb ink recommended figure interval",
                              "cost over the best");
    for (size_t i = 0; i < m->narms; i++)
        if (isfinite(m->arms[i].sum->to_best.value) && m->arms[i].sum->to_best.value > 0)
            add_cell(page, &axis, &m->arms[i], most_ratio(m), range > 0);
    size_t border = page_block(page, "x y dx dy", "border of the CPU budget");
    add_budget(page, &axis, m);
    draw_cells(page, cells, border, figure, range);
    text_add(&page->caption, page->terminal
                                 ? "; cost over the best setting's; * beyond the CPU budget, [ ] recommended"
                                 : "; figures: cost over the best setting's, interval; thick line: the CPU "
                                   "budget; inner frame: recommended");
    workers_axis_fini(&axis);
}

const struct plot plot_oversubscription = {
    .name = "oversubscription",
    .title = "Cost over the best, by workers and threads",
    .question = "What does it cost to ask for more CPUs than there are, or to leave some idle?",
    .alt = "A map: workers to the right, threads upwards; each cell shows the cost over the best setting's "
           "with its "
           "interval, darker is worse; a thick line is the CPU budget.",
    .missing = missing,
    .draw = draw,
};
