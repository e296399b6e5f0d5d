/* How options read in the help: flags on the left, wrapped text on the right, 80 columns in all. */
#include "option_kind.h"

#include <string.h>

enum { WIDTH = 79, COLUMN = 30 };

const char *bench_option_argument(const struct bench_option *o)
{
    const char *own = bench__option_kind(o)->arg;
    return !own ? "" : o->arg ? o->arg : own;
}

void bench_option_flags(const struct bench_option *o, struct text *out)
{
    if (o->letter)
        text_addf(out, "-%c, ", o->letter);
    text_addf(out, "--%s", o->name);
}

static void add_range(const struct bench_option *o, const struct bench__kind *kind, struct text *out)
{
    bool bounded = o->min != 0 || o->max != 0;
    if (!kind->ranged || !bounded)
        return;
    kind->format(out, o->min);
    text_add(out, " to ");
    kind->format(out, o->max);
}

void bench_option_limits(const struct bench_option *o, struct text *out)
{
    size_t before = out->len;
    add_range(o, bench__option_kind(o), out);
    for (const struct bench_word *w = o->words; w && w->name; w++)
        text_addf(out, "%s%s", out->len > before ? " or " : "", w->name);
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        text_addf(out, "%s%s", out->len > before ? ", " : "", o->choices[i]);
    const char *initial = o->otherwise ? o->otherwise : o->initial;
    if (initial)
        text_addf(out, "%sdefault %s", out->len > before ? "; " : "", initial);
}

/* The next line of s: up to a newline, or up to the last blank that fits into `room`. */
static size_t line_length(const char *s, size_t room)
{
    size_t best = 0, i = 0, columns = 0;
    for (; s[i] && s[i] != '\n'; i++) {
        if (s[i] == ' ' && columns <= room)
            best = i;
        columns += ((unsigned char)s[i] & 0xC0) != 0x80;
    }
    return columns <= room || !best ? (columns <= room ? i : strcspn(s, " \n")) : best;
}

static size_t last_line_columns(const struct text *t)
{
    const char *newline = strrchr(text_get(t), '\n');
    return text_columns(newline ? newline + 1 : text_get(t));
}

void bench_wrap(struct text *out, const char *text, size_t indent, size_t width)
{
    size_t have = last_line_columns(out);
    for (;;) {
        size_t n = line_length(text, width > have ? width - have : 1);
        text_add_bytes(out, text, n);
        text += n;
        if (!*text)
            return;
        bool paragraph = *text == '\n';
        text++;
        while (!paragraph && *text == ' ')
            text++;
        text_add(out, "\n");
        if (*text && *text != '\n')
            text_pad_to(out, indent);
        have = indent;
    }
}

static void add_option(const struct bench_option *o, struct text *out)
{
    text_add(out, o->letter ? "  " : "      ");
    bench_option_flags(o, out);
    const char *argument = bench_option_argument(o);
    text_addf(out, "%s%s", *argument ? " " : "", argument);
    if (last_line_columns(out) + 2 > COLUMN)
        text_add(out, "\n");
    text_pad_to(out, COLUMN);
    struct text about = {0}, limits = {0};
    text_add(&about, o->help);
    bench_option_limits(o, &limits);
    if (limits.len)
        text_addf(&about, " (%s)", text_get(&limits));
    bench_wrap(out, text_get(&about), COLUMN, WIDTH);
    text_add(out, "\n");
    out->failed |= about.failed | limits.failed;
    text_fini(&about);
    text_fini(&limits);
}

void bench_options_help(struct bench_options options, struct text *out)
{
    const char *group = "";
    for (size_t i = 0; i < options.n; i++) {
        const struct bench_option *o = &options.item[i];
        if (o->hidden)
            continue;
        const char *own = o->group ? o->group : "Options";
        if (strcmp(group, own))
            text_addf(out, "%s%s:\n", *group ? "\n" : "", own);
        group = own;
        add_option(o, out);
    }
    if (!*group)
        text_add(out, "Options:\n");
    text_add(out, "  -h, --help");
    text_pad_to(out, COLUMN);
    text_add(out, "this text\n");
}
