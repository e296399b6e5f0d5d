/* Baselines: stored sessions to compare with, kept as result files in a folder a name, to be committed or cached.
 *
 *     loaderbench-baselines/main/2026-01-31T12-00-00.jsonl    a session, with commit and fingerprint in its header
 *     loaderbench-baselines/main/2026-02-01T12-00-00.jsonl    another one of the same arms on the same machine */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <stddef.h>
#include <stdio.h>

#include "results/compare.h"

extern const char baseline_folder[]; /* the default: "loaderbench-baselines" */

/* Sessions of a side. */
struct baseline {
    char *name; /* as asked for */
    struct result *session;
    size_t n;
};

/* Reads `text`: a result file, a folder with result files, or the name of a baseline in `folder`. What was wrong with a
 * file and left out is said on `warnings` (NULL = not at all).
 * Owner: baseline_close. Errors: -ENOENT with the names there are, -EINVAL a folder without results or with the same
 * session twice, of the files. */
int baseline_open(struct baseline *b, const char *folder, const char *text, FILE *warnings, struct err *err);
void baseline_close(struct baseline *b);
struct compare_side baseline_side(const struct baseline *b);

/* The path of a new session of a baseline, its folders made. The caller frees *out. Errors: -EINVAL the name is no
 * file's name, and of the folders. */
int baseline_new_path(const char *folder, const char *name, char **out, struct err *err);

/* Where a session was measured. */
struct baseline_machine {
    const char *name;        /* for people */
    const char *environment; /* the fingerprint */
    const char *path;        /* of its result file: the topology lies beside it; NULL = there is none */
};

/* name NULL: its path. */
struct baseline_machine baseline_machine_of(const char *name, const struct result *r);

/* Do both come from one machine, as far as costs are concerned? Appends what differs, of the topologies too where their
 * files are there.
 * 1 they do, 0 they do not. Errors: -EINVAL, -ENOMEM. */
int baseline_same_machine(const struct baseline_machine *a, const struct baseline_machine *b,
                          struct text *differences, struct err *err);

#endif
