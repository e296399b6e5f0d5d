/* A string that grows: for messages, tables and generated scripts, never in timed code. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

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

/* Pads with spaces until the last line is `columns` display columns wide (UTF-8 aware, one column a code
 * point). */
void text_pad_to(struct text *t, size_t columns);

/* The content, "" when nothing was added. Borrowed: valid until the next call on t. */
const char *text_get(const struct text *t);

/* Hands the content to the caller, who frees it; t is empty afterwards. NULL when memory ran out. */
char *text_take(struct text *t);

void text_fini(struct text *t);

/* The first control character of a UTF-8 string (U+0000 aside, up to U+001F, and U+007F to U+009F), which would begin
 * another line or lead a terminal astray. NULL = there is none. */
const char *text_find_control(const char *s);

/* Display columns of a UTF-8 string, one a code point. */
size_t text_columns(const char *s);

#endif
