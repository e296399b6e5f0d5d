/* Drawing ratios, a row each; see forest.h. */
#include "forest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quote.h"
#include "rows.h"

enum { FIRST_ROW_LABEL = 10, FIGURE_COLUMNS = 27, WORDS_AT = 20, WORDS_COLUMNS = 40 };

static double low_of(const struct forest_row *r)
{
    return isfinite(r->low) ? fmin(r->low, r->value) : r->value;
}

static double high_of(const struct forest_row *r)
{
    return isfinite(r->high) ? fmax(r->high, r->value) : r->value;
}

static bool has_band(const struct forest_row *r)
{
    return r->margin > 0 && isfinite(r->margin);
}

static double band_low(const struct forest *f, const struct forest_row *r)
{
    return f->below && has_band(r) ? 1 / (1 + r->margin) : 1;
}

static void set_axis(struct plot_page *page, const struct forest *f)
{
    double low = 1, high = 1;
    for (size_t i = 0; i < f->n; i++) {
        const struct forest_row *r = &f->row[i];
        low = fmin(fmin(low, band_low(f, r)), isfinite(r->value) ? low_of(r) : 1);
        high = fmax(fmax(high, has_band(r) ? 1 + r->margin : 1), isfinite(r->value) ? high_of(r) : 1);
    }
    if (low > 0 && high / low > 10) {
        page_axis_log(page, 'x', low, high);
    } else {
        double around = fmax(0.04 * (high - low), 0.01);
        text_addf(&page->setup, "set xrange [%.6g:%.6g]\n", low - around, high + around);
    }
    text_addf(&page->setup, "set xlabel \"%s\" textcolor rgb '" PLOT_INK "'\n", f->axis);
}

/* Words of up to WORDS_LETTERS stand side by side; below the title there is room for KEY_LINES lines of them. */
static void set_key(struct plot_page *page, const struct forest *f)
{
    enum { WORDS_LETTERS = 37, KEY_LINES = 2 };
    size_t lines = 0, longest = 0;
    for (size_t look = 0; look < f->nlooks; look++) {
        bool used = false;
        for (size_t i = 0; i < f->n; i++)
            used |= f->row[i].look == look && isfinite(f->row[i].value);
        size_t letters = used ? strlen(f->look[look].words) : 0;
        longest = letters > longest ? letters : longest;
        lines += used;
    }
    int columns = longest > WORDS_LETTERS ? 1 : 2;
    lines = columns == 1 ? lines : (lines + 1) / 2;
    text_addf(&page->setup, "set key horizontal maxcols %d width 2 at screen 0.02, graph 1 left bottom\n",
              columns);
    if (lines > KEY_LINES)
        text_addf(&page->setup, "set tmargin %.4g\n", 6.2 + 1.4 * (double)(lines - KEY_LINES));
}

/* One rectangle for neighbours of the same margin, so that no seams show. */
static void draw_bands(struct plot_page *page, const struct forest *f)
{
    text_add(&page->setup, "set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 1.2 "
                           "linecolor rgb '" PLOT_QUIET "'\n");
    for (size_t i = 0, object = 1; i < f->n && !page->terminal; object++) {
        const struct forest_row *r = &f->row[i];
        size_t end = i + 1;
        while (end < f->n && f->row[end].margin == r->margin)
            end++;
        char top[32] = "graph 1", bottom[32] = "graph 0";
        if (i)
            snprintf(top, sizeof top, "first %g", (double)i - 0.5);
        if (end < f->n)
            snprintf(bottom, sizeof bottom, "first %g", (double)end - 0.5);
        if (has_band(r))
            text_addf(
                &page->setup,
                "set object %zu rectangle from first %.6g, %s to first %.6g, %s fillcolor rgb '#e3f1ec' "
                "fillstyle solid noborder behind\n",
                object, band_low(f, r), bottom, 1 + r->margin, top);
        i = end;
    }
}

static size_t longest_words(const struct forest *f)
{
    size_t most = 0;
    for (size_t i = 0; i < f->n; i++)
        most =
            f->row[i].words && plot__columns(f->row[i].words) > most ? plot__columns(f->row[i].words) : most;
    return most < WORDS_COLUMNS ? most : WORDS_COLUMNS;
}

static void add_row_words(struct plot_page *page, const struct forest *f, size_t i, size_t label)
{
    text_addf(&page->setup, "set label %zu ", label);
    plot__quote(&page->setup, f->row[i].words, WORDS_COLUMNS);
    text_addf(&page->setup,
              " at graph 1.015, first %zu left font \",%d\" textcolor rgb '" PLOT_INK
              "' offset character %d,0\n",
              i, rows_font(f->n) - 1, isfinite(f->row[i].value) ? WORDS_AT : 0);
}

/* The figures at the right end of each row, and what is said of it. */
static void add_figures(struct plot_page *page, const struct forest *f)
{
    size_t words = longest_words(f), label = FIRST_ROW_LABEL;
    if (page->terminal)
        return;
    text_addf(&page->setup, "set rmargin %zu\n", words ? WORDS_AT + 2 + words * 4 / 5 : FIGURE_COLUMNS);
    for (size_t i = 0; i < f->n; i++) {
        const struct forest_row *r = &f->row[i];
        if (isfinite(r->value)) {
            int d = summary_ratio_decimals(r->value, r->low, r->high);
            text_addf(&page->setup, "set label %zu \"%.*f", label++, d, r->value);
            if (isfinite(r->low) && isfinite(r->high))
                text_addf(&page->setup, "  [%.*f, %.*f]", d, r->low, d, r->high);
            text_addf(&page->setup,
                      "\" at graph 1.015, first %zu left font \",%d\" textcolor rgb '" PLOT_INK "'\n", i,
                      rows_font(f->n) - (f->n > 80 ? 0 : 1));
        }
        if (r->words)
            add_row_words(page, f, i, label++);
    }
}

static void draw_look(struct plot_page *page, const struct forest *f, size_t look)
{
    const struct forest_look *l = &f->look[look];
    size_t block = page_block(page, "row ratio low high", l->words), n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct forest_row *r = &f->row[i];
        if (r->look != look || !isfinite(r->value))
            continue;
        page_row(page, "%zu %.9g %.9g %.9g", i, r->value, low_of(r), high_of(r));
        n++;
    }
    if (!n)
        return;
    if (page->terminal)
        page_element(page, "'%s.dat' index %zu using 2:1 with points", page->plot->name, block);
    else
        page_element(page,
                     "'%s.dat' index %zu using 2:1:3:4 with xerrorbars linecolor rgb '#%06x' linewidth 1.8 "
                     "pointtype %d pointsize 0.9",
                     page->plot->name, block, l->rgb, l->point);
    page_key(page, l->words);
}

void forest_draw(struct plot_page *page, const struct forest *f)
{
    set_axis(page, f);
    set_key(page, f);
    draw_bands(page, f);
    add_figures(page, f);
    for (size_t k = 0; k < f->nlooks; k++)
        draw_look(page, f, k);
}
