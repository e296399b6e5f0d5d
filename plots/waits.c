/* What the consumer waits for, a sample: a stacked bar for each setting. */
#include <math.h>
#include <stdio.h>

#include "rows.h"

static double wait_of(const struct plot_arm *a, int cause)
{
    double v = a->sum->wait_ns[cause].value;
    return isfinite(v) && v > 0 ? v : 0;
}

static const char *missing(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
            if (isfinite(m->arms[i].sum->wait_ns[c].value))
                return NULL;
    return "no waits in the record";
}

static double longest(const struct rows *rows)
{
    double most = 0;
    for (size_t i = 0; i < rows->n; i++) {
        double sum = 0;
        for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
            sum += wait_of(rows->arms[i], c);
        most = fmax(most, fmax(sum, rows->arms[i]->sum->cost_ns.value));
    }
    return most;
}

static void draw_cause(const struct rows *rows, struct plot_page *page, int cause, double scale)
{
    size_t block = page_block(page, "row from to", result_wait_names[cause]);
    for (size_t i = 0; i < rows->n; i++) {
        double from = 0;
        for (int c = 0; c < cause; c++)
            from += wait_of(rows->arms[i], c);
        page_row(page, "%zu %.9g %.9g", i, from / scale, (from + wait_of(rows->arms[i], cause)) / scale);
    }
    page_element(page,
                 "'waits.dat' index %zu using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb "
                 "'#%06x' fillstyle solid border linecolor rgb '" PLOT_PAPER "'",
                 block, plot__wait_rgb[cause]);
    char words[64];
    snprintf(words, sizeof words, "%s", result_wait_names[cause]);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    page_key(page, words);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = rows_init(m, page);
    double most = longest(&rows);
    struct page_unit unit = page_unit_ns(most);
    struct page_range range = page_axis(page, 'x', 0, most / unit.scale);
    page_axis_label(page, 'x', "waiting of the consumer for a sample", unit.name, &range);
    text_add(&page->setup, "set key horizontal maxcols 4 width 1 at screen 0.02, graph 1 left bottom\n");
    for (int c = 0; c < RESULT_WAIT_CAUSES; c++)
        draw_cause(&rows, page, c, unit.scale);
    size_t block = page_block(page, "row cost", "cost of a sample");
    for (size_t i = 0; i < rows.n; i++)
        page_row(page, "%zu %.9g", i, rows.arms[i]->sum->cost_ns.value / unit.scale);
    page_element(page,
                 "'waits.dat' index %zu using 2:1:(0):(0.42) with xyerrorbars pointtype 0 linewidth 2 "
                 "linecolor rgb '" PLOT_INK "'",
                 block);
    page_key(page, "cost of a sample");
    rows_fini(&rows);
}

const struct plot plot_waits = {
    .name = "waits",
    .title = "What the consumer waits for",
    .question = "Where does a sample's time go: start-up, computing, head of line, hand-off, pinning?",
    .alt = "A row for each setting: the consumer's waiting for a sample as a bar, stacked by cause; a tick "
           "marks the "
           "whole cost.",
    .missing = missing,
    .draw = draw,
};
