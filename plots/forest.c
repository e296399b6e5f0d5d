/* Every setting against the best one: ratio with interval, and the margin. */
#include <math.h>
#include <stdio.h>

#include "rows.h"

static const char *missing(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (isfinite(m->arms[i].sum->to_best.value))
            return NULL;
    return "no setting was compared with the best";
}

static double low_of(const struct estimate *e)
{
    return e->ci.known ? fmin(e->ci.low, e->value) : e->value;
}

static double high_of(const struct estimate *e)
{
    return e->ci.known ? fmax(e->ci.high, e->value) : e->value;
}

static const struct {
    enum arm_standing standing;
    const char *words;
    unsigned rgb;
    int point;
} standings[] = {
    {ARM_GOOD, "as good as the best, for sure", 0x009E73, 7},
    {ARM_IN_RACE, "still open", 0x0072B2, 6},
    {ARM_WORSE, "worse by the margin, for sure", 0xD55E00, 5},
};

static void draw_margin(const struct plot_model *m, struct plot_page *page)
{
    double margin = m->s[0]->result->margin;
    for (size_t i = 1; i < m->nresults; i++)
        if (m->s[i]->result->margin != margin)
            return;
    text_add(&page->setup, "set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 1.2 "
                           "linecolor rgb '" PLOT_QUIET "'\n");
    if (!(margin > 0) || page->terminal)
        return;
    text_addf(&page->setup,
              "set object 1 rectangle from first 1, graph 0 to first %.6g, graph 1 fillcolor rgb '#e3f1ec' "
              "fillstyle "
              "solid noborder behind\n",
              1 + margin);
    text_addf(&page->caption, "; green band: within %g %% of the best", margin * 100);
}

/* The figures at the right end of each row. */
static void add_figures(const struct rows *rows, struct plot_page *page)
{
    if (page->terminal)
        return;
    text_add(&page->setup, "set rmargin 27\n");
    for (size_t i = 0; i < rows->n; i++) {
        const struct estimate *e = &rows->arms[i]->sum->to_best;
        if (!isfinite(e->value))
            continue;
        text_addf(&page->setup, "set label %zu \"%.3f", i + 10, e->value);
        if (e->ci.known)
            text_addf(&page->setup, "  [%.3f, %.3f]", e->ci.low, e->ci.high);
        text_addf(&page->setup,
                  "\" at graph 1.015, first %zu left font \",%d\" textcolor rgb '" PLOT_INK "'\n", i,
                  rows->n > 80 ? 7 : 9);
    }
}

static void draw_standing(const struct rows *rows, struct plot_page *page, size_t s)
{
    char about[64];
    snprintf(about, sizeof about, "%s", standings[s].words);
    size_t block = page_block(page, "row ratio low high", about), n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct estimate *e = &rows->arms[i]->sum->to_best;
        if (rows->arms[i]->sum->standing != standings[s].standing || !isfinite(e->value))
            continue;
        page_row(page, "%zu %.9g %.9g %.9g", i, e->value, low_of(e), high_of(e));
        n++;
    }
    if (!n)
        return;
    if (page->terminal) {
        page_element(page, "'forest.dat' index %zu using 2:1 with points", block);
        page_key(page, standings[s].words);
        return;
    }
    page_element(page,
                 "'forest.dat' index %zu using 2:1:3:4 with xerrorbars linecolor rgb '#%06x' linewidth 1.8 "
                 "pointtype %d pointsize 0.9",
                 block, standings[s].rgb, standings[s].point);
    page_key(page, standings[s].words);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = rows_init(m, page);
    page_caption_intervals(page, m);
    double low = 1, high = 1 + m->s[0]->result->margin;
    for (size_t i = 0; i < rows.n; i++) {
        low = fmin(low, low_of(&rows.arms[i]->sum->to_best));
        high = fmax(high, high_of(&rows.arms[i]->sum->to_best));
    }
    if (low > 0 && high / low > 10) {
        page_axis_log(page, 'x', low, high);
    } else {
        double around = fmax(0.04 * (high - low), 0.01);
        text_addf(&page->setup, "set xrange [%.6g:%.6g]\n", low - around, high + around);
    }
    text_add(
        &page->setup,
        "set xlabel \"cost over the cost of the best setting, paired within blocks\" textcolor rgb '" PLOT_INK
        "'\n"
        "set key horizontal maxcols 2 width 2 at graph 0, graph 1 left bottom\n");
    draw_margin(m, page);
    add_figures(&rows, page);
    for (size_t s = 0; s < sizeof standings / sizeof *standings; s++)
        draw_standing(&rows, page, s);
    rows_fini(&rows);
}

const struct plot plot_forest = {
    .name = "forest",
    .title = "Every setting against the best",
    .question = "Which settings are as good as the best, which are surely worse, which are still open?",
    .alt = "A row for each setting: its cost over the best setting's as a point with its interval, against "
           "the band "
           "of the margin.",
    .missing = missing,
    .draw = draw,
};
