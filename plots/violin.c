/* Item times as shapes: one or several humps, long tails. */
#include <math.h>
#include <stdlib.h>

#include "items.h"
#include "rows.h"

enum { POINTS = 80 };

static const char *missing(const struct plot_model *m)
{
    return items_any(m) ? NULL : "no item times in the record";
}

/* Kernel width on the logarithmic scale: Silverman's rule on the buckets, never below a bucket's width.
 * Source: Silverman (1986), "Density Estimation", equation 3.31. */
static double kernel_width(const struct histogram *h)
{
    double n = (double)h->total, mean = 0, square = 0;
    for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++)
        mean += (double)h->count[b] * log(fmax(1, (double)histogram_low(b))) / n;
    for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
        double d = log(fmax(1, (double)histogram_low(b))) - mean;
        square += (double)h->count[b] * d * d / n;
    }
    double quartiles = log(fmax(1, histogram_quantile(h, 0.75)) / fmax(1, histogram_quantile(h, 0.25)));
    double spread = quartiles > 0 ? fmin(sqrt(square), quartiles / 1.34) : sqrt(square);
    return fmax(0.9 * spread * pow(n, -0.2), 1.0 / HISTOGRAM_STEPS);
}

static double density(const struct histogram *h, double at, double width)
{
    double sum = 0;
    for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++)
        if (h->count[b]) {
            double middle =
                (log(fmax(1, (double)histogram_low(b))) + log(fmax(1, (double)histogram_high(b)))) / 2;
            double z = (at - middle) / width;
            sum += (double)h->count[b] * exp(-z * z / 2);
        }
    return sum;
}

/* The outline: above the row from left to right, and back below it. */
static size_t write_outline(struct plot_page *page, const struct histogram *h, const char *label, size_t row,
                            double scale)
{
    double low, high, most = 0, d[POINTS];
    double width = kernel_width(h);
    items_extent(h, &low, &high);
    double from = log(low) - 2 * width, to = log(high) + 2 * width;
    for (int i = 0; i < POINTS; i++) {
        d[i] = density(h, from + (to - from) * i / (POINTS - 1), width);
        most = fmax(most, d[i]);
    }
    size_t block = page_block(page, "item_time outline", label);
    for (int i = 0; i < 2 * POINTS; i++) {
        int k = i < POINTS ? i : 2 * POINTS - 1 - i;
        double half = 0.42 * d[k] / most;
        page_row(page, "%.6g %.6g", exp(from + (to - from) * k / (POINTS - 1)) / scale,
                 (double)row + (i < POINTS ? -half : half));
    }
    return block;
}

static void draw_row(struct plot_page *page, const struct plot_arm *a, const struct histogram *h, size_t row,
                     double scale, bool first)
{
    size_t block = write_outline(page, h, a->label, row, scale);
    size_t marks = page_block(page, "p50 p95 row", "quantiles");
    page_row(page, "%.6g %.6g %zu", histogram_quantile(h, 0.5) / scale, histogram_quantile(h, 0.95) / scale,
             row);
    page_element(page,
                 "'violin.dat' index %zu using 1:2 with filledcurves closed linecolor rgb '#%06x' fillstyle "
                 "solid 1 noborder notitle",
                 block, a->rgb);
    page_element(
        page,
        "'violin.dat' index %zu using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '" PLOT_PAPER
        "' notitle",
        marks);
    page_element(page,
                 "'violin.dat' index %zu using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 "
                 "linecolor rgb '" PLOT_INK "'",
                 marks);
    if (first)
        page_key(page, "median");
    else
        text_add(&page->draw, " notitle");
    page_element(page,
                 "'violin.dat' index %zu using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 "
                 "linecolor rgb '" PLOT_INK "'",
                 marks);
    if (first)
        page_key(page, "p95");
    else
        text_add(&page->draw, " notitle");
}

static void set_time_axis(const struct rows *rows, struct plot_page *page, struct histogram *h, double *scale)
{
    double low = NAN, high = NAN;
    for (size_t i = 0; i < rows->n; i++) {
        double a, b;
        items_merge(rows->arms[i], h);
        if (!h->total)
            continue;
        items_extent(h, &a, &b);
        double air = exp(2 * kernel_width(h));
        low = fmin(low, a / air);
        high = fmax(high, b * air);
    }
    struct page_unit unit = page_unit_ns(high);
    struct page_range range = page_axis_log(page, 'x', low / unit.scale, high / unit.scale);
    page_axis_label(page, 'x', "time of an item", unit.name, &range);
    *scale = unit.scale;
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct histogram *h = calloc(1, sizeof *h);
    double scale = 1;
    if (!h) {
        page->setup.failed = 1;
        return;
    }
    struct rows rows = rows_init(m, page);
    set_time_axis(&rows, page, h, &scale);
    text_add(&page->setup, "set key horizontal maxcols 3 width 2 at screen 0.02, graph 1 left bottom\n");
    bool first = true;
    for (size_t i = 0; i < rows.n; i++) {
        items_merge(rows.arms[i], h);
        if (!h->total)
            continue;
        draw_row(page, rows.arms[i], h, i, scale, first);
        first = false;
    }
    rows_fini(&rows);
    free(h);
}

const struct plot plot_violin = {
    .name = "violin",
    .title = "How item times are spread",
    .question = "Do items take about the same time, or are there several kinds, or a long tail?",
    .alt = "A row for each setting: the density of its item times as a shape over a logarithmic axis; a dot "
           "marks the "
           "median, a bar the time that 95 in 100 items stay within.",
    .missing = missing,
    .draw = draw,
};
