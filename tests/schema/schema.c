#include "schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One check under way: where it stands, and the deepest failure so far. */
struct walk {
    const struct schema *schema;
    json_t *root; /* of the file the rule in hand stands in */
    char path[256];
    char *why;
    int depth, why_depth;
};

struct schema schema_open(const char *path, bool strict)
{
    json_error_t error;
    struct schema s = {.root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), .strict = strict};
    const char *slash = strrchr(path, '/');
    s.folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!s.root) {
        fprintf(stderr, "%s: line %d: %s\n", path, error.line, error.text);
        abort();
    }
    return s;
}

void schema_close(struct schema *s)
{
    json_decref(s->root);
    free(s->folder);
    *s = (struct schema){0};
}

static bool broken(struct walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool broken(struct walk *w, const char *fmt, ...)
{
    if (w->why_depth > w->depth)
        return false;
    char text[SCHEMA_WHY / 2 - 16];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(w->why, SCHEMA_WHY, "%s: %s", *w->path ? w->path : "(top)", text);
    w->why_depth = w->depth;
    return false;
}

static bool is_type(const json_t *value, const char *name)
{
    static const struct {
        const char *name;
        int type;
    } simple[] = {
        {"object", JSON_OBJECT}, {"array", JSON_ARRAY}, {"string", JSON_STRING}, {"null", JSON_NULL}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (!strcmp(name, simple[i].name))
            return (int)json_typeof(value) == simple[i].type;
    if (!strcmp(name, "boolean"))
        return json_is_boolean(value);
    if (!strcmp(name, "number"))
        return json_is_number(value);
    return !strcmp(name, "integer") &&
           (json_is_integer(value) ||
            (json_is_real(value) && trunc(json_real_value(value)) == json_real_value(value)));
}

static bool rule_type(struct walk *w, const json_t *rule, const json_t *value)
{
    size_t i;
    json_t *name;
    if (json_is_string(rule))
        return is_type(value, json_string_value(rule)) || broken(w, "is no %s", json_string_value(rule));
    json_array_foreach (rule, i, name) {
        if (is_type(value, json_string_value(name)))
            return true;
    }
    return broken(w, "is of another type");
}

static bool holds(struct walk *w, const json_t *schema, const json_t *value);

/* The rule for a part of the value, with its name added to the path. */
static bool part_holds(struct walk *w, const json_t *schema, const json_t *value, const char *name)
{
    size_t n = strlen(w->path);
    snprintf(w->path + n, sizeof w->path - n, "/%s", name);
    w->depth++;
    bool ok = holds(w, schema, value);
    w->depth--;
    w->path[n] = '\0';
    return ok;
}

static bool rule_members(struct walk *w, const json_t *schema, const json_t *value)
{
    const json_t *described = json_object_get(schema, "properties"),
                 *more = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        const json_t *rule = json_object_get(described, key);
        if (rule && !part_holds(w, rule, member, key))
            return false;
        if (!rule && (json_is_false(more) || (!more && described && w->schema->strict)))
            return broken(w, "has a member '%s' that is not described", key);
        if (!rule && json_is_object(more) && !part_holds(w, more, member, key))
            return false;
    }
    return true;
}

static bool rule_required(struct walk *w, const json_t *rule, const json_t *value)
{
    size_t i;
    json_t *name;
    json_array_foreach (rule, i, name) {
        if (!json_object_get(value, json_string_value(name)))
            return broken(w, "lacks '%s'", json_string_value(name));
    }
    return true;
}

static bool rule_items(struct walk *w, const json_t *rule, const json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach (value, i, item) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        if (!part_holds(w, rule, item, name))
            return false;
    }
    return true;
}

static bool rule_number(struct walk *w, const char *key, double limit, double value)
{
    bool ok = !strcmp(key, "minimum")   ? value >= limit
              : !strcmp(key, "maximum") ? value <= limit
                                        : value > limit;
    return ok || broken(w, "%g breaks %s %g", value, key, limit);
}

static bool rule_length(struct walk *w, const char *key, size_t limit, size_t n)
{
    return (strncmp(key, "min", 3) ? n <= limit : n >= limit) ||
           broken(w, "a length of %zu breaks %s %zu", n, key, limit);
}

static bool rule_some(struct walk *w, const json_t *list, const json_t *value, bool exactly_one)
{
    size_t i, n = 0;
    json_t *schema;
    json_array_foreach (list, i, schema) {
        n += holds(w, schema, value);
    }
    if (n && (!exactly_one || n == 1))
        return true;
    return broken(w, "holds for %zu of %zu alternatives", n, json_array_size(list));
}

static bool rule_enum(struct walk *w, const json_t *list, const json_t *value)
{
    size_t i;
    json_t *one;
    json_array_foreach (list, i, one) {
        if (json_equal(one, value))
            return true;
    }
    return broken(w, "is none of the %zu values it may be", json_array_size(list));
}

/* "#/$defs/x" here, or "file.json#/$defs/x" in a file beside this one. */
static bool rule_reference(struct walk *w, const char *where, const json_t *value)
{
    static const char prefix[] = "#/$defs/";
    const char *def = strstr(where, prefix);
    json_t *here = w->root, *other = NULL;
    char path[512];
    if (def && def > where && w->schema->folder) {
        snprintf(path, sizeof path, "%s/%.*s", w->schema->folder, (int)(def - where), where);
        other = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
        w->root = other;
    } else if (def != where) {
        def = NULL;
    }
    const json_t *target =
        def ? json_object_get(json_object_get(w->root, "$defs"), def + sizeof prefix - 1) : NULL;
    bool ok =
        target ? holds(w, target, value) : broken(w, "the schema refers to '%s', which is nowhere", where);
    w->root = here;
    json_decref(other);
    return ok;
}

static bool is_comment(const char *key)
{
    static const char *const words[] = {"$schema", "$defs", "title", "description"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(key, words[i]))
            return true;
    return false;
}

/* Rules that speak of one type hold for all values of another. */
static bool keyword_holds(struct walk *w, const json_t *schema, const char *key, const json_t *rule,
                          const json_t *value)
{
    if (!strcmp(key, "type"))
        return rule_type(w, rule, value);
    if (!strcmp(key, "const"))
        return json_equal(rule, value) || broken(w, "is not the value it must be");
    if (!strcmp(key, "enum"))
        return rule_enum(w, rule, value);
    if (!strcmp(key, "$ref"))
        return rule_reference(w, json_string_value(rule), value);
    if (!strcmp(key, "oneOf") || !strcmp(key, "anyOf"))
        return rule_some(w, rule, value, key[0] == 'o');
    if (!strcmp(key, "properties") || !strcmp(key, "additionalProperties"))
        return !json_is_object(value) || rule_members(w, schema, value);
    if (!strcmp(key, "required"))
        return !json_is_object(value) || rule_required(w, rule, value);
    if (!strcmp(key, "items"))
        return !json_is_array(value) || rule_items(w, rule, value);
    if (!strcmp(key, "minimum") || !strcmp(key, "maximum") || !strcmp(key, "exclusiveMinimum"))
        return !json_is_number(value) ||
               rule_number(w, key, json_number_value(rule), json_number_value(value));
    if (!strcmp(key, "minItems") || !strcmp(key, "maxItems"))
        return !json_is_array(value) ||
               rule_length(w, key, (size_t)json_integer_value(rule), json_array_size(value));
    if (!strcmp(key, "minLength") || !strcmp(key, "maxLength"))
        return !json_is_string(value) ||
               rule_length(w, key, (size_t)json_integer_value(rule), json_string_length(value));
    return is_comment(key) || broken(w, "the schema uses '%s', which this checker does not know", key);
}

static bool holds(struct walk *w, const json_t *schema, const json_t *value)
{
    const char *key;
    json_t *rule;
    if (!json_is_object(schema))
        return json_is_true(schema) || broken(w, "the schema here is no object");
    json_object_foreach ((json_t *)schema, key, rule) {
        if (!keyword_holds(w, schema, key, rule, value))
            return false;
    }
    return true;
}

bool schema_holds(const struct schema *s, const char *def, const json_t *value, char why[SCHEMA_WHY])
{
    struct walk w = {.schema = s, .root = s->root, .why = why, .why_depth = -1};
    why[0] = '\0';
    const json_t *from = def ? json_object_get(json_object_get(s->root, "$defs"), def) : s->root;
    return value ? holds(&w, from, value) : broken(&w, "is no JSON");
}
