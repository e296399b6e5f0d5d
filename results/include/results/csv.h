/* Comma-separated values as RFC 4180 has them: what a strict reader reads back is what was written. */
#ifndef RESULTS_CSV_H
#define RESULTS_CSV_H

#include <stdbool.h>

#include "base/text.h"

/* Appends one field of a record, with the comma before it when it is not the first: quoted when it holds a comma, a
 * quote, a line break or a space at an end. */
void csv_field(struct text *out, bool first, const char *value);

/* A number that reads back as the same double; empty when it is not finite. */
void csv_number(struct text *out, bool first, double value);

/* Ends the record (CR LF, as the RFC says). */
void csv_end(struct text *out);

/* Reads the next field of text at *p into out (emptied first): returns ',' or '\n' for what ended it, 0 at the end of
 * the text, -EINVAL where it is not RFC 4180: a quote inside a bare field, text after a closing quote, an open quote,
 * a line break that is no CR LF. *p moves behind it. */
int csv_read(const char **p, struct text *out);

#endif
