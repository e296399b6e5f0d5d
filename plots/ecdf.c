/* Item times as cumulative shares: how long does an item take, and its slowest five in a hundred? */
#include <math.h>
#include <stdlib.h>

#include "items.h"
#include "page.h"

enum { KEYS_FOR_ALL = 12 };

static const char *missing(const struct plot_model *m)
{
    return items_any(m) ? NULL : "no item times in the record";
}

static void extent_of_all(const struct plot_model *m, struct histogram *h, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < m->narms; i++) {
        double a, b;
        items_merge(&m->arms[i], h);
        if (!h->total)
            continue;
        items_extent(h, &a, &b);
        *low = fmin(*low, a);
        *high = fmax(*high, b);
    }
}

static size_t write_curve(struct plot_page *page, const struct histogram *h, const char *label, double scale)
{
    double low, high;
    size_t block = page_block(page, "item_time share", label);
    items_extent(h, &low, &high);
    page_row(page, "%.6g 0", low / scale);
    uint64_t sum = 0;
    for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (!h->count[b])
            continue;
        sum += h->count[b];
        double at = fmin((double)histogram_high(b), (double)h->max);
        page_row(page, "%.6g %.6g", fmax(at, low) / scale, (double)sum / (double)h->total);
    }
    return block;
}

static void draw_arm(const struct plot_model *m, struct plot_page *page, const struct plot_arm *a,
                     const struct histogram *h, double scale)
{
    const struct plot_look *look = &m->lines[a->line].look;
    size_t block = write_curve(page, h, a->label, scale);
    if (page->terminal) {
        page_element(page, "'ecdf.dat' index %zu using 1:2 with lines", block);
        page_key(page, a->label);
        return;
    }
    page_element(page,
                 "'ecdf.dat' index %zu using 1:2 with lines linewidth 1.8 linecolor rgb '#%06x' dashtype %d",
                 block, a->rgb, look->dash);
    if (m->narms <= KEYS_FOR_ALL)
        page_key(page, a->label);
    else
        text_add(&page->draw, " notitle");
    size_t p95 = page_block(page, "p95 share", "p95");
    page_row(page, "%.6g 0.95", fmax(1, histogram_quantile(h, 0.95)) / scale);
    page_element(
        page,
        "'ecdf.dat' index %zu using 1:2 with points pointtype %d pointsize 0.9 linecolor rgb '#%06x' notitle",
        p95, look->filled, a->rgb);
}

static void draw_keys_of_lines(const struct plot_model *m, struct plot_page *page)
{
    if (m->narms <= KEYS_FOR_ALL || page->terminal)
        return;
    for (size_t i = 0; i < m->nlines; i++) {
        const struct plot_look *look = &m->lines[i].look;
        page_element(
            page,
            "NaN with linespoints linewidth 1.8 linecolor rgb '#%06x' dashtype %d pointtype %d pointsize 0.9",
            look->rgb, look->dash, look->filled);
        page_key(page, m->lines[i].label);
    }
    text_add(&page->caption, "; lighter: fewer workers");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct histogram *h = calloc(1, sizeof *h);
    double low, high;
    if (!h) {
        page->setup.failed = 1;
        return;
    }
    extent_of_all(m, h, &low, &high);
    struct page_unit unit = page_unit_ns(high);
    struct page_range range = page_axis_log(page, 'x', low / unit.scale, high / unit.scale);
    page_axis_label(page, 'x', "time of an item", unit.name, &range);
    text_add(&page->setup, "set yrange [0:1]\nset ytics (\"0\" 0, \"25 %%\" 0.25, \"50 %%\" 0.5, \"75 %%\" "
                           "0.75, \"95 %%\" 0.95)\n"
                           "set ylabel \"share of items at most as long\" textcolor rgb '" PLOT_INK "'\n");
    for (size_t i = 0; i < m->narms; i++) {
        items_merge(&m->arms[i], h);
        if (h->total)
            draw_arm(m, page, &m->arms[i], h, unit.scale);
    }
    draw_keys_of_lines(m, page);
    text_add(&page->caption, "; points: p95");
    free(h);
}

const struct plot plot_ecdf = {
    .name = "ecdf",
    .title = "How long items take",
    .question = "What share of items takes at most so long, and how slow are the slowest?",
    .alt = "Cumulative share of items over their time, one curve for each setting; a point marks the time "
           "that 95 in "
           "100 items stay within.",
    .missing = missing,
    .draw = draw,
};
