/* Errors as values: see err.h for who owns what. */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/utf8.h"

/* Whatever words are in it, a text is one line (utf8.h). */
static void make_line(struct err *err)
{
    char raw[sizeof err->text];
    size_t len = strlen(err->text), to = 0;
    if (len == sizeof err->text - 1) /* the text may have been cut, and within a character */
        len = utf8_whole(err->text, len);
    memcpy(raw, err->text, len);
    raw[len] = '\0';
    for (const char *s = raw; *s;) {
        const char *piece;
        size_t n;
        s += utf8_line_piece(s, &piece, &n);
        if (to + n >= sizeof err->text)
            break;
        memcpy(err->text + to, piece, n);
        to += n;
    }
    err->text[to] = '\0';
}

static void set_text(struct err *err, int code, const char *fmt, va_list ap)
{
    err->code = code;
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    make_line(err);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
    assert(code < 0);
    if (!err || err->code)
        return code;
    va_list ap;
    va_start(ap, fmt);
    set_text(err, code, fmt, ap);
    va_end(ap);
    return code;
}

/* What a user can do about it is the limit's name. */
static void add_limit(struct err *err, int code)
{
    bool files = code == -EMFILE, processes = code == -EAGAIN;
    struct rlimit limit;
    size_t used = strlen(err->text);
    if ((!files && !processes) || getrlimit(files ? RLIMIT_NOFILE : RLIMIT_NPROC, &limit) ||
        limit.rlim_cur == RLIM_INFINITY)
        return;
    snprintf(err->text + used, sizeof err->text - used, " (ulimit -%c is %llu)", files ? 'n' : 'u',
             (unsigned long long)limit.rlim_cur);
}

int err_set_errno(struct err *err, int code, const char *fmt, ...)
{
    assert(code < 0);
    if (!err || err->code)
        return code;
    va_list ap;
    va_start(ap, fmt);
    set_text(err, code, fmt, ap);
    va_end(ap);
    size_t used = strlen(err->text);
    char buf[128];
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror_r(-code, buf, sizeof buf));
    add_limit(err, code);
    return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err || !err->code)
        return 0;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", old);
    make_line(err);
    return err->code;
}
