/* The scaling law of a line, fitted and drawn. */
#ifndef PLOTS_LAW_H
#define PLOTS_LAW_H

#include "by_workers.h"

/* Fits the universal scalability law to each line with at least four worker counts, for one result with few
 * lines, and draws it dashed over the range that was measured, where its parameters have intervals.
 * scale: base units in one shown. The key tells the parameters and the peak with their intervals
 * (after all looks), or that there is no peak up to twice the most workers measured. */
void law_draw(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
              double scale);

#endif
