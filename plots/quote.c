/* Cleaning, cutting and quoting of foreign words; see quote.h. */
#include "quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

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

size_t plot__columns(const char *s)
{
    size_t columns = 0;
    for (size_t n; *s; s += n)
        columns += width(utf8_next(s, &n));
    return columns;
}

/* Bytes of s that fill at most `columns` columns. */
static size_t head_bytes(const char *s, size_t columns)
{
    size_t bytes = 0;
    for (size_t n, used = 0; s[bytes]; bytes += n) {
        used += width(utf8_next(s + bytes, &n));
        if (used > columns)
            break;
    }
    return bytes;
}

void plot__cut(struct text *out, const char *s, size_t columns)
{
    struct text clean = {0};
    text_add_line(&clean, s);
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
    static const uint32_t blocks[][2] = {
        {0x20, 0x52F},    {0x1E00, 0x1EFF}, {0x2010, 0x205E}, {0x2070, 0x209C},
        {0x20A0, 0x20B5}, {0x2190, 0x22FF}, {0x2500, 0x25FF}, {UTF8_REPLACEMENT, UTF8_REPLACEMENT}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c >= blocks[i][0] && c <= blocks[i][1])
            return true;
    return false;
}

static void keep_glyphs(struct text *out, const char *s)
{
    for (size_t n; *s; s += n) {
        uint32_t c = utf8_next(s, &n);
        if (has_glyph(c))
            text_add_bytes(out, s, n);
        else if (utf8_breaks_line(c))
            text_add(out, " ");
        else if (!utf8_is_invisible(c))
            text_add(out, "\xEF\xBF\xBD");
    }
}

/* gnuplot writes words into SVG as they are, between <![CDATA[ and ]]>: theirs must not end it. '\u203A' looks alike. */
static bool ends_cdata(const char *s, const char *c)
{
    return c - s >= 2 && c[-1] == ']' && c[-2] == ']';
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
        if (*c == '>' && ends_cdata(text_get(&cut), c))
            text_add(out, "\xE2\x80\xBA");
        else if (!octal)
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
