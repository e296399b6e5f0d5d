/* Code points of foreign words: what may stand on a line that people read. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/* Next code point of s (not its end); *length is the bytes it took. Overlong forms, surrogates and cut sequences give
 * UTF8_REPLACEMENT and take one byte. */
uint32_t utf8_next(const char *s, size_t *length);

/* Control and line-breaking characters; space of any width; those that take no room (zero width, direction overrides). */
bool utf8_breaks_line(uint32_t c);
bool utf8_is_space(uint32_t c);
bool utf8_is_invisible(uint32_t c);

/* What stands for the next code point of s (not its end) within a line: itself; " " for what breaks lines; U+FFFD for
 * invalid UTF-8; nothing for what is invisible. *out and *n: those bytes. Returns the bytes of s that it took.
 * Owner: *out points into s, or to a constant. */
size_t utf8_line_piece(const char *s, const char **out, size_t *n);

/* The first n bytes of s without a sequence that n cuts at the end: their number. */
size_t utf8_whole(const char *s, size_t n);

#endif
