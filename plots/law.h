/* The scaling law of a line, fitted and drawn. */
#ifndef PLOTS_LAW_H
#define PLOTS_LAW_H

#include "by_workers.h"

/* Fits the universal scalability law to each line with at least four worker counts, for one result with few
 * lines, and draws it dashed over the range that was measured, where its parameters have intervals.
 * scale: base units in one shown. Says in the key where the peak is. */
void law_draw(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
              double scale);

#endif
