/* Item times of an arm over all turns that count. */
#ifndef PLOTS_ITEMS_H
#define PLOTS_ITEMS_H

#include "model.h"
#include "results/histogram.h"

/* Merges them into h; h->total is 0 when the record has none. */
void items_merge(const struct plot_arm *a, struct histogram *h);

/* Whether any arm has item times. */
bool items_any(const struct plot_model *m);

/* Shortest and longest item time of a histogram that is not empty, as bucket bounds, at least 1. */
void items_extent(const struct histogram *h, double *low_ns, double *high_ns);

#endif
