/* Cleaning, cutting and quoting of foreign words; see quote.h. The rule is a short list of what may pass,
 * never a list of what must not. */
#include "quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* Next code point of s; *length is the bytes it took. Overlong forms, surrogates and cut sequences give
 * REPLACEMENT and take one byte. */
static uint32_t decode(const char *s, size_t *length)
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
        return REPLACEMENT;
    uint32_t point = u[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return REPLACEMENT;
        point = point << 6 | (u[i] & 0x3F);
    }
    if (point < least[n] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return REPLACEMENT;
    *length = n;
    return point;
}

static bool breaks_line(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
}

static bool invisible(uint32_t c)
{
    return c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE0FFF) || (c & 0xFFFE) == 0xFFFE;
}

static size_t width(uint32_t c)
{
    if ((c >= 0x300 && c <= 0x36F) || (c >= 0xFE00 && c <= 0xFE0F))
        return 0;
    bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFF);
    return wide ? 2 : 1;
}

void plot__clean(struct text *out, const char *s)
{
    for (size_t n; *s; s += n) {
        uint32_t c = decode(s, &n);
        if (breaks_line(c))
            text_add(out, " ");
        else if (c == REPLACEMENT)
            text_add(out, "\xEF\xBF\xBD");
        else if (!invisible(c))
            text_add_bytes(out, s, n);
    }
}

size_t plot__columns(const char *s)
{
    size_t columns = 0;
    for (size_t n; *s; s += n)
        columns += width(decode(s, &n));
    return columns;
}

/* Bytes of s that fill at most `columns` columns. */
static size_t head_bytes(const char *s, size_t columns)
{
    size_t bytes = 0;
    for (size_t n, used = 0; s[bytes]; bytes += n) {
        used += width(decode(s + bytes, &n));
        if (used > columns)
            break;
    }
    return bytes;
}

void plot__cut(struct text *out, const char *s, size_t columns)
{
    struct text clean = {0};
    plot__clean(&clean, s);
    const char *c = text_get(&clean);
    size_t have = plot__columns(c);
    if (have <= columns || columns < 3) {
        text_add_bytes(out, c, have <= columns ? strlen(c) : head_bytes(c, columns));
    } else {
        size_t tail = (columns - 1) / 3;
        text_add_bytes(out, c, head_bytes(c, columns - 1 - tail));
        text_add(out, "\xE2\x80\xA6");
        const char *rest = c + head_bytes(c, have - tail);
        text_add(out, rest);
    }
    out->failed |= clean.failed;
    text_fini(&clean);
}

/* Bytes that mean nothing to gnuplot inside double quotes, ever; 0x80 and above are UTF-8 that was checked.
 */
static bool stands_for_itself(unsigned char c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr(" .,:;()=+*/_-<>!?|~&[]", c));
}

/* Blocks that the fonts every gnuplot comes with cover: Latin, Greek, Cyrillic, punctuation, arrows, signs. A
 * letter without a glyph makes gnuplot's PNG draw boxes all over the picture. */
static bool has_glyph(uint32_t c)
{
    static const uint32_t blocks[][2] = {{0x20, 0x52F},    {0x1E00, 0x1EFF},          {0x2010, 0x205E},
                                         {0x2070, 0x209C}, {0x20A0, 0x20B5},          {0x2190, 0x22FF},
                                         {0x2500, 0x25FF}, {REPLACEMENT, REPLACEMENT}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c >= blocks[i][0] && c <= blocks[i][1])
            return true;
    return false;
}

static void keep_glyphs(struct text *out, const char *s)
{
    for (size_t n; *s; s += n) {
        uint32_t c = decode(s, &n);
        if (has_glyph(c))
            text_add_bytes(out, s, n);
        else if (breaks_line(c))
            text_add(out, " ");
        else if (!invisible(c))
            text_add(out, "\xEF\xBF\xBD");
    }
}

static void quote(struct text *out, const char *s, size_t columns, bool format)
{
    struct text cut = {0}, drawable = {0};
    keep_glyphs(&drawable, s);
    plot__cut(&cut, text_get(&drawable), columns);
    out->failed |= drawable.failed;
    text_fini(&drawable);
    text_add(out, "\"");
    bool octal = false;
    for (const char *c = text_get(&cut); *c; c++) {
        /* gnuplot 5 reads as many octal digits as there are: a digit begins a literal of its own. */
        if (octal && *c >= '0' && *c <= '7')
            text_add(out, "\".\"");
        octal = !stands_for_itself((unsigned char)*c);
        if (!octal)
            text_add_bytes(out, c, 1);
        else if (format && *c == '%')
            text_add(out, "\\045\\045");
        else
            text_addf(out, "\\%03o", (unsigned)(unsigned char)*c);
    }
    text_add(out, "\"");
    out->failed |= cut.failed;
    text_fini(&cut);
}

void plot__quote(struct text *out, const char *s, size_t columns)
{
    quote(out, s, columns, false);
}

void plot__quote_tic(struct text *out, const char *s, size_t columns)
{
    quote(out, s, columns, true);
}
