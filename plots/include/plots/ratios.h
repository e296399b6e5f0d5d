/* Ratios with intervals, a row each: the outcome of a gate or of a comparison as a forest plot. */
#ifndef PLOTS_RATIOS_H
#define PLOTS_RATIOS_H

#include "plots/plot.h"

/* What a verdict means: its colour and its place in the key. */
enum plot_ratio_kind {
    PLOT_RATIO_GOOD,
    PLOT_RATIO_OPEN,
    PLOT_RATIO_BAD, /* also what could not be compared and should have been */
    PLOT_RATIO_KINDS,
};

struct plot_ratio {
    const char *name;        /* of the row */
    double ratio, low, high; /* worse is above 1; NaN = not known */
    double margin;           /* a fraction; 0 or NaN = none */
    enum plot_ratio_kind kind;
    const char *verdict; /* its word, shown in the row */
};

/* Borrowed, all of it. */
struct plot_ratios {
    const char *file;  /* files are called FILE.gp, FILE.dat, FILE.svg, ... */
    const char *title; /* with the verdict on the whole, if there is one */
    const char *subtitle;
    const char *axis;         /* what is over what: "candidate over baseline" */
    double level;             /* of the intervals */
    const char *const *words; /* [PLOT_RATIO_KINDS] of the key */
    const struct plot_ratio *row;
    size_t n;
};

/* Draws them into opt->dir. Errors: -ENODATA no row, the rest as plot_draw. */
int plot_ratios(const struct plot_ratios *r, const struct plot_options *opt, struct err *err);

#endif
