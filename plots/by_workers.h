/* What the pictures over the number of workers share: the axis, the budget, and a line with intervals for
 * each thread count. */
#ifndef PLOTS_BY_WORKERS_H
#define PLOTS_BY_WORKERS_H

#include "page.h"

/* Positions of worker counts on the x axis: to scale, or one step each where the counts grow too fast. */
struct workers_axis {
    int *counts; /* ascending, each once. Owned */
    size_t n;
    bool to_scale;
};

/* The counts of the arms. n = 0 when memory runs out, which the page notes. */
struct workers_axis workers_axis_init(const struct plot_model *m, struct plot_page *page);

/* Sets range, tics and label of the x axis. */
void workers_axis_set(const struct workers_axis *axis, struct plot_page *page);
void workers_axis_fini(struct workers_axis *axis);

/* Position of `workers`, which may lie between counts or beyond them. */
double workers_axis_at(const struct workers_axis *axis, double workers);

/* A vertical mark where the workers alone are as many as the CPUs, with its words above the frame. */
void workers_axis_budget(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page);

/* What is drawn of an arm. */
typedef struct estimate workers_quantity(const struct plot_model *m, const struct plot_arm *a);

/* Data and elements of all lines: band, line, bars, points; hollow points ask for more CPUs than there are;
 * the recommended setting is ringed. scale: base units in one shown. */
void workers_lines(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                   workers_quantity *quantity, double scale);

/* Lowest and highest value or interval end of the quantity; NaN when there is none. */
void workers_extent(const struct plot_model *m, workers_quantity *quantity, double *low, double *high);

/* The arm that ideal scaling starts from: one worker, on the first line that has it; NULL when there is none
 * or there are several results. */
const struct plot_arm *workers_one(const struct plot_model *m);

/* Workers until which ideal scaling is drawn: the CPUs are used up, or the axis ends; 0 with one = NULL. */
int workers_ideal_end(const struct workers_axis *axis, const struct plot_model *m,
                      const struct plot_arm *one);

#endif
