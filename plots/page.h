/* One picture in the making: its gnuplot script, its data, and the words around it. */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model.h"
#include "plots/plot.h"

/* A plot fills this: words into subtitle and caption, settings into setup, rows into data, and what is drawn
 * through page_element or, for several panels, text of its own in draw. */
struct plot_page {
    const struct plot *plot;
    int width, height; /* of the SVG, in pixels; the PNG has twice as many */
    bool terminal;     /* characters: no room, no areas */
    bool panels;       /* several: the settings are made anew for each format */
    int rows;          /* of the terminal, at least */
    struct text subtitle, caption;
    struct text setup, draw, data;
    size_t nblocks, block_rows, nelements, nkeys;
};

void page_init(struct plot_page *page, const struct plot *plot, const struct plot_model *m);
void page_fini(struct plot_page *page);

/* Starts a data set in NAME.dat; the comment says what its columns are. Returns its `index`. */
size_t page_block(struct plot_page *page, const char *columns, const char *about);

/* A row of the current data set, without the newline. NaN is written as gnuplot's "NaN". */
void page_row(struct plot_page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One element of the plot command, after its comma; the first begins the command. */
void page_element(struct plot_page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ` title "..."` for the last element, quoted and cut. */
void page_key(struct plot_page *page, const char *label);

/* Ends the plot command; the next page_element begins another (a further panel). */
void page_panel(struct plot_page *page);

/* What a quantity is shown in. */
struct page_unit {
    double scale;     /* base units in one of these */
    const char *name; /* "ms" */
};

struct page_unit page_unit_ns(double most_ns);
struct page_unit page_unit_rate(double most_per_s);

/* An axis as it was set up. */
struct page_range {
    double low, high;
    bool log;
};

/* Range, tics and scale of an axis for finite values between low and high: from 0, or logarithmic (with tics
 * of its own) where they are more than ten times apart. Equal and zero values get a range too. */
struct page_range page_axis(struct plot_page *page, char axis, double low, double high);

/* The same, always logarithmic; values must be above 0. */
struct page_range page_axis_log(struct plot_page *page, char axis, double low, double high);

/* Label of an axis: "cost of a sample [ms], logarithmic". */
void page_axis_label(struct plot_page *page, char axis, const char *quantity, const char *unit,
                     const struct page_range *range);

/* "23.4 ms", as unit_format_ns, with a true micro sign. */
void page_add_ns(struct text *out, double ns, int digits);

/* 1, 2 or 5 times a power of ten, so that at most about `tics` of them fit into `most`. */
double page_tic_step(double most, int tics);

/* Adds to the caption what the bars are and how many settings lack one; for pictures that draw intervals. */
void page_caption_intervals(struct plot_page *page, const struct plot_model *m);

/* The caption that all share: invocations, what is missing. */
void page_caption_evidence(struct plot_page *page, const struct plot_model *m);

/* The subtitle that all share: the workload, and the machine's budget. */
void page_subtitle_workload(struct plot_page *page, const struct plot_model *m);

/* The whole script for these formats (enum plot_format), into out. */
void page_script(const struct plot_page *page, unsigned formats, struct text *out);

/* Words cleaned and wrapped at spaces to so many columns, with a newline at the end. */
void page_add_wrapped(struct text *out, const char *words, size_t columns);

/* The script for a terminal of that size; title, subtitle and caption are not in it. */
void page_script_terminal(const struct plot_page *page, int columns, int rows, struct text *out);

#endif
