/* Result files: JSON lines, written as they happen, read back even when cut. Schema: results/schema/. */
#ifndef RESULTS_IO_H
#define RESULTS_IO_H

#include "results/record.h"

struct result_writer;

/* Creates the file, which must not exist, and writes the header of r. Nobody else may write to it until it is closed.
 * Owner:  the caller, until result_writer_close.
 * Errors: -EEXIST, -ENOENT, -EACCES, -ENOSPC, ... with the path. */
int result_writer_open(const char *path, const struct result *r, struct result_writer **out, struct err *err);

/* Appends an invocation with its trials: each line is written whole and flushed. */
int result_writer_invocation(struct result_writer *w, const struct invocation *inv, struct err *err);

/* Arms dropped at a look, and whether the choice is made. */
int result_writer_look(struct result_writer *w, int look, bool decided, const bool *dropped, size_t narms,
                       struct err *err);

/* What the pilot found and chose. */
int result_writer_pilot(struct result_writer *w, const struct pilot *p, struct err *err);

/* An arm is taken out of the session for good, in the words of its failure. */
int result_writer_failure(struct result_writer *w, int invocation, int arm, const char *why, struct err *err);
int result_writer_footer(struct result_writer *w, const struct result *r, struct err *err);
void result_writer_close(struct result_writer *w);

/* Opens the file of a session that was stopped, and reads it into *r. Nothing of it is changed before
 * result_writer_resumed.
 * Owner:  the caller: result_writer_close, result_fini.
 * Errors: -EALREADY the session came to its end, -EBUSY another process writes it, -ENODATA it is empty, -ENOTSUP it
 *         does not say how it was begun, or with what settings, -EINVAL it is no regular file, and those of result_read. */
int result_writer_reopen(const char *path, struct result *r, struct result_writer **out, struct err *err);

/* Bytes at the end of such a file that count nowhere: of a line that was cut, of an invocation that never came to its
 * end. */
int64_t result_writer_cut_bytes(const struct result_writer *w);

/* Cuts those off and appends that the session goes on: once, before anything else. */
int result_writer_resumed(struct result_writer *w, const struct pause *p, struct err *err);

/* Time between the last record of a stopped session and `now` (ISO 8601 UTC); NaN when its dates cannot be read. */
double result_pause_ns(const struct result *r, const char *now);

/* Reads a file. A cut last line is dropped and told in out->damage; a line that is no JSON in the middle is an error.
 * Owner:  the caller, result_fini.
 * Errors: -ENOENT, -EACCES, -EINVAL with path and line number, -EPROTO another schema version. */
int result_read(const char *path, struct result *out, struct err *err);

#endif
