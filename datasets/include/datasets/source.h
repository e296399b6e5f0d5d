/* Where samples come from, by a URL-like spec: "synthetic:1000:768x768", "images:photos", "npy:x.npy", ... */
#ifndef DATASETS_SOURCE_H
#define DATASETS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/tensor.h"

struct data_source;
struct data_reader;

enum data_on_error {
    DATA_ON_ERROR_FAIL, /* a broken file is an error that names it */
    DATA_ON_ERROR_SKIP, /* the next good sample takes its place; counted */
};

/* All-zero but spec means: no transform, seed 0, fail on a broken sample. */
struct data_config {
    const char *spec;
    const char *transform; /* the chain that follows: a "decode" at its front is taken by the source, which
                              may use the size of a resize right behind it; NULL = none */
    const struct tensor_shape *default_shape; /* of synthetic samples when the spec names none; NULL = none */
    uint64_t seed;                            /* of synthetic contents */
    enum data_on_error on_error;
    bool describe_only; /* nothing will be read: what only readers need need not be made */
};

struct data_info {
    const char *format; /* "synthetic" */
    bool iterable;      /* a stream that each worker opens for itself: data_reader_next */
    int64_t samples;    /* -1 = not known before reading */
    struct tensor_shape shape;
    bool varies;           /* samples differ in shape; `shape` has the largest of each size */
    const char *transform; /* what is left of it for the chain; borrowed from the source */
};

/* Opens what the spec names and checks what can be checked without reading all of it.
 * Owner:  the caller, until data_source_close. cfg's strings may go after the call.
 * Errors: -EINVAL a spec that is none (with the nearest format), -ENOENT and others of the files; the text
 * names the file and the field or offset. */
int data_source_open(const struct data_config *cfg, struct data_source **out, struct err *err);
void data_source_close(struct data_source *s);

const struct data_info *data_source_info(const struct data_source *s);

/* The files behind it in words: "12 (3456789 bytes, changed last 2026-01-31T12:00:00.250Z)", "none". Two that differ: files
 * came, went or were written meanwhile. Returns out. */
enum { DATA_STAMP = 128 };
char *data_source_stamp(const struct data_source *s, char out[DATA_STAMP]);

/* Samples left out so far, by all processes that were forked since the source was opened. `first` (may be
 * NULL) gets the reason of the first one, "" when there is none. */
int64_t data_source_skipped(const struct data_source *s, char *first, size_t first_bytes);

/* A reader is one worker's: open it in the worker (or lazily there), one for each process or thread. `worker`
 * of `workers` says which share of an iterable source is its own; map-style sources do not look at it. Owner:
 * the caller, until data_reader_close; before the source is closed. */
int data_reader_open(struct data_source *s, int worker, int workers, struct data_reader **out,
                     struct err *err);
void data_reader_close(struct data_reader *r);

/* Sample `index` (map-style), as a view: mapped or made once, not copied, where the format allows it.
 * Owner:  borrowed and read-only, until the reader's next call.
 * Errors: what is wrong with the sample, naming the file. */
int data_reader_get(struct data_reader *r, int64_t index, struct tensor *view, struct err *err);

/* To be asked when the last view was used: a file that was cut while it is mapped gives zeros.
 * Errors: -EBADMSG naming the file and both sizes. */
int data_reader_whole(struct data_reader *r, struct err *err);

/* Next sample of this reader's share (iterable): 1 a sample, 0 the end, negative an error. */
int data_reader_next(struct data_reader *r, struct tensor *view, struct err *err);

/* A format as `list` shows it. */
struct data_format_help {
    const char *name, *usage, *help;
};
int data_format_count(void);
struct data_format_help data_format_at(int i);

#endif
