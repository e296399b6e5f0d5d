/* A string that grows: for messages, tables and generated scripts, never in timed code. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* All-zero is an empty text. data is always terminated once something was added; out of memory sets `failed`
 * and drops what does not fit, so that a caller checks once, at the end. */
struct text {
    char *data;
    size_t len, cap;
    int failed;
};

void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends s as a part of one line of visible text: valid UTF-8 only (else U+FFFD), control and line-breaking characters
 * become a space, invisible ones (zero width, direction overrides) are left out, and what a CI job's log would take for a
 * command gets a backslash: a colon that begins the line ("::error::"), and the bracket of "##[error]". */
void text_add_line(struct text *t, const char *s);

/* Appends s as one word of the shell's: in single quotes, whatever it holds. */
void text_add_shell(struct text *t, const char *s);

/* As text_addf, for people: each %s is appended as text_add_line does, so that no foreign word (a name, a path, what a
 * subject says) begins a line of its own or speaks to a terminal. fmt knows d, i, u, x, X, c, s, f, g, e with flags, widths,
 * precisions (numbers or *) and the lengths l, ll, z. */
void text_sayf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vsayf(struct text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Pads with spaces until the last line is `columns` display columns wide (UTF-8 aware, one column a code
 * point). */
void text_pad_to(struct text *t, size_t columns);

/* The content, "" when nothing was added. Borrowed: valid until the next call on t. */
const char *text_get(const struct text *t);

/* Hands the content to the caller, who frees it; t is empty afterwards. NULL when memory ran out. */
char *text_take(struct text *t);

void text_fini(struct text *t);

/* The first character of s that would begin another line or lead a terminal astray (utf8_breaks_line). NULL = there is
 * none. */
const char *text_find_control(const char *s);

/* Display columns of a UTF-8 string, one a code point. */
size_t text_columns(const char *s);

#endif
