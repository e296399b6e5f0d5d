/* Pictures of results: each is a gnuplot script and its data, which a person can change and redraw, and what
 * gnuplot made of them. */
#ifndef PLOTS_PLOT_H
#define PLOTS_PLOT_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "results/summary.h"

enum plot_format { PLOT_SVG = 1, PLOT_PNG = 2, PLOT_PDF = 4 };

/* All-zero means the defaults. */
struct plot_options {
    const char *dir;     /* made when it is not there (not its parents); NULL = the current folder */
    unsigned formats;    /* of enum plot_format, or-ed; 0 = SVG and PNG */
    const char *gnuplot; /* program; NULL = "gnuplot", looked for along PATH */
    double timeout_ns;   /* for one run of gnuplot; 0 = 60 s */
    int columns, rows;   /* of the terminal, for plot_terminal; 0 = 80 x 24 */
};

struct plot_model;
struct plot_page;

/* A kind of picture. What people add: one file ending in one of these, and one word in plots/list.h. */
struct plot {
    const char *name;     /* a word for the command line; files are called NAME.gp, NAME.dat, NAME.svg, ... */
    const char *title;    /* over the picture */
    const char *question; /* what it answers, one sentence */
    const char *alt;      /* what is drawn where, for people who cannot see it */

    /* Required. Why it cannot be drawn from these results ("no item times in the record"), or NULL when it
     * can. */
    const char *(*missing)(const struct plot_model *m);

    /* Required. Writes data and commands into the page. Called only when nothing is missing. */
    void (*draw)(const struct plot_model *m, struct plot_page *page);
};

/* All kinds, the main picture first; NULL-terminated. */
extern const struct plot *const plot_list[];

/* Kind of that name, or NULL. */
const struct plot *plot_find(const char *name);

/* Why p cannot be drawn from these results, or NULL when it can. Borrowed: constant. */
const char *plot_missing(const struct plot *p, const struct summary *const *s, size_t n);

/* Writes NAME.gp and NAME.dat into opt->dir and has gnuplot make the pictures of them; `gnuplot NAME.gp` in
 * that folder makes the very same again. Several results are laid over each other. Files of the same name
 * are replaced.
 * Errors: -ENODATA the results lack what it needs, -ENOTSUP no gnuplot or one before 5.2, -EIO gnuplot
 *         failed (its message is in the text), -ETIMEDOUT, -EACCES, -ENOSPC, ... with the path. Script and
 *         data are kept whenever they could be written. */
int plot_draw(const struct plot *p, const struct summary *const *s, size_t n, const struct plot_options *opt,
              struct err *err);

/* As plot_draw, for many kinds with one run of gnuplot: faster. drawn[i] tells which came out; kinds whose
 * data are missing are left out and are no error. The first error is returned, after all the others were
 * tried. Shapes: kinds, drawn: [nkinds]. */
int plot_draw_many(const struct plot *const *kinds, size_t nkinds, const struct summary *const *s, size_t n,
                   const struct plot_options *opt, bool *drawn, struct err *err);

/* Draws in characters, opt->columns by opt->rows, appended to out. Nothing is written to disk but a
 * temporary script that is removed again. Errors: as plot_draw. */
int plot_terminal(const struct plot *p, const struct summary *const *s, size_t n,
                  const struct plot_options *opt, struct text *out, struct err *err);

#endif
