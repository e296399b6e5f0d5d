/* A growing string; see text.h. */
#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static int reserve(struct text *t, size_t more)
{
    if (t->failed)
        return 0;
    if (t->len + more + 1 <= t->cap)
        return 1;
    size_t cap = t->cap ? t->cap : 128;
    while (cap < t->len + more + 1)
        cap *= 2;
    char *data = realloc(t->data, cap);
    if (!data) {
        t->failed = 1;
        return 0;
    }
    t->data = data;
    t->cap = cap;
    return 1;
}

void text_add_bytes(struct text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    memcpy(t->data + t->len, s, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

static void add_formatted(struct text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

const char *text_find_control(const char *s)
{
    for (size_t n; *s; s += n)
        if (utf8_breaks_line(utf8_next(s, &n)))
            return s;
    return NULL;
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_formatted(t, fmt, ap);
    va_end(ap);
}

void text_add_shell(struct text *t, const char *s)
{
    text_add(t, "'");
    for (; *s; s++)
        *s == '\'' ? text_add(t, "'\\''") : text_add_bytes(t, s, 1);
    text_add(t, "'");
}

/* ---- for people ---- */

/* Nothing but space stands in the last line so far. */
static bool begins_line(const struct text *t)
{
    const char *newline = t->len ? memrchr(t->data, '\n', t->len) : NULL;
    const char *p = newline ? newline + 1 : text_get(t);
    for (size_t n; *p; p += n)
        if (!utf8_is_space(utf8_next(p, &n)))
            return false;
    return true;
}

/* "##" and a word of letters, or none: what '[' makes a command of. */
static bool ends_in_marks(const struct text *t)
{
    size_t n = t->len;
    while (n && isalpha((unsigned char)t->data[n - 1]))
        n--;
    return n >= 2 && t->data[n - 1] == '#' && t->data[n - 2] == '#';
}

/* Programs that run jobs take lines of their logs for commands: "::error::", behind space too, and "##[error]" or
 * "##vso[...]" anywhere in a line. Source: docs.github.com, workflow commands; learn.microsoft.com, logging commands. */
static void add_piece_of_line(struct text *t, const char *piece, size_t n)
{
    if ((*piece == ':' && n == 1 && begins_line(t)) || (*piece == '[' && n == 1 && ends_in_marks(t)))
        text_add_bytes(t, "\\", 1);
    text_add_bytes(t, piece, n);
}

void text_add_line(struct text *t, const char *s)
{
    while (*s) {
        const char *piece;
        size_t n;
        s += utf8_line_piece(s, &piece, &n);
        add_piece_of_line(t, piece, n);
    }
}

/* One conversion of a format, with its arguments of width and precision in it. */
struct conversion {
    char spec[64];
    char kind; /* 's', 'd', ... */
    int longs; /* of a whole number: 0 int, 1 long, 2 long long; z counts as l */
};

/* Reads the conversion at *fmt, and goes past it. */
static struct conversion read_conversion(const char **fmt, va_list *ap)
{
    struct conversion c = {.spec = "%"};
    size_t n = 1;
    const char *p = *fmt + 1;
    for (; *p && strchr("-+ #0123456789.*lz", *p); p++) {
        assert(n + 16 < sizeof c.spec);
        c.longs += *p == 'l' || *p == 'z';
        if (*p == '*')
            n += (size_t)snprintf(c.spec + n, sizeof c.spec - n, "%d", va_arg(*ap, int));
        else
            c.spec[n++] = *p;
    }
    assert(*p && strchr("diuxXcsfge", *p));
    c.kind = c.spec[n] = *p;
    *fmt = p + 1;
    return c;
}

/* The argument of a conversion as printf writes it. */
static void add_piece(struct text *t, const char *spec, ...)
{
    va_list ap;
    va_start(ap, spec);
    add_formatted(t, spec, ap);
    va_end(ap);
}

static void add_conversion(struct text *t, const struct conversion *c, va_list *ap)
{
    struct text words = {0};
    /* NOLINTBEGIN(bugprone-branch-clone): the branches differ in the type that is read */
    if (c->kind == 's') {
        add_piece(&words, c->spec, va_arg(*ap, const char *));
        text_add_line(t, text_get(&words));
        t->failed |= words.failed;
        text_fini(&words);
    } else if (strchr("fge", c->kind))
        add_piece(t, c->spec, va_arg(*ap, double));
    else if (c->longs == 2)
        add_piece(t, c->spec, va_arg(*ap, long long));
    else if (c->longs == 1)
        add_piece(t, c->spec, va_arg(*ap, long));
    else
        add_piece(t, c->spec, va_arg(*ap, int));
    /* NOLINTEND(bugprone-branch-clone) */
}

void text_vsayf(struct text *t, const char *fmt, va_list ap)
{
    va_list own;
    va_copy(own, ap);
    while (*fmt) {
        size_t plain = strcspn(fmt, "%");
        text_add_bytes(t, fmt, plain);
        fmt += plain;
        if (fmt[0] == '%' && fmt[1] == '%') {
            text_add_bytes(t, "%", 1);
            fmt += 2;
        } else if (*fmt) {
            struct conversion c = read_conversion(&fmt, &own);
            add_conversion(t, &c, &own);
        }
    }
    va_end(own);
}

void text_sayf(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_vsayf(t, fmt, ap);
    va_end(ap);
}

size_t text_columns(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

void text_pad_to(struct text *t, size_t columns)
{
    const char *line = text_get(t);
    const char *newline = strrchr(line, '\n');
    size_t have = text_columns(newline ? newline + 1 : line);
    for (; have < columns; have++)
        text_add_bytes(t, " ", 1);
}

const char *text_get(const struct text *t)
{
    return t->data ? t->data : "";
}

char *text_take(struct text *t)
{
    char *data = t->failed ? NULL : t->data ? t->data : strdup("");
    if (t->failed)
        free(t->data);
    *t = (struct text){0};
    return data;
}

void text_fini(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}
