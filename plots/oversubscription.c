/* Workers x threads as a map: colour and figure are the cost over the best. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* A piece of the border between cells within the budget and cells beyond it. */
struct piece {
    double x[2], y[2];
    bool drawn;
};

static struct piece piece_between(const struct workers_axis *axis, const struct plot_arm *in,
                                  const struct plot_arm *out)
{
    double x = (double)column_of(axis, in), y = (double)in->line;
    double dx = (double)column_of(axis, out) - x, dy = (double)out->line - y;
    if (dy == 0) {
        double at = x + dx - copysign(0.5, dx);
        return (struct piece){{at, at}, {y - 0.5, y + 0.5}, false};
    }
    return (struct piece){{x - 0.5, x + 0.5}, {y + dy / 2, y + dy / 2}, false};
}

static bool are_parted(const struct plot_model *m, const struct workers_axis *axis, const struct plot_arm *in,
                       const struct plot_arm *out)
{
    if (in->over_budget || !out->over_budget || in->result != out->result)
        return false;
    double dx = (double)column_of(axis, out) - (double)column_of(axis, in);
    double dy = (double)out->line - (double)in->line;
    return (dy == 0 && is_next(m, axis, in, out)) || (dx == 0 && fabs(dy) == 1);
}

static size_t find_pieces(const struct plot_model *m, const struct workers_axis *axis, struct piece *out,
                          size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < m->narms; i++)
        for (size_t j = 0; j < m->narms && n < most; j++)
            if (are_parted(m, axis, &m->arms[i], &m->arms[j]))
                out[n++] = piece_between(axis, &m->arms[i], &m->arms[j]);
    return n;
}

/* A piece not drawn yet that ends at x, y; *other: its other end. */
static struct piece *piece_at(struct piece *all, size_t n, double x, double y, int *other)
{
    for (size_t i = 0; i < n; i++)
        for (int end = 0; end < 2; end++)
            if (!all[i].drawn && all[i].x[end] == x && all[i].y[end] == y) {
                *other = 1 - end;
                return &all[i];
            }
    return NULL;
}

/* From the point on, as far as pieces join: one line has proper corners, pieces would have notches. */
static void draw_path(struct plot_page *page, struct piece *all, size_t n, double x, double y)
{
    int end;
    page_row(page, "%g %g", x, y);
    for (struct piece *p; (p = piece_at(all, n, x, y, &end));) {
        p->drawn = true;
        x = p->x[end];
        y = p->y[end];
        page_row(page, "%g %g", x, y);
    }
    page_row(page, "%s", ""); /* the line ends here */
}

/* How many pieces end there. */
static size_t count_at(const struct piece *all, size_t n, double x, double y)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (int end = 0; end < 2; end++)
            count += all[i].x[end] == x && all[i].y[end] == y;
    return count;
}

/* Lines begin at loose ends; what is left then is closed. */
static void add_budget(struct plot_page *page, const struct workers_axis *axis, const struct plot_model *m)
{
    size_t most = 4 * m->narms + 1; /* a cell has four sides */
    struct piece *all = calloc(most, sizeof *all);
    page->setup.failed |= !all;
    size_t n = all ? find_pieces(m, axis, all, most) : 0;
    for (int loose = 1; loose >= 0; loose--)
        for (size_t i = 0; i < n; i++)
            for (int end = 0; end < 2 && !all[i].drawn; end++)
                if (!loose || count_at(all, n, all[i].x[end], all[i].y[end]) == 1)
                    draw_path(page, all, n, all[i].x[end], all[i].y[end]);
    free(all);
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
    page_element(page, "%s %zu using 1:2 with lines linewidth 3.2 linecolor rgb '" PLOT_INK "' notitle", dat,
                 border);
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
    size_t border = page_block(page, "x y", "border of the CPU budget");
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
