/* Ratios as a forest plot, a row each: what the kind `forest` and the outcome of a gate or a comparison share. */
#ifndef PLOTS_FOREST_H
#define PLOTS_FOREST_H

#include "page.h"

/* How rows of one standing look, and their words in the key. */
struct forest_look {
    const char *words;
    unsigned rgb;
    int point; /* gnuplot's pt */
};

struct forest_row {
    double value, low, high; /* NaN value: the row has a name and words only; NaN ends: no interval */
    double margin;           /* a band from 1 to 1 + margin; 0 or NaN = none */
    size_t look;
    const char *words; /* at the right end, before the figures; NULL = none */
};

/* Borrowed, all of it. */
struct forest {
    const struct forest_row *row;
    size_t n;
    const struct forest_look *look;
    size_t nlooks;
    const char *axis; /* what the ratio is */
    bool below;       /* the band goes below 1 too, to 1 / (1 + margin) */
};

/* Draws them at y = 0, 1, ...; the page has its rows already (rows.h). NAME.dat gets a data set for each look. */
void forest_draw(struct plot_page *page, const struct forest *f);

#endif
