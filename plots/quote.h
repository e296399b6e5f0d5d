/* Foreign words (names of arms, paths, environment) inside scripts and pictures: nothing in them is ever
 * read as code. */
#ifndef PLOTS_QUOTE_H
#define PLOTS_QUOTE_H

#include <stddef.h>

#include "base/text.h"

/* Appends s, as text_add_line cleans it, in at most `columns` display columns; what is longer loses its middle ("abc…xyz"). */
void plot__cut(struct text *out, const char *s, size_t columns);

/* Appends s, cleaned and cut, as a gnuplot string (literals, joined by dots). Only letters, digits, spaces
 * and a few harmless signs stand as they are, the rest is octal: no quote, backquote, @macro, brace or
 * comment sign can reach gnuplot's parser. The picture shows the words as given where
 * enhanced text is off, but for letters that common fonts lack: they become U+FFFD. */
void plot__quote(struct text *out, const char *s, size_t columns);

/* As plot__quote for a tic label, which gnuplot takes for a printf format: % is doubled. */
void plot__quote_tic(struct text *out, const char *s, size_t columns);

/* Display columns of cleaned text: wide (East Asian) characters count two, combining marks none. */
size_t plot__columns(const char *s);

#endif
