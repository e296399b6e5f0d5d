/* The list of kernels, and how "name=value:key=value" is read. */
#include "kernels/kernel.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "base/unit.h"
#include "common.h"

/* kernel_list.inc is made from the list in CMakeLists.txt: KERNEL(gemm) KERNEL(gemv) ... */
#define KERNEL(word) extern const struct kernel kernel_##word;
#include "kernel_list.inc"
#undef KERNEL

#define KERNEL(word) &kernel_##word,
const struct kernel *const kernel_list[] = {
#include "kernel_list.inc"
};
#undef KERNEL

#define LIST_N ((int)(sizeof kernel_list / sizeof *kernel_list))
const int kernel_list_n = LIST_N;

enum { PART_MAX = KERNEL_TEXT_MAX };

int kernel_find(const char *name, const struct kernel **out, struct err *err)
{
    const char *names[LIST_N];
    for (int i = 0; i < LIST_N; i++) {
        names[i] = kernel_list[i]->name;
        if (!strcmp(names[i], name)) {
            *out = kernel_list[i];
            return 0;
        }
    }
    *out = NULL;
    if (!strcmp(name, "decode"))
        return err_set(err, -EINVAL, "decode goes first, and only with images and tar");
    int near = name_nearest(name, names, LIST_N);
    if (near >= 0)
        return err_set(err, -EINVAL, "unknown kernel '%s': did you mean '%s'?", name, names[near]);
    return err_set(err, -EINVAL, "unknown kernel '%s': `loaderbench list` shows all", name);
}

static int bad_dims(const char *what, const char *text, int most, struct err *err)
{
    if (most == 1)
        return err_set(err, -EINVAL, "%s: '%s' is not a whole number", what, text);
    return err_set(err, -EINVAL, "%s: '%s' is not 1 to %d whole numbers with x between", what, text, most);
}

static int parse_dims(const char *what, const char *text, const struct kernel_arg *arg,
                      struct kernel_value *out, struct err *err)
{
    out->count = 0;
    const char *p = text;
    do {
        size_t n = strcspn(p, "x");
        char part[PART_MAX];
        if (out->count == arg->dims_max || n >= sizeof part || n == 0 || (p[n] && !p[n + 1]))
            return bad_dims(what, text, arg->dims_max, err);
        memcpy(part, p, n);
        part[n] = '\0';
        int rc =
            unit_parse_int(what, part, (int64_t)arg->min, (int64_t)arg->max, &out->dim[out->count++], err);
        if (rc)
            return rc;
        p += n + (p[n] != '\0');
    } while (*p);
    return 0;
}

static int parse_word(const char *what, const char *text, const struct kernel_arg *arg,
                      struct kernel_value *out, struct err *err)
{
    char known[256] = "";
    for (int i = 0; arg->words[i]; i++) {
        if (!strcmp(arg->words[i], text)) {
            out->word = i;
            return 0;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", arg->words[i]);
    }
    return err_set(err, -EINVAL, "%s: '%s' is none of %s", what, text, known);
}

static int parse_value(const struct kernel *k, int i, const char *text, struct kernel_value *out,
                       struct err *err)
{
    const struct kernel_arg *arg = &k->args[i];
    char what[PART_MAX * 2];
    snprintf(what, sizeof what, "%s:%s", k->name, arg->name);
    switch (arg->kind) {
    case KERNEL_ARG_DIMS:
        return parse_dims(what, text, arg, out, err);
    case KERNEL_ARG_REAL:
        return unit_parse_real(what, text, arg->min, arg->max, &out->real, err);
    case KERNEL_ARG_NS:
        return unit_parse_ns(what, text, arg->min, arg->max, &out->real, err);
    case KERNEL_ARG_WORD:
        return parse_word(what, text, arg, out, err);
    case KERNEL_ARG_TEXT:
        strcpy(out->text, text); /* both have room for PART_MAX */
        return 0;
    }
    return 0;
}

/* Which argument a "key=value" or a bare value is; sets *value to where the value starts. */
static int find_arg(const struct kernel *k, const char *part, int position, const char **value,
                    struct err *err)
{
    const char *equals = strchr(part, '=');
    *value = equals ? equals + 1 : part;
    if (!equals) {
        if (position >= k->args_n)
            return err_set(err, -EINVAL, "%s takes %d argument%s: '%s' is too many", k->name, k->args_n,
                           k->args_n == 1 ? "" : "s", part);
        return position;
    }
    for (int i = 0; i < k->args_n; i++)
        if (strlen(k->args[i].name) == (size_t)(equals - part) &&
            !strncmp(k->args[i].name, part, (size_t)(equals - part)))
            return i;
    return err_set(err, -EINVAL, "%s has no argument '%.*s'", k->name, (int)(equals - part), part);
}

static int parse_args(const struct kernel *k, const char *text, struct kernel_value *arg, bool *given,
                      struct err *err)
{
    int position = 0;
    for (const char *p = text; p;) {
        size_t n = strcspn(p, ":");
        char part[PART_MAX];
        if (n >= sizeof part)
            return err_set(err, -EINVAL, "%s: '%.20s...' is too long", k->name, p);
        memcpy(part, p, n);
        part[n] = '\0';
        const char *value;
        int i = find_arg(k, part, position++, &value, err);
        int rc = i < 0 ? i : parse_value(k, i, value, &arg[i], err);
        if (rc)
            return rc;
        given[i] = true;
        p = p[n] ? p + n + 1 : NULL;
    }
    return 0;
}

int kernel_parse(const char *text, const struct kernel **out, struct kernel_value arg[KERNEL_ARGS_MAX],
                 struct err *err)
{
    *out = NULL;
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    char name[PART_MAX];
    if (n >= sizeof name)
        return err_set(err, -EINVAL, "unknown kernel '%.20s...': `loaderbench list` shows all", text);
    memcpy(name, text, n);
    name[n] = '\0';
    const struct kernel *k;
    int rc = kernel_find(name, &k, err);
    if (rc)
        return rc;
    assert(k->args_n <= KERNEL_ARGS_MAX);
    memset(arg, 0, KERNEL_ARGS_MAX * sizeof *arg);
    bool given[KERNEL_ARGS_MAX] = {false};
    rc = equals ? parse_args(k, equals + 1, arg, given, err) : 0;
    for (int i = 0; i < k->args_n && !rc; i++) {
        if (given[i])
            continue;
        if (!k->args[i].def)
            return err_set(err, -EINVAL, "%s needs its argument '%s'", name, k->args[i].name);
        rc = parse_value(k, i, k->args[i].def, &arg[i], err);
    }
    if (!rc)
        *out = k;
    return rc;
}
