/* Decoding UTF-8 and cleaning it; see utf8.h. The rule is a short list of what may pass, never a list of what must not.
 */
#include "base/utf8.h"

uint32_t utf8_next(const char *s, size_t *length)
{
    const unsigned char *u = (const unsigned char *)s;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = u[0] < 0x80             ? 1
               : (u[0] & 0xE0) == 0xC0 ? 2
               : (u[0] & 0xF0) == 0xE0 ? 3
               : (u[0] & 0xF8) == 0xF0 ? 4
                                       : 0;
    *length = 1;
    if (n == 1)
        return u[0];
    if (n == 0)
        return UTF8_REPLACEMENT;
    uint32_t point = u[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return UTF8_REPLACEMENT;
        point = point << 6 | (u[i] & 0x3F);
    }
    if (point < least[n] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return UTF8_REPLACEMENT;
    *length = n;
    return point;
}

bool utf8_breaks_line(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
}

bool utf8_is_space(uint32_t c)
{
    return c == ' ' || c == '\t' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool utf8_is_invisible(uint32_t c)
{
    return c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE0FFF) || (c & 0xFFFE) == 0xFFFE;
}

size_t utf8_line_piece(const char *s, const char **out, size_t *n)
{
    size_t took;
    uint32_t c = utf8_next(s, &took);
    if (utf8_breaks_line(c)) {
        *out = " ";
        *n = 1;
    } else if (c == UTF8_REPLACEMENT) {
        *out = "\xEF\xBF\xBD";
        *n = 3;
    } else {
        *out = s;
        *n = utf8_is_invisible(c) ? 0 : took;
    }
    return took;
}

size_t utf8_whole(const char *s, size_t n)
{
    size_t lead = n;
    while (lead && n - lead < 3 && ((unsigned char)s[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (!lead)
        return n;
    unsigned char c = (unsigned char)s[lead - 1];
    size_t wants = c >= 0xF8 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    return wants > n - lead + 1 ? lead - 1 : n;
}
