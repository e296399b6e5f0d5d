/* CPU time spent against cost delivered: what oversubscription wastes, and the front of sensible settings. */
#include <math.h>
#include <stdlib.h>

#include "labels.h"
#include "quote.h"

enum { FRAME_LEFT = 90, FRAME_WIDTH = 580, FRAME_HEIGHT = 400, NAME_COLUMNS = 26 };

static bool usable(const struct plot_arm *a)
{
    return plot__measured(a) && isfinite(a->sum->cpu_ns.value);
}

static const char *missing(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (usable(&m->arms[i]))
            return NULL;
    return "no CPU times in the record";
}

static double end_of(const struct estimate *e, bool high)
{
    return !e->ci.known ? e->value : high ? e->ci.high : e->ci.low;
}

/* Not beaten in both by any other arm. */
static bool on_front(const struct plot_model *m, const struct plot_arm *a)
{
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *b = &m->arms[i];
        bool no_worse = usable(b) && b->sum->cpu_ns.value <= a->sum->cpu_ns.value &&
                        b->sum->cost_ns.value <= a->sum->cost_ns.value;
        bool better =
            b->sum->cpu_ns.value < a->sum->cpu_ns.value || b->sum->cost_ns.value < a->sum->cost_ns.value;
        if (no_worse && better)
            return false;
    }
    return true;
}

struct axes {
    struct page_unit cpu_unit, cost_unit;
    struct page_range x, y;
};

static struct axes set_axes(const struct plot_model *m, struct plot_page *page)
{
    double low[2] = {NAN, NAN}, high[2] = {NAN, NAN};
    for (size_t i = 0; i < m->narms; i++)
        if (usable(&m->arms[i])) {
            const struct estimate *e[2] = {&m->arms[i].sum->cpu_ns, &m->arms[i].sum->cost_ns};
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], end_of(e[k], false));
                high[k] = fmax(high[k], end_of(e[k], true));
            }
        }
    struct axes a = {page_unit_ns(high[0]), page_unit_ns(high[1]), {0, 0, false}, {0, 0, false}};
    a.x = page_axis(page, 'x', low[0] / a.cpu_unit.scale, high[0] / a.cpu_unit.scale);
    a.y = page_axis(page, 'y', low[1] / a.cost_unit.scale, high[1] / a.cost_unit.scale);
    page_axis_label(page, 'x', "CPU time of a sample, all processes", a.cpu_unit.name, &a.x);
    page_axis_label(page, 'y', "cost of a sample", a.cost_unit.name, &a.y);
    return a;
}

static double place_on(const struct page_range *r, double v, double pixels)
{
    if (r->log)
        return pixels * log(v / r->low) / log(r->high / r->low);
    return pixels * (v - r->low) / (r->high - r->low);
}

static double value_at(const struct page_range *r, double at, double pixels)
{
    if (r->log)
        return r->low * pow(r->high / r->low, at / pixels);
    return r->low + (r->high - r->low) * at / pixels;
}

/* The arm and its bars in pixels of the frame. */
static struct label_point point_of(const struct plot_arm *a, const struct axes *axes)
{
    const struct estimate *cpu = &a->sum->cpu_ns, *cost = &a->sum->cost_ns;
    double x = axes->cpu_unit.scale, y = axes->cost_unit.scale;
    struct label_point p = {.x = place_on(&axes->x, cpu->value / x, FRAME_WIDTH),
                            .y = place_on(&axes->y, cost->value / y, FRAME_HEIGHT),
                            .radius = a->chosen ? 12 : 5};
    p.left = p.x - place_on(&axes->x, end_of(cpu, false) / x, FRAME_WIDTH);
    p.right = place_on(&axes->x, end_of(cpu, true) / x, FRAME_WIDTH) - p.x;
    p.down = p.y - place_on(&axes->y, end_of(cost, false) / y, FRAME_HEIGHT);
    p.up = place_on(&axes->y, end_of(cost, true) / y, FRAME_HEIGHT) - p.y;
    return p;
}

/* The next arm of the front, to the right; NULL = none. */
static const struct plot_arm *next_on_front(const struct plot_model *m, const struct plot_arm *a)
{
    const struct plot_arm *next = NULL;
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *b = &m->arms[i];
        if (usable(b) && b->sum->cpu_ns.value > a->sum->cpu_ns.value && on_front(m, b) &&
            (!next || b->sum->cpu_ns.value < next->sum->cpu_ns.value))
            next = b;
    }
    return next;
}

/* The front's line counts as bars of its points: down from one, and from below it to the next. */
static void add_front(const struct plot_model *m, struct label_point *points)
{
    for (size_t i = 0; i < m->narms; i++) {
        bool is_on = usable(&m->arms[i]) && on_front(m, &m->arms[i]);
        const struct plot_arm *next = is_on ? next_on_front(m, &m->arms[i]) : NULL;
        if (!next)
            continue;
        struct label_point *a = &points[i], *b = &points[next - m->arms];
        a->down = fmax(a->down, a->y - b->y);
        b->left = fmax(b->left, b->x - a->x);
    }
}

/* Names of the recommended arm and of those on the front, wherever there is room. */
static void add_names(const struct plot_model *m, struct plot_page *page, const struct axes *axes)
{
    struct label_point *points = calloc(m->narms + 1, sizeof *points);
    struct label_place *places = calloc(m->narms + 1, sizeof *places);
    struct text *names = calloc(m->narms + 1, sizeof *names);
    for (size_t i = 0; points && places && names && i < m->narms; i++) {
        const struct plot_arm *a = &m->arms[i];
        points[i].x = points[i].y = -1e6;
        if (!usable(a))
            continue;
        points[i] = point_of(a, axes);
        plot__cut(&names[i], a->label, NAME_COLUMNS);
        if (a->chosen || on_front(m, a) || m->narms <= 12)
            points[i].words = text_get(&names[i]);
    }
    if (points && places && names) {
        add_front(m, points);
        labels_place(points, m->narms, FRAME_WIDTH, FRAME_HEIGHT, 10.5, places);
    } else {
        page->setup.failed = 1;
    }
    for (size_t i = 0; places && names && i < m->narms; i++) {
        if (places[i].placed) {
            text_addf(&page->setup, "set label %zu ", i + 10);
            plot__quote(&page->setup, points[i].words, NAME_COLUMNS);
            text_addf(&page->setup, " at %.6g,%.6g left front font \",9\" textcolor rgb '" PLOT_INK "'\n",
                      value_at(&axes->x, places[i].x, FRAME_WIDTH),
                      value_at(&axes->y, places[i].y, FRAME_HEIGHT));
        }
        text_fini(&names[i]);
    }
    free(points);
    free(places);
    free(names);
}

static int by_cpu(const void *pa, const void *pb)
{
    const struct plot_arm *a = *(const struct plot_arm *const *)pa, *b = *(const struct plot_arm *const *)pb;
    double x = a->sum->cpu_ns.value, y = b->sum->cpu_ns.value;
    return (x > y) - (x < y);
}

static void draw_front(const struct plot_model *m, struct plot_page *page, const struct axes *axes)
{
    const struct plot_arm **front = calloc(m->narms + 1, sizeof *front);
    size_t n = 0;
    for (size_t i = 0; front && i < m->narms; i++)
        if (usable(&m->arms[i]) && on_front(m, &m->arms[i]))
            front[n++] = &m->arms[i];
    size_t block = page_block(page, "cpu cost", "front: no other setting is better in both");
    if (n)
        qsort(front, n, sizeof *front, by_cpu);
    for (size_t i = 0; i < n; i++)
        page_row(page, "%.9g %.9g", front[i]->sum->cpu_ns.value / axes->cpu_unit.scale,
                 front[i]->sum->cost_ns.value / axes->cost_unit.scale);
    if (n > 1) {
        page_element(page,
                     "'tradeoff.dat' index %zu using 1:2 with fsteps linecolor rgb '" PLOT_QUIET
                     "' dashtype 3 "
                     "linewidth 1.4",
                     block);
        page_key(page, "front: none is better in both");
    }
    free(front);
}

static void draw_line(const struct plot_model *m, struct plot_page *page, size_t line,
                      const struct axes *axes)
{
    const struct plot_line *l = &m->lines[line];
    size_t block = page_block(page, "cpu cost cpu_low cpu_high cost_low cost_high rgb over_budget workers",
                              l->label),
           n = 0;
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *a = &m->arms[i];
        if (a->line != line || !usable(a))
            continue;
        double x = axes->cpu_unit.scale, y = axes->cost_unit.scale;
        const struct estimate *cpu = &a->sum->cpu_ns, *cost = &a->sum->cost_ns;
        page_row(page, "%.9g %.9g %.9g %.9g %.9g %.9g %u %d %d", cpu->value / x, cost->value / y,
                 end_of(cpu, false) / x, end_of(cpu, true) / x, end_of(cost, false) / y,
                 end_of(cost, true) / y, a->rgb, a->over_budget, a->arm->setting.workers);
        n++;
    }
    if (!n)
        return;
    if (page->terminal) {
        page_element(page, "'tradeoff.dat' index %zu using 1:2 with points", block);
        page_key(page, l->label);
        return;
    }
    page_element(
        page,
        "'tradeoff.dat' index %zu using 1:2:3:4:5:6:7 with xyerrorbars pointtype 0 linecolor rgb variable "
        "notitle",
        block);
    page_element(
        page,
        "'tradeoff.dat' index %zu using ($8 == 0 ? $1 : NaN):2:7 with points pointtype %d pointsize 1 "
        "linecolor rgb variable notitle",
        block, l->look.filled);
    page_element(
        page,
        "'tradeoff.dat' index %zu using ($8 == 1 ? $1 : NaN):2:7 with points pointtype %d pointsize 1 "
        "linewidth 1.8 linecolor rgb variable notitle",
        block, l->look.hollow);
    page_element(page, "NaN with points pointtype %d pointsize 1 linecolor rgb '#%06x'", l->look.filled,
                 l->look.rgb);
    page_key(page, l->label);
}

static void draw_chosen(const struct plot_model *m, struct plot_page *page, const struct axes *axes)
{
    const char *word = NULL;
    size_t block = page_block(page, "cpu cost", "recommended");
    for (size_t i = 0; i < m->narms; i++)
        if (m->arms[i].chosen && usable(&m->arms[i])) {
            page_row(page, "%.9g %.9g", m->arms[i].sum->cpu_ns.value / axes->cpu_unit.scale,
                     m->arms[i].sum->cost_ns.value / axes->cost_unit.scale);
            word = plot__chosen_word(&m->arms[i]);
        }
    if (!word)
        return;
    page_element(page,
                 "'tradeoff.dat' index %zu using 1:2 with points pointtype 6 pointsize 2.6 linewidth 2 "
                 "linecolor rgb '" PLOT_INK "'",
                 block);
    page_key(page, word);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct axes axes = set_axes(m, page);
    page_caption_intervals(page, m);
    if (!page->terminal) {
        text_addf(&page->setup, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
                  FRAME_LEFT / (double)page->width, (FRAME_LEFT + FRAME_WIDTH) / (double)page->width);
        text_addf(&page->setup, "set key at screen %.4f, graph 1 left top\nset grid xtics ytics\n",
                  (FRAME_LEFT + FRAME_WIDTH + 20) / (double)page->width);
        text_add(&page->caption, "; lighter: fewer workers; hollow: beyond the CPU budget");
        add_names(m, page, &axes);
    }
    draw_front(m, page, &axes);
    for (size_t i = 0; i < m->nlines; i++)
        draw_line(m, page, i, &axes);
    draw_chosen(m, page, &axes);
}

const struct plot plot_tradeoff = {
    .name = "tradeoff",
    .title = "What a lower cost takes in CPU time",
    .question = "How much CPU time does each setting spend for the cost it delivers?",
    .alt = "A point for each setting: CPU time of a sample to the right, cost of a sample upwards, with "
           "intervals in "
           "both; the front of settings that no other beats in both is dotted.",
    .missing = missing,
    .draw = draw,
};
