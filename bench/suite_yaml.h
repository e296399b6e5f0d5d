/* A YAML file read by tables of keys: the values are read as the options of the command line are, and what is wrong is
 * said with its place, "FILE:LINE: arms[2].workers: ...". */
#ifndef BENCH_SUITE_YAML_H
#define BENCH_SUITE_YAML_H

#include <stdbool.h>
#include <yaml.h>

#include "base/text.h"
#include "bench/option.h"

/* A file of one document. Texts that were read from it are borrowed: valid until suite_yaml_close. */
struct suite_yaml {
    const char *path; /* borrowed */
    yaml_document_t document;
    bool loaded;       /* there is a document to delete */
    struct text at;    /* the way to what is being read: "arms[2].workers" */
    struct text place; /* scratch: file, line and way */
};

/* Values of one kind, each as wide as the kind's member. Owner: suite_list_fini. */
struct suite_list {
    void *item;
    size_t n;
};

/* What may stand under a key; a table ends with an empty row. */
struct suite_key {
    struct bench_option value; /* name, kind, limits, and where it goes; of a list: of an entry of it */
    bool
        as_text; /* the kind (of a number) says whether it will do; the text itself is kept, a const char * */
    bool list;   /* a list of such values: a struct suite_list is at the offset */
    int (*check)(const char *text, struct err *err); /* optional: what the kind cannot know of the value */
    /* Optional: no value but something of its own, read into `base`; the kind does not count then. */
    int (*nested)(struct suite_yaml *y, const yaml_node_t *node, void *base, struct err *err);
};

/* *root: NULL or an empty value when there is nothing in the file.
 * Errors: -EINVAL no YAML, or more than one document; -ENOMEM; those of reading. Close it in any case. */
int suite_yaml_open(struct suite_yaml *y, const char *path, FILE *from, const yaml_node_t **root,
                    struct err *err);
void suite_yaml_close(struct suite_yaml *y);

/* Reads a mapping into base, in the order of the table. What base holds already are the defaults.
 * Errors: -EINVAL no mapping, a key that is unknown (with the nearest) or stands twice, a value that its kind or its check
 * refuses; -ERANGE outside its limits; -ENOMEM. */
int suite_yaml_read(struct suite_yaml *y, const yaml_node_t *node, const struct suite_key *keys, void *base,
                    struct err *err);

/* Entry i of a sequence, a mapping, as above. */
int suite_yaml_read_entry(struct suite_yaml *y, const yaml_node_t *sequence, size_t i,
                          const struct suite_key *keys, void *base, struct err *err);

/* How many entries. Errors: -EINVAL no sequence, or an empty one. */
int suite_yaml_count(struct suite_yaml *y, const yaml_node_t *node, size_t *out, struct err *err);

/* The line that entry i of a sequence begins in, from 1. */
size_t suite_yaml_line(struct suite_yaml *y, const yaml_node_t *sequence, size_t i);

void suite_list_fini(struct suite_list *l);

#endif
