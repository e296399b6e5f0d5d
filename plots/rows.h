/* Pictures with one row for each measured arm, or for something else that has a name: names at the left, the page as high as they need. */
#ifndef PLOTS_ROWS_H
#define PLOTS_ROWS_H

#include "page.h"

struct rows {
    const struct plot_arm **arms; /* from the top. Owned; the arms are borrowed */
    size_t n;
};

/* A page for n rows with these names: its height, the y range (row i is at y = i, down from the top), the names as y
 * tics. Names are cut to so many columns; NULL = a row without a name. */
void rows_set(struct plot_page *page, const char *const *names, size_t n, size_t columns);

/* Size of the words in a row, for gnuplot. */
int rows_font(size_t n);

/* Rows for arms that have an estimate of cost; sets the page's height, the y range (row i is at y = i, down
 * from the top) and the names as y tics. n = 0 when memory ran out. */
struct rows rows_init(const struct plot_model *m, struct plot_page *page);
void rows_fini(struct rows *rows);

/* Writes the tics again, for further panels: names, or none. */
void rows_names(const struct rows *rows, struct plot_page *page, struct text *out);

#endif
