/* Writing HTML: what comes from outside is text, never markup. */
#ifndef PLOTS_HTML_H
#define PLOTS_HTML_H

#include <stddef.h>

#include "base/text.h"

/* Appends s, cleaned (one line, see quote.h), with & < > " ' as entities: good for text and for quoted
 * attributes. */
void html_add(struct text *out, const char *s);

/* As html_add, line by line: newlines stay. */
void html_add_lines(struct text *out, const char *s);

/* Appends gnuplot's SVG without what draws nothing: groups that hold nothing, and space at the ends of lines. */
void html_add_slim_svg(struct text *out, const char *svg);

/* Source: RFC 4648, section 4. */
void html_add_base64(struct text *out, const void *bytes, size_t n);

#endif
