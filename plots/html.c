/* Escaping and encoding; see html.h. */
#include "html.h"

#include <string.h>

#include "quote.h"

void html_add(struct text *out, const char *s)
{
    struct text clean = {0};
    text_add_line(&clean, s);
    for (const char *c = text_get(&clean); *c; c++)
        switch (*c) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        case '\'':
            text_add(out, "&#39;");
            break;
        default:
            text_add_bytes(out, c, 1);
        }
    out->failed |= clean.failed;
    text_fini(&clean);
}

void html_add_lines(struct text *out, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\n");
        struct text line = {0};
        text_add_bytes(&line, s, n);
        html_add(out, text_get(&line));
        out->failed |= line.failed;
        text_fini(&line);
        s += n;
        if (*s) {
            text_add(out, "\n");
            s++;
        }
    }
}

/* Length of an empty group at the beginning of s ("<g ...>", space, "</g>"); 0 = there is none. A '>' within an
 * attribute only makes it be kept. */
static size_t empty_group(const char *s)
{
    if (strncmp(s, "<g ", 3) != 0)
        return 0;
    size_t n = strcspn(s, ">");
    n += s[n] == '>';
    n += strspn(s + n, " \t\n");
    return strncmp(s + n, "</g>", 4) == 0 ? n + 4 : 0;
}

void html_add_slim_svg(struct text *out, const char *svg)
{
    const char *space = " \t\n";
    for (const char *s = svg + strspn(svg, space); *s;) {
        size_t n = empty_group(s);
        if (!n) {
            n = strcspn(s, "\n");
            size_t kept = n;
            while (kept && strchr(space, s[kept - 1]))
                kept--;
            text_add_bytes(out, s, kept);
            text_add(out, "\n");
        }
        s += n;
        s += strspn(s, space);
    }
}

void html_add_base64(struct text *out, const void *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long v = (unsigned long)b[i] << 16;
        v |= i + 1 < n ? (unsigned long)b[i + 1] << 8 : 0;
        v |= i + 2 < n ? b[i + 2] : 0;
        char four[4] = {letters[v >> 18 & 63], letters[v >> 12 & 63], i + 1 < n ? letters[v >> 6 & 63] : '=',
                        i + 2 < n ? letters[v & 63] : '='};
        text_add_bytes(out, four, 4);
    }
}
