/* The kinds of options: reading a value, echoing it, and how its limits read. */
#include "option_kind.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/unit.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: beyond it a double skips whole numbers */

static double least(const struct bench_option *o)
{
    return o->min;
}

static double most(const struct bench_option *o, double otherwise)
{
    return o->min == 0 && o->max == 0 ? otherwise : o->max;
}

static int parse_flag(const struct bench_option *o, const char *what, const char *text, void *at,
                      struct err *err)
{
    (void)o;
    bool yes = !text || !strcmp(text, "yes") || !strcmp(text, "true");
    if (!yes && strcmp(text, "no") && strcmp(text, "false"))
        return err_set(err, -EINVAL, "%s: '%s' is neither yes nor no", what, text);
    *(bool *)at = yes;
    return 0;
}

static json_t *echo_flag(const struct bench_option *o, const void *at)
{
    (void)o;
    return json_boolean(*(const bool *)at);
}

static int parse_count(const struct bench_option *o, const char *what, const char *text, void *at,
                       struct err *err)
{
    if (text)
        return unit_parse_int(what, text, 0, (int64_t)most(o, WHOLE_MAX), at, err);
    ++*(int64_t *)at;
    return 0;
}

static int parse_int(const struct bench_option *o, const char *what, const char *text, void *at,
                     struct err *err)
{
    for (const struct bench_word *w = o->words; w && w->name; w++)
        if (!strcmp(w->name, text)) {
            *(int64_t *)at = w->value;
            return 0;
        }
    struct err own = {0};
    int rc = unit_parse_int(what, text, (int64_t)least(o), (int64_t)most(o, WHOLE_MAX), at, &own);
    if (rc == -EINVAL && o->words && o->words->name)
        return err_set(err, rc, "%s: '%s' is neither a whole number nor '%s'", what, text, o->words->name);
    return rc ? err_set(err, rc, "%s", own.text) : 0;
}

static json_t *echo_int_value(const struct bench_option *o, int64_t value)
{
    for (const struct bench_word *w = o->words; w && w->name; w++)
        if (w->value == value)
            return json_string(w->name);
    return json_integer(value);
}

static json_t *echo_int(const struct bench_option *o, const void *at)
{
    return echo_int_value(o, *(const int64_t *)at);
}

static void format_int(struct text *out, double limit)
{
    text_sayf(out, "%.0f", limit);
}

static int parse_real(const struct bench_option *o, const char *what, const char *text, void *at,
                      struct err *err)
{
    return unit_parse_real(what, text, least(o), most(o, HUGE_VAL), at, err);
}

static int parse_duration(const struct bench_option *o, const char *what, const char *text, void *at,
                          struct err *err)
{
    return unit_parse_ns(what, text, least(o), most(o, WHOLE_MAX), at, err);
}

static int parse_ratio(const struct bench_option *o, const char *what, const char *text, void *at,
                       struct err *err)
{
    return unit_parse_ratio(what, text, least(o), most(o, HUGE_VAL), at, err);
}

static json_t *echo_real(const struct bench_option *o, const void *at)
{
    (void)o;
    double value = *(const double *)at;
    return isfinite(value) ? json_real(value) : json_null();
}

static void format_real(struct text *out, double limit)
{
    text_sayf(out, "%g", limit);
}

static void format_duration(struct text *out, double limit)
{
    char buf[UNIT_TEXT];
    text_add(out, unit_format_ns_short(buf, limit));
}

static void format_ratio(struct text *out, double limit)
{
    text_sayf(out, "%g%%", limit * 100);
}

static int parse_bytes(const struct bench_option *o, const char *what, const char *text, void *at,
                       struct err *err)
{
    return unit_parse_bytes(what, text, (int64_t)least(o), (int64_t)most(o, WHOLE_MAX), at, err);
}

static json_t *echo_bytes(const struct bench_option *o, const void *at)
{
    (void)o;
    return json_integer(*(const int64_t *)at);
}

static void format_bytes(struct text *out, double limit)
{
    char buf[UNIT_TEXT];
    text_add(out, unit_format_bytes_short(buf, limit));
}

static int parse_text(const struct bench_option *o, const char *what, const char *text, void *at,
                      struct err *err)
{
    (void)o, (void)what, (void)err;
    *(const char **)at = text;
    return 0;
}

/* Bytes that are no UTF-8 (a file name may have them) are echoed as '?': JSON has no place for them. */
static json_t *echo_string(const char *s)
{
    json_t *value = json_string(s);
    if (value)
        return value;
    char *copy = strdup(s);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

static json_t *echo_text(const struct bench_option *o, const void *at)
{
    (void)o;
    const char *s = *(const char *const *)at;
    return s ? echo_string(s) : json_null();
}

static int find_choice(const struct bench_option *o, const char *what, const char *text, size_t len,
                       struct err *err)
{
    size_t n = 0;
    for (; o->choices[n]; n++)
        if (!strncmp(o->choices[n], text, len) && !o->choices[n][len])
            return (int)n;
    struct text all = {0};
    for (size_t i = 0; i < n; i++)
        text_sayf(&all, "%s%s", i ? ", " : "", o->choices[i]);
    char given[64];
    size_t shown = len < sizeof given - 1 ? len : sizeof given - 1;
    memcpy(given, text, shown);
    given[shown] = '\0';
    int near = name_nearest(given, o->choices, n);
    if (near >= 0)
        err_set(err, -EINVAL, "%s: unknown '%s' (did you mean '%s'?)", what, given, o->choices[near]);
    else
        err_set(err, -EINVAL, "%s: unknown '%s' (known: %s)", what, given, text_get(&all));
    text_fini(&all);
    return -EINVAL;
}

static int parse_choice(const struct bench_option *o, const char *what, const char *text, void *at,
                        struct err *err)
{
    int found = find_choice(o, what, text, strlen(text), err);
    if (found < 0)
        return found;
    *(int *)at = found;
    return 0;
}

static json_t *echo_choice(const struct bench_option *o, const void *at)
{
    return json_string(o->choices[*(const int *)at]);
}

static int add_int(struct bench_ints *list, const char *what, int64_t value, struct err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i] == value)
            return 0;
    if (list->n == BENCH_LIST_MAX)
        return err_set(err, -ERANGE, "%s: more than %d values", what, BENCH_LIST_MAX);
    int64_t *item = realloc(list->item, (list->n + 1) * sizeof *item);
    if (!item)
        return err_set(err, -ENOMEM, "%s: out of memory", what);
    list->item = item;
    item[list->n++] = value;
    return 0;
}

/* One piece of a list: "4", "all", "0-4", "0-16:4". A '-' in front is a sign. */
static int add_piece(const struct bench_option *o, const char *what, char *piece, struct bench_ints *list,
                     struct err *err)
{
    char *dash = piece[0] ? strchr(piece + 1, '-') : NULL;
    int64_t from, to, step = 1;
    if (!dash) {
        int rc = parse_int(o, what, piece, &from, err);
        return rc ? rc : add_int(list, what, from, err);
    }
    char *colon = strchr(dash + 1, ':');
    *dash = '\0';
    if (colon)
        *colon = '\0';
    int rc = parse_int(o, what, piece, &from, err);
    if (!rc)
        rc = parse_int(o, what, dash + 1, &to, err);
    if (!rc && colon)
        rc = unit_parse_int(what, colon + 1, 1, (int64_t)WHOLE_MAX, &step, err);
    if (!rc && from > to)
        rc = err_set(err, -EINVAL, "%s: the range %s-%s runs backwards", what, piece, dash + 1);
    for (int64_t i = from; !rc && i <= to; i += step)
        rc = add_int(list, what, i, err);
    return rc;
}

static int parse_ints(const struct bench_option *o, const char *what, const char *text, void *at,
                      struct err *err)
{
    struct bench_ints list = {0}, *out = at;
    char *copy = strdup(text);
    int rc = copy ? 0 : err_set(err, -ENOMEM, "%s: out of memory", what);
    for (char *rest = copy, *piece; !rc && (piece = strsep(&rest, ","));)
        rc = add_piece(o, what, piece, &list, err);
    free(copy);
    if (rc) {
        free(list.item);
        return rc;
    }
    free(out->item);
    *out = list;
    return 0;
}

static json_t *echo_ints(const struct bench_option *o, const void *at)
{
    const struct bench_ints *list = at;
    json_t *array = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(array, echo_int_value(o, list->item[i]));
    return array;
}

static void fini_ints(void *at)
{
    struct bench_ints *list = at;
    free(list->item);
    *list = (struct bench_ints){0};
}

static void fini_words(void *at)
{
    struct bench_words *list = at;
    for (size_t i = 0; i < list->n; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct bench_words){0};
}

static int add_word(struct bench_words *list, const char *what, const char *word, size_t len, struct err *err)
{
    if (list->n == BENCH_LIST_MAX)
        return err_set(err, -ERANGE, "%s: more than %d values", what, BENCH_LIST_MAX);
    char **item = realloc(list->item, (list->n + 1) * sizeof *item);
    if (item)
        list->item = item;
    char *copy = item ? strndup(word, len) : NULL;
    if (!copy)
        return err_set(err, -ENOMEM, "%s: out of memory", what);
    item[list->n++] = copy;
    return 0;
}

static bool has_word(const struct bench_words *list, const char *word, size_t len)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strncmp(list->item[i], word, len) && !list->item[i][len])
            return true;
    return false;
}

/* Up to the next comma; in lists of numbers a comma before a digit goes on with the list. */
static size_t word_length(const struct bench_option *o, const char *word)
{
    size_t len = strcspn(word, ",");
    bool list = o->number_lists && (isdigit((unsigned char)*word) || memchr(word, ':', len));
    while (list && word[len] && isdigit((unsigned char)word[len + 1]))
        len += 1 + strcspn(word + len + 1, ",");
    return len;
}

static int parse_words(const struct bench_option *o, const char *what, const char *text, void *at,
                       struct err *err)
{
    struct bench_words list = {0}, *out = at;
    int rc = 0;
    for (const char *word = text; !rc && word;) {
        size_t len = word_length(o, word);
        if (!len)
            rc = err_set(err, -EINVAL, "%s: '%s' has an empty word", what, text);
        else if (o->choices && find_choice(o, what, word, len, err) < 0)
            rc = -EINVAL;
        else if (!has_word(&list, word, len))
            rc = add_word(&list, what, word, len, err);
        word = word[len] ? word + len + 1 : NULL;
    }
    if (rc) {
        fini_words(&list);
        return rc;
    }
    fini_words(out);
    *out = list;
    return 0;
}

static int parse_tuple(const struct bench_option *o, const char *what, const char *text, void *at,
                       struct err *err)
{
    (void)o;
    return add_word(at, what, text, strlen(text), err);
}

static json_t *echo_words(const struct bench_option *o, const void *at)
{
    (void)o;
    const struct bench_words *list = at;
    json_t *array = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(array, echo_string(list->item[i]));
    return array;
}

static const struct bench__kind kinds[BENCH_OPTION_KINDS] = {
    [BENCH_OPTION_FLAG] = {.size = sizeof(bool), .unit = "", .parse = parse_flag, .echo = echo_flag},
    [BENCH_OPTION_COUNT] = {.size = sizeof(int64_t), .unit = "", .parse = parse_count, .echo = echo_bytes},
    [BENCH_OPTION_INT] = {.size = sizeof(int64_t),
                          .arg = "N",
                          .unit = "",
                          .ranged = true,
                          .parse = parse_int,
                          .echo = echo_int,
                          .format = format_int},
    [BENCH_OPTION_REAL] = {.size = sizeof(double),
                           .arg = "X",
                           .unit = "",
                           .ranged = true,
                           .parse = parse_real,
                           .echo = echo_real,
                           .format = format_real},
    [BENCH_OPTION_DURATION] = {.size = sizeof(double),
                               .arg = "TIME",
                               .unit = "_ns",
                               .ranged = true,
                               .parse = parse_duration,
                               .echo = echo_real,
                               .format = format_duration},
    [BENCH_OPTION_RATIO] = {.size = sizeof(double),
                            .arg = "RATIO",
                            .unit = "",
                            .ranged = true,
                            .parse = parse_ratio,
                            .echo = echo_real,
                            .format = format_ratio},
    [BENCH_OPTION_BYTES] = {.size = sizeof(int64_t),
                            .arg = "SIZE",
                            .unit = "_bytes",
                            .ranged = true,
                            .parse = parse_bytes,
                            .echo = echo_bytes,
                            .format = format_bytes},
    [BENCH_OPTION_TEXT] =
        {.size = sizeof(char *), .arg = "TEXT", .unit = "", .parse = parse_text, .echo = echo_text},
    [BENCH_OPTION_CHOICE] =
        {.size = sizeof(int), .arg = "WHICH", .unit = "", .parse = parse_choice, .echo = echo_choice},
    [BENCH_OPTION_INTS] = {.size = sizeof(struct bench_ints),
                           .arg = "LIST",
                           .unit = "",
                           .ranged = true,
                           .parse = parse_ints,
                           .echo = echo_ints,
                           .format = format_int,
                           .fini = fini_ints},
    [BENCH_OPTION_WORDS] = {.size = sizeof(struct bench_words),
                            .arg = "LIST",
                            .unit = "",
                            .parse = parse_words,
                            .echo = echo_words,
                            .fini = fini_words},
    [BENCH_OPTION_TUPLES] = {.size = sizeof(struct bench_words),
                             .arg = "TEXT",
                             .unit = "",
                             .parse = parse_tuple,
                             .echo = echo_words,
                             .fini = fini_words},
};

const struct bench__kind *bench__option_kind(const struct bench_option *o)
{
    assert((size_t)o->kind < BENCH_OPTION_KINDS && kinds[o->kind].size == o->size);
    return &kinds[o->kind];
}
