/* Checking JSON against a JSON Schema, as far as the schemas of this project need it: a keyword beyond that is a failure,
 * so that no rule is passed over in silence. Source: JSON Schema, draft 2020-12. */
#ifndef TESTS_SCHEMA_H
#define TESTS_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

struct schema {
    json_t *root;
    char *folder; /* where files that it refers to lie; NULL = it refers to none */
    bool strict;  /* members that a schema with "properties" does not describe are failures, unless it has
                    "additionalProperties" */
};

/* Aborts the test when the file cannot be read: it is part of the project. Owner: schema_close. */
struct schema schema_open(const char *path, bool strict);
void schema_close(struct schema *s);

enum { SCHEMA_WHY = 512 };

/* def: a name in $defs, NULL = the whole schema. why: the place and the rule that is broken, deepest first. */
bool schema_holds(const struct schema *s, const char *def, const json_t *value, char why[SCHEMA_WHY]);

#endif
