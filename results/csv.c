/* Writing and strict reading of RFC 4180. */
#include "results/csv.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool needs_quotes(const char *s)
{
    size_t n = strlen(s);
    return strpbrk(s, ",\"\r\n") || (n && (s[0] == ' ' || s[n - 1] == ' '));
}

void csv_field(struct text *out, bool first, const char *value)
{
    if (!first)
        text_add(out, ",");
    if (!needs_quotes(value)) {
        text_add(out, value);
        return;
    }
    text_add(out, "\"");
    for (const char *p = value; *p; p++)
        text_add_bytes(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    text_add(out, "\"");
}

void csv_number(struct text *out, bool first, double value)
{
    if (!first)
        text_add(out, ",");
    if (isfinite(value))
        text_addf(out, "%.17g", value);
}

void csv_end(struct text *out)
{
    text_add(out, "\r\n");
}

/* What ends a field: moves over it. */
static int end_of_field(const char **p)
{
    const char *s = *p;
    if (!*s)
        return 0;
    if (*s == ',') {
        *p = s + 1;
        return ',';
    }
    if (s[0] != '\r' || s[1] != '\n')
        return -EINVAL;
    *p = s + 2;
    return '\n';
}

static int read_quoted(const char **p, struct text *out)
{
    const char *s = *p + 1;
    for (; *s; s++) {
        if (*s == '"' && s[1] != '"')
            break;
        s += *s == '"';
        text_add_bytes(out, s, 1);
    }
    if (*s != '"')
        return -EINVAL;
    *p = s + 1;
    return end_of_field(p);
}

int csv_read(const char **p, struct text *out)
{
    text_fini(out);
    *out = (struct text){0};
    if (**p == '"')
        return read_quoted(p, out);
    size_t n = strcspn(*p, ",\"\r\n");
    text_add_bytes(out, *p, n);
    *p += n;
    return end_of_field(p);
}
