/* Reading YAML by tables of keys. libyaml gives nodes with their lines; scalars are texts here, whatever they look like,
 * so that the parsers of options read them: "010", "1e3" and "maybe" mean in a file what they mean on the command line. */
#include "suite_yaml.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "option_kind.h"

enum { KEYS_MAX = 32 }; /* of a table */

/* ---- places ---- */

static const char *place(struct suite_yaml *y, const yaml_node_t *node)
{
    text_fini(&y->place);
    text_sayf(&y->place, "%s:%zu", y->path, node->start_mark.line + 1);
    if (y->at.len)
        text_sayf(&y->place, ": %s", text_get(&y->at));
    return text_get(&y->place);
}

static void leave(struct suite_yaml *y, size_t len)
{
    if (y->at.data) {
        y->at.len = len;
        y->at.data[len] = '\0';
    }
}

static const yaml_node_t *node_at(struct suite_yaml *y, int id)
{
    return yaml_document_get_node(&y->document, id);
}

static const char *type_word(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE    ? "a mapping"
           : node->type == YAML_SEQUENCE_NODE ? "a list"
                                              : "one value";
}

static int wrong_type(struct suite_yaml *y, const yaml_node_t *node, const char *wanted, struct err *err)
{
    return err_set(err, -EINVAL, "%s: %s where %s is wanted", place(y, node), type_word(node), wanted);
}

/* ---- the file ---- */

static int parser_failed(const struct suite_yaml *y, const yaml_parser_t *p, FILE *from, struct err *err)
{
    if (p->error == YAML_MEMORY_ERROR)
        return err_set(err, -ENOMEM, "%s: out of memory", y->path);
    if (ferror(from))
        return err_set_errno(err, errno ? -errno : -EIO, "cannot read the suite '%s'", y->path);
    if (p->error == YAML_READER_ERROR)
        return err_set(err, -EINVAL, "%s: %s at byte %zu", y->path, p->problem, p->problem_offset);
    return err_set(err, -EINVAL, "%s:%zu: %s%s%s", y->path, p->problem_mark.line + 1,
                   p->context ? p->context : "", p->context ? ", " : "",
                   p->problem ? p->problem : "this is no YAML");
}

/* Whether nothing follows the first document. */
static int check_end(const struct suite_yaml *y, yaml_parser_t *p, FILE *from, struct err *err)
{
    yaml_document_t next;
    if (!yaml_parser_load(p, &next))
        return parser_failed(y, p, from, err);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    size_t line = next.start_mark.line + 1;
    yaml_document_delete(&next);
    return root ? err_set(err, -EINVAL, "%s:%zu: a second document; a suite is one", y->path, line) : 0;
}

int suite_yaml_open(struct suite_yaml *y, const char *path, FILE *from, const yaml_node_t **root,
                    struct err *err)
{
    yaml_parser_t parser;
    *y = (struct suite_yaml){.path = path};
    *root = NULL;
    if (!yaml_parser_initialize(&parser))
        return err_set(err, -ENOMEM, "%s: out of memory", path);
    yaml_parser_set_input_file(&parser, from);
    errno = 0;
    int rc = 0;
    y->loaded = yaml_parser_load(&parser, &y->document);
    if (!y->loaded)
        rc = parser_failed(y, &parser, from, err);
    else if ((*root = yaml_document_get_root_node(&y->document)))
        rc = check_end(y, &parser, from, err);
    yaml_parser_delete(&parser);
    return rc;
}

void suite_yaml_close(struct suite_yaml *y)
{
    if (y->loaded)
        yaml_document_delete(&y->document);
    text_fini(&y->at);
    text_fini(&y->place);
    y->loaded = false;
}

/* ---- values ---- */

/* One value, and C's idea of a text. */
static int check_scalar(struct suite_yaml *y, const yaml_node_t *node, const char *wanted, struct err *err)
{
    if (node->type != YAML_SCALAR_NODE)
        return wrong_type(y, node, wanted, err);
    const char *text = (const char *)node->data.scalar.value;
    if (strlen(text) == node->data.scalar.length)
        return 0;
    return err_set(err, -EINVAL, "%s: a NUL byte behind '%s'", place(y, node), text);
}

static int read_value(struct suite_yaml *y, const struct suite_key *key, const yaml_node_t *node, void *at,
                      struct err *err)
{
    int rc = check_scalar(y, node, "one value", err);
    if (rc)
        return rc;
    const char *what = place(y, node), *text = (const char *)node->data.scalar.value;
    if (!*text)
        return err_set(err, -EINVAL, "%s: no value", what);
    union {
        int64_t whole;
        double real;
    } number;
    rc = bench__option_kind(&key->value)->parse(&key->value, what, text, key->as_text ? &number : at, err);
    if (key->as_text)
        *(const char **)at = text;
    if (!rc && key->check && (rc = key->check(text, err)))
        err_prefix(err, "%s", what);
    return rc;
}

int suite_yaml_count(struct suite_yaml *y, const yaml_node_t *node, size_t *out, struct err *err)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return wrong_type(y, node, "a list ([...])", err);
    *out = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (*out > BENCH_LIST_MAX)
        return err_set(err, -ERANGE, "%s: %zu entries, at most %d", place(y, node), *out, BENCH_LIST_MAX);
    return *out ? 0 : err_set(err, -EINVAL, "%s: an empty list", place(y, node));
}

/* Goes to entry i; leave() goes back. */
static const yaml_node_t *enter_entry(struct suite_yaml *y, const yaml_node_t *sequence, size_t i)
{
    text_sayf(&y->at, "[%zu]", i);
    return node_at(y, sequence->data.sequence.items.start[i]);
}

static int read_list(struct suite_yaml *y, const struct suite_key *key, const yaml_node_t *node,
                     struct suite_list *out, struct err *err)
{
    size_t n = 0, size = key->value.size, mark = y->at.len;
    int rc = suite_yaml_count(y, node, &n, err);
    if (rc)
        return rc;
    if (!(out->item = calloc(n, size)))
        return err_set(err, -ENOMEM, "%s: out of memory", place(y, node));
    for (; !rc && out->n < n; out->n++) {
        const yaml_node_t *entry = enter_entry(y, node, out->n);
        rc = read_value(y, key, entry, (char *)out->item + out->n * size, err);
        leave(y, mark);
    }
    return rc;
}

void suite_list_fini(struct suite_list *l)
{
    free(l->item);
    *l = (struct suite_list){0};
}

/* ---- mappings ---- */

static bool is_key(const yaml_node_t *node, const char *name)
{
    return !strcmp((const char *)node->data.scalar.value, name);
}

static int unknown_key(struct suite_yaml *y, const struct suite_key *keys, const yaml_node_t *node,
                       struct err *err)
{
    const char *names[KEYS_MAX], *given = (const char *)node->data.scalar.value;
    struct text all = {0};
    size_t n = 0;
    for (; keys[n].value.name; n++) {
        assert(n < KEYS_MAX);
        names[n] = keys[n].value.name;
        text_sayf(&all, "%s%s", n ? ", " : "", names[n]);
    }
    int near = name_nearest(given, names, n);
    if (near >= 0)
        err_set(err, -EINVAL, "%s: unknown key '%s' (did you mean '%s'?)", place(y, node), given,
                names[near]);
    else
        err_set(err, -EINVAL, "%s: unknown key '%s' (known: %s)", place(y, node), given, text_get(&all));
    text_fini(&all);
    return -EINVAL;
}

static int check_keys(struct suite_yaml *y, const struct suite_key *keys, const yaml_node_t *mapping,
                      struct err *err)
{
    bool seen[KEYS_MAX] = {0};
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *node = node_at(y, pair->key);
        size_t k = 0;
        int rc = check_scalar(y, node, "a key", err);
        if (rc)
            return rc;
        while (keys[k].value.name && !is_key(node, keys[k].value.name))
            k++;
        if (!keys[k].value.name)
            return unknown_key(y, keys, node, err);
        if (seen[k])
            return err_set(err, -EINVAL, "%s: '%s' stands twice", place(y, node), keys[k].value.name);
        seen[k] = true;
    }
    return 0;
}

static const yaml_node_t *find(struct suite_yaml *y, const yaml_node_t *mapping, const char *name)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++)
        if (is_key(node_at(y, pair->key), name))
            return node_at(y, pair->value);
    return NULL;
}

static int read_key(struct suite_yaml *y, const struct suite_key *key, const yaml_node_t *node, void *base,
                    struct err *err)
{
    void *at = (char *)base + key->value.offset;
    size_t mark = y->at.len;
    text_sayf(&y->at, "%s%s", mark ? "." : "", key->value.name);
    int rc = key->nested ? key->nested(y, node, base, err)
             : key->list ? read_list(y, key, node, at, err)
                         : read_value(y, key, node, at, err);
    leave(y, mark);
    return rc;
}

int suite_yaml_read(struct suite_yaml *y, const yaml_node_t *node, const struct suite_key *keys, void *base,
                    struct err *err)
{
    if (node->type != YAML_MAPPING_NODE)
        return wrong_type(y, node, "a mapping (KEY: VALUE)", err);
    int rc = check_keys(y, keys, node, err);
    for (const struct suite_key *key = keys; !rc && key->value.name; key++) {
        const yaml_node_t *value = find(y, node, key->value.name);
        rc = value ? read_key(y, key, value, base, err) : 0;
    }
    return rc;
}

int suite_yaml_read_entry(struct suite_yaml *y, const yaml_node_t *sequence, size_t i,
                          const struct suite_key *keys, void *base, struct err *err)
{
    size_t mark = y->at.len;
    int rc = suite_yaml_read(y, enter_entry(y, sequence, i), keys, base, err);
    leave(y, mark);
    return rc;
}

size_t suite_yaml_line(struct suite_yaml *y, const yaml_node_t *sequence, size_t i)
{
    return node_at(y, sequence->data.sequence.items.start[i])->start_mark.line + 1;
}
