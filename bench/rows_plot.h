/* The rows of a gate or a comparison as a picture: both write JSON, and the picture is drawn from that, so that it can be
 * drawn later as well, from the file alone. */
#ifndef BENCH_ROWS_PLOT_H
#define BENCH_ROWS_PLOT_H

#include "plots/plot.h"

/* Draws what `gate` or `compare` exported as JSON into opt->dir; `path` is for errors. *name: "gate" or "compare", which
 * the files are called. Errors: -EINVAL no JSON, -ENODATA no rows, and those of plot_ratios. */
int rows_plot(const char *json, const char *path, const struct plot_options *opt, const char **name,
              struct err *err);

/* The same of a file. */
int rows_plot_file(const char *path, const struct plot_options *opt, const char **name, struct err *err);

#endif
