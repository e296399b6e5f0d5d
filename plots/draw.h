/* Drawing a page that was made by hand, not by a kind of the list. */
#ifndef PLOTS_DRAW_H
#define PLOTS_DRAW_H

#include "page.h"

/* Writes script and data of the page and has gnuplot draw them. Errors: as plot_draw. */
int plot__draw_page(const struct plot_page *page, const struct plot_options *opt, struct err *err);

#endif
