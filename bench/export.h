/* Where the result goes in other forms: to files, or instead of the text to standard output. */
#ifndef BENCH_EXPORT_H
#define BENCH_EXPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "results/figure.h"

/* Writes text to the file, made anew; "-" is out. append: behind what the file holds (a CI's summary file). Of a text that
 * does not get there as a whole nothing stays in the file.
 * Errors: of the file, with its path. */
int export_write(const char *path, const struct text *t, bool append, FILE *out, struct err *err);

/* Writes what is said to people to out, and empties t. Errors: -ENOMEM, what of it there is is written all the same. */
int export_print_take(struct text *t, FILE *out, struct err *err);

/* Says a line to people, on standard output or standard error: text_sayf, so that no foreign word breaks it. */
void export_sayf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends o as one piece of JSON and a line break. flags: jansson's. Owner: takes the reference; NULL = memory ran out.
 * Errors: -ENOMEM. */
int export_json_take(struct text *out, json_t *o, size_t flags, struct err *err);

/* Is one of the n paths "-": does an export take the place of the text? */
bool export_takes_output(const char *const *path, size_t n);

/* Appends words to Markdown, as a part of one line: what Markdown or HTML would read as their own is escaped. */
void export_markdown(struct text *t, const char *s);

/* Appends " text |", a cell of a Markdown table. */
void export_cell(struct text *t, const char *s);

/* Appends a figure's value with the unit that its name ends in. */
void export_value(struct text *out, const struct result_figure *f, double value);

#endif
