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

/* A picture of one quantity with what it would be if workers shared the work without loss: ideal scaling starts at one
 * worker, on the first line that has it, and ends where the CPUs are used up; it is drawn of one result only. */
struct workers_picture {
    workers_quantity *quantity;
    struct page_unit (*unit)(double most);
    const char *axis;                               /* what the y axis is */
    double (*ideal)(double of_one, double workers); /* value of so many workers */
    int steps;               /* pieces of its line; 0 = one from each count to the next */
    const char *about, *key; /* of ideal scaling: in the data, in the picture */

    /* Optional, NULL = nothing: drawn on top. scale: base units in one shown. */
    void (*more)(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                 double scale);
};

void workers_draw(const struct workers_picture *what, const struct plot_model *m, struct plot_page *page);

#endif
