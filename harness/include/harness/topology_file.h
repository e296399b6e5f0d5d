/* The whole topology kept beside results, once for each: a result refers to it by the hash of what it holds. */
#ifndef HARNESS_TOPOLOGY_FILE_H
#define HARNESS_TOPOLOGY_FILE_H

#include "base/err.h"
#include "base/text.h"
#include "harness/topology.h"

/* hwloc's XML without what names the host, the process or the kernel's build. NULL when hwloc cannot write it, or memory
 * ran out. Owner: the caller frees it. */
char *harness_topology_xml(const struct harness_topology *t);

enum { TOPOLOGY_HASH = 17 };

/* Of such a text, as 16 hexadecimal digits. Returns out. */
char *harness_topology_hash(char out[TOPOLOGY_HASH], const char *xml);

/* The path of the file with that hash, beside a result. *out is the caller's to free. Errors: -ENOMEM. */
int harness_topology_path(const char *result_path, const char *hash, char **out, struct err *err);

/* Writes it beside a result, unless it is there. It appears whole or not at all.
 * Errors: -ENOTSUP hwloc cannot write it, -ENOMEM, and of the file. */
int harness_topology_keep(const struct harness_topology *t, const char *result_path, struct err *err);

/* What differs between two such files, in words, a line each: "    cores: 4 against 2".
 * Errors: those of harness_topology_parse, with the path. */
int harness_topology_differences(const char *path_a, const char *path_b, struct text *out, struct err *err);

#endif
