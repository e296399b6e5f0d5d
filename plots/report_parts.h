/* What the two kinds of report share: pictures, the table's columns, raw rows. */
#ifndef PLOTS_REPORT_PARTS_H
#define PLOTS_REPORT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "plots/report.h"

/* A column of the table of settings. */
struct report_column {
    const char *head, *help;
    bool left; /* words */
    /* What stands in the cell, plain text. */
    void (*cell)(struct text *t, const struct summary *s, size_t arm);
    double (*sort)(const struct summary *s, size_t arm); /* NULL = by its text */
};

extern const struct report_column report_columns[];
extern const size_t report_ncolumns;

/* "good", "worse", "open": for people, and as a class. */

/* A line of the details of a setting: what it is, and its value; false when there is nothing to say. */
struct report_detail {
    const char *name;
    bool (*add)(struct text *t, const struct summary *s, size_t arm);
};

extern const struct report_detail report_details[];
extern const size_t report_ndetails;

/* Rows as CSV, one a turn, or where that is more than most_bytes one a trial, or the first of those. Says in
 * *what which it is. Shapes: columns in the first line. Source: RFC 4180. */
void report_rows(const struct result *r, size_t most_bytes, struct text *out, const char **what);

/* JSON text with line breaks and indentation; what is no JSON comes out as it is, never worse. */
void report_indent_json(struct text *out, const char *json);

/* Method and caveats in plain words, paragraphs, no markup; NULL-terminated. */
extern const char *const report_method[];

#endif
