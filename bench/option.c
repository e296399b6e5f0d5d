/* Command lines against a table of options. getopt_long finds the words; this file gives it the table, says
 * in one line what is wrong, and hands each value to its kind. */
#include "bench/option.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "option_kind.h"

enum { HELP = 1000, FIRST = 1001 }; /* values getopt_long answers with: beyond every letter */

static void *member(const struct bench_option *o, void *settings)
{
    return (char *)settings + o->offset;
}

static int values_of(const struct bench_option *o)
{
    return o->kind == BENCH_OPTION_TUPLES && o->values ? o->values : 1;
}

int bench_options_init(struct bench_options options, void *settings, struct err *err)
{
    assert(options.n <= BENCH_OPTIONS_MAX);
    for (size_t i = 0; i < options.n; i++) {
        const struct bench_option *o = &options.item[i];
        if (!o->initial)
            continue;
        int rc = bench__option_kind(o)->parse(o, o->name, o->initial, member(o, settings), err);
        if (rc)
            return rc;
    }
    return 0;
}

void bench_options_fini(struct bench_options options, void *settings)
{
    for (size_t i = 0; i < options.n; i++) {
        const struct bench__kind *kind = bench__option_kind(&options.item[i]);
        if (kind->fini)
            kind->fini(member(&options.item[i], settings));
    }
}

static const struct bench_option *find(struct bench_options options, const char *name)
{
    for (size_t i = 0; i < options.n; i++)
        if (!strcmp(options.item[i].name, name))
            return &options.item[i];
    return NULL;
}

bool bench_option_given(struct bench_options options, const struct bench_parsed *parsed, const char *name)
{
    const struct bench_option *o = find(options, name);
    assert(o);
    return parsed->given >> (o - options.item) & 1;
}

static int unknown(struct bench_options options, const char *name, struct err *err)
{
    const char *names[BENCH_OPTIONS_MAX + 1] = {"help"};
    size_t n = 1;
    for (size_t i = 0; i < options.n; i++)
        if (!options.item[i].hidden)
            names[n++] = options.item[i].name;
    int near = name_nearest(name, names, n);
    if (near >= 0)
        return err_set(err, -EINVAL, "unknown option '--%s' (did you mean '--%s'?)", name, names[near]);
    return err_set(err, -EINVAL, "unknown option '--%s' (--help lists them)", name);
}

int bench_option_set(struct bench_options options, const char *name, const char *value, void *settings,
                     struct err *err)
{
    const struct bench_option *o = find(options, name);
    if (!o)
        return unknown(options, name, err);
    return bench__option_kind(o)->parse(o, name, value, member(o, settings), err);
}

/* What getopt_long wants, made of a table. */
struct vectors {
    struct option longs[BENCH_OPTIONS_MAX + 2];
    char letters[2 * BENCH_OPTIONS_MAX + 4];
};

static void vectors_init(struct vectors *v, struct bench_options options)
{
    *v = (struct vectors){.letters = ":h"};
    char *letter = v->letters + 2;
    for (size_t i = 0; i < options.n; i++) {
        const struct bench_option *o = &options.item[i];
        int takes = bench__option_kind(o)->arg ? required_argument : no_argument;
        v->longs[i] = (struct option){o->name, takes, NULL, FIRST + (int)i};
        if (!o->letter)
            continue;
        *letter++ = o->letter;
        if (takes == required_argument)
            *letter++ = ':';
    }
    v->longs[options.n] = (struct option){"help", no_argument, NULL, HELP};
}

/* The option getopt_long answered with: by its number or its letter. */
static const struct bench_option *answered(struct bench_options options, int answer)
{
    if (answer >= FIRST)
        return &options.item[answer - FIRST];
    for (size_t i = 0; i < options.n; i++)
        if (options.item[i].letter == answer)
            return &options.item[i];
    return NULL;
}

/* Known names that begin with the `len` bytes at name. */
static size_t beginnings(struct bench_options options, const char *name, size_t len, struct text *out)
{
    size_t n = 0;
    for (size_t i = 0; i < options.n; i++)
        if (!strncmp(options.item[i].name, name, len))
            text_sayf(out, "%s--%s", n++ ? ", " : "", options.item[i].name);
    return n;
}

/* getopt_long said '?': an unknown letter, a value for a flag, or a long name that is unknown or not unique.
 */
static int complain(struct bench_options options, const char *word, struct err *err)
{
    if (optopt == HELP)
        return err_set(err, -EINVAL, "--help takes no value");
    if (optopt >= FIRST)
        return err_set(err, -EINVAL, "--%s takes no value", options.item[optopt - FIRST].name);
    if (optopt)
        return err_set(err, -EINVAL, "unknown option '-%c' (--help lists them)", optopt);
    const char *name = word + 2;
    size_t len = strcspn(name, "=");
    struct text all = {0};
    size_t n = beginnings(options, name, len, &all);
    if (n > 1)
        err_set(err, -EINVAL, "option '--%.*s' is one of several: %s", (int)len, name, text_get(&all));
    text_fini(&all);
    char *bare = n > 1 ? NULL : strndup(name, len);
    int rc = n > 1 ? -EINVAL : bare ? unknown(options, bare, err) : err_set(err, -ENOMEM, "out of memory");
    free(bare);
    return rc;
}

/* A use of an option: optarg is its first argument, further ones follow in argv. */
static int use(const struct bench_option *o, int argc, char **argv, void *settings, struct err *err)
{
    const struct bench__kind *kind = bench__option_kind(o);
    char what[80];
    strcpy(what, "--");
    strncat(what, o->name, sizeof what - 3);
    int values = values_of(o);
    if (argc - optind < values - 1)
        return err_set(err, -EINVAL, "%s takes %d arguments (%s)", what, values, bench_option_argument(o));
    int rc = kind->parse(o, what, kind->arg ? optarg : NULL, member(o, settings), err);
    for (int i = 1; !rc && i < values; i++)
        rc = kind->parse(o, what, argv[optind++], member(o, settings), err);
    return rc;
}

int bench_options_parse(struct bench_options options, int argc, char **argv, void *settings,
                        struct bench_parsed *out, struct err *err)
{
    *out = (struct bench_parsed){0};
    struct vectors v;
    vectors_init(&v, options);
    opterr = 0;
    optind = 0; /* getopt of glibc starts afresh */
    for (int answer; (answer = getopt_long(argc, argv, v.letters, v.longs, NULL)) != -1;) {
        if (answer == HELP || answer == 'h') {
            out->help = true;
            return 0;
        }
        if (answer == '?')
            return complain(options, argv[optind - 1], err);
        const struct bench_option *o = answered(options, answer == ':' ? optopt : answer);
        if (answer == ':')
            return err_set(err, -EINVAL, "--%s takes an argument (%s)", o->name, bench_option_argument(o));
        int rc = use(o, argc, argv, settings, err);
        if (rc)
            return rc;
        out->given |= (uint64_t)1 << (o - options.item);
    }
    out->operands = argv + optind;
    out->noperands = (size_t)(argc - optind);
    return 0;
}

static char *record_key(const struct bench_option *o, const char *unit)
{
    struct text key = {0};
    text_add(&key, o->name);
    size_t len = strlen(o->name), end = strlen(unit);
    if (end && (len < end - 1 || strcmp(o->name + len - (end - 1), unit + 1)))
        text_add(&key, unit);
    for (char *c = key.data; c && *c; c++)
        if (*c == '-')
            *c = '_';
    return text_take(&key);
}

/* The values of the options whose bit is set. */
static char *echo(struct bench_options options, uint64_t which, const void *settings)
{
    json_t *all = json_object();
    int rc = all ? 0 : -1;
    for (size_t i = 0; !rc && i < options.n; i++) {
        const struct bench_option *o = &options.item[i];
        const struct bench__kind *kind = bench__option_kind(o);
        if (!(which >> i & 1))
            continue;
        char *key = record_key(o, kind->unit);
        rc = key ? json_object_set_new(all, key, kind->echo(o, (const char *)settings + o->offset)) : -1;
        free(key);
    }
    char *text = rc ? NULL : json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

char *bench_options_echo(struct bench_options options, const void *settings)
{
    return echo(options, UINT64_MAX, settings);
}

char *bench_options_kept(struct bench_options options, const struct bench_parsed *given, const void *settings)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < options.n; i++)
        kept |= (uint64_t)options.item[i].kept << i;
    return echo(options, given ? kept & given->given : kept, settings);
}
