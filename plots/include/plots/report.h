/* Everything about results on one page: as a self-contained HTML file, or as Markdown with picture files. */
#ifndef PLOTS_REPORT_H
#define PLOTS_REPORT_H

#include "plots/plot.h"

/* What is concluded from a result, in sentences; whoever prints the table has them. Borrowed; NULL = nothing
 * to say. */
struct report_words {
    const char *recommendation, *ratio, *caveats;
};

/* What doctor found. Borrowed; advice may be NULL. */
struct report_finding {
    const char *level, *check, *text, *advice;
};

/* All-zero means the defaults. */
struct report_options {
    const char *gnuplot;
    double timeout_ns;                     /* both as in struct plot_options */
    const char *scratch;                   /* folder for what gnuplot writes, removed again; NULL = /tmp */
    const struct report_words *words;      /* [n] or NULL */
    const struct report_finding *findings; /* [nfindings] or NULL */
    size_t nfindings;
};

enum { REPORT_MOST_BYTES = 2000000 };

/* One HTML page without any reference to the outside, at most REPORT_MOST_BYTES for 40 settings: pictures
 * and rows that find no room are left out, which the page says. What comes from results is text in it, never
 * markup or script; a content security policy forbids everything but the page's own script.
 * Without gnuplot the page has no pictures; why is in *pictures (may be NULL), and on the page.
 * Errors: -ENOMEM. */
int report_html(const struct summary *const *s, size_t n, const struct report_options *opt, struct text *out,
                struct err *pictures, struct err *err);

/* The same as Markdown. Picture files go to `folder` (made when it is not there) and are linked as
 * `link`/NAME.svg. Errors: -ENOMEM. */
int report_markdown(const struct summary *const *s, size_t n, const struct report_options *opt,
                    const char *folder, const char *link, struct text *out, struct err *pictures,
                    struct err *err);

/* Two parts of it by themselves: the setting to use with what is said of it (words may be NULL), and the table of settings.
 * Memory that ran out is in out->failed. */
void report_markdown_answer(const struct summary *s, const struct report_words *words, struct text *out);
void report_markdown_settings(const struct summary *s, struct text *out);

#endif
