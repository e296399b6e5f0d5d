/* Comparing fingerprints: both objects are walked together, leaves that are not equal are told. Which leaves decide is
 * a list of paths here, not a matter of how much differs: a newer libc is worth a line, another CPU ends it. */
#include "results/fingerprint.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A path decides when it begins with one of these. Placement and threads are what the costs are about, so each variable
 * that overrides them decides too. */
static const char *const deciding[] = {
    "(all)",          "cpu.model",
    "cpu.topology",   "cpu.cpus",
    "cpu.cpu_budget", "cpu.cfs_quota_cpus",
    "cpu.governor",   "cpu.hypervisor",
    "cpu.flags",      "software.architecture",
    "software.blas.", "variables.",
};

/* Says what cpu.topology_hash says already, at length: not worth a line of its own. */
static const char told_already[] = "cpu.layout";

enum { LONG_TEXT = 80 };

struct walk {
    struct fingerprint_differences *out;
    struct text path;
    bool failed;
};

static bool decides(const char *path)
{
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (!strncmp(path, deciding[i], strlen(deciding[i])))
            return true;
    return false;
}

static bool has_word(const char *list, const char *word, size_t n)
{
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, " ");
        if (len == n && !memcmp(p, word, n))
            return true;
        p += len + strspn(p + len, " ");
    }
    return false;
}

/* The words of a list that the other lacks; both are told to have the same words when only their order differs. */
static char *words_only_in(const char *list, const char *other)
{
    struct text t = {0};
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n && !has_word(other, p, n)) {
            text_add(&t, t.len ? " " : "");
            text_add_bytes(&t, p, n);
        }
        p += n + strspn(p + n, " ");
    }
    if (!t.len)
        text_add(&t, "no word more");
    return text_take(&t);
}

static char *value_text(const json_t *v)
{
    if (!v || json_is_null(v))
        return strdup("nothing");
    if (json_is_string(v))
        return strdup(json_string_value(v));
    return json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
}

static bool is_long_text(const json_t *v)
{
    return json_is_string(v) && json_string_length(v) > LONG_TEXT;
}

static void add(struct walk *w, const json_t *a, const json_t *b)
{
    struct fingerprint_differences *d = w->out;
    struct fingerprint_difference *more = realloc(d->item, (d->n + 1) * sizeof *more);
    if (!more) {
        w->failed = true;
        return;
    }
    d->item = more;
    bool lists = is_long_text(a) && is_long_text(b);
    const char *x = json_string_value(a), *y = json_string_value(b);
    struct fingerprint_difference one = {.path = strdup(text_get(&w->path)),
                                         .a = lists ? words_only_in(x, y) : value_text(a),
                                         .b = lists ? words_only_in(y, x) : value_text(b)};
    one.decides = one.path && decides(one.path);
    w->failed = w->failed || !one.path || !one.a || !one.b;
    d->item[d->n++] = one;
    d->ndecide += one.decides;
}

static bool equal(const json_t *a, const json_t *b)
{
    bool no_a = !a || json_is_null(a), no_b = !b || json_is_null(b);
    if (no_a || no_b)
        return no_a && no_b; /* "not known" and "not asked" are alike */
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static void compare(struct walk *w, const json_t *a, const json_t *b);

static void compare_member(struct walk *w, const char *key, const json_t *a, const json_t *b)
{
    size_t len = w->path.len;
    text_addf(&w->path, "%s%s", len ? "." : "", key);
    if (strcmp(text_get(&w->path), told_already) != 0)
        compare(w, a, b);
    w->failed = w->failed || w->path.failed;
    if (w->path.data && !w->path.failed)
        w->path.data[w->path.len = len] = '\0';
}

static void compare(struct walk *w, const json_t *a, const json_t *b)
{
    if (!json_is_object(a) && !json_is_object(b)) {
        if (!equal(a, b))
            add(w, a, b);
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)a, key, value) {
        compare_member(w, key, value, json_object_get(b, key));
    }
    json_object_foreach ((json_t *)b, key, value) {
        if (!json_object_get(a, key))
            compare_member(w, key, NULL, value);
    }
}

static int parse(const char *text, const char *which, json_t **out, struct err *err)
{
    json_error_t why;
    *out = text ? json_loads(text, JSON_REJECT_DUPLICATES, &why) : NULL;
    if (!text || json_is_object(*out))
        return 0;
    return err_set(err, -EINVAL, "the %s fingerprint is no JSON object: %s", which,
                   *out ? "it is another value" : why.text);
}

int result_fingerprint_compare(const char *a, const char *b, struct fingerprint_differences *out,
                               struct err *err)
{
    *out = (struct fingerprint_differences){0};
    json_t *x = NULL, *y = NULL;
    struct walk w = {.out = out};
    int rc = parse(a, "first", &x, err);
    rc = rc ? rc : parse(b, "second", &y, err);
    if (!rc && !a != !b)
        text_add(&w.path, "(all)");
    if (!rc && !a != !b)
        add(&w, a ? json_true() : NULL, b ? json_true() : NULL);
    else if (!rc && a)
        compare(&w, x, y);
    if (!rc && w.failed)
        rc = err_set(err, -ENOMEM, "out of memory for the differences of two fingerprints");
    text_fini(&w.path);
    json_decref(x);
    json_decref(y);
    if (rc)
        result_fingerprint_differences_fini(out);
    return rc;
}

void result_fingerprint_differences_fini(struct fingerprint_differences *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->item[i].path);
        free(d->item[i].a);
        free(d->item[i].b);
    }
    free(d->item);
    *d = (struct fingerprint_differences){0};
}

void result_fingerprint_differences_text(const struct fingerprint_differences *d, struct text *out)
{
    for (int deciding_ones = 1; deciding_ones >= 0; deciding_ones--)
        for (size_t i = 0; i < d->n; i++)
            if (d->item[i].decides == deciding_ones)
                text_sayf(out, "  %s: '%s' against '%s'\n", d->item[i].path, d->item[i].a, d->item[i].b);
}
