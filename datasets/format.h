/* What a dataset format is, and what the source keeps for it. */
#ifndef DATASETS_FORMAT_H
#define DATASETS_FORMAT_H

#include <stdatomic.h>

#include "datasets/source.h"

/* What the processes of a run share. */
struct data_shared {
    _Atomic int64_t skipped;
    _Atomic int first_taken;
    char first[sizeof((struct err *)0)->text];
};

struct data_source {
    const struct data_format *format;
    struct data_info info;
    char *spec;        /* own copy, cut apart by the format */
    char *transform;   /* own copy; info.transform points into it */
    bool decode;       /* the transform began with decode */
    int64_t resize[2]; /* height, width of a resize right behind decode; 0 = none */
    uint64_t seed;
    const struct tensor_shape *default_shape; /* valid while opening */
    enum data_on_error on_error;
    bool describe_only; /* of data_config */
    struct data_shared *shared;
    void *self;  /* the format's */
    char **path; /* files behind the source, for the page cache */
    int64_t paths;
};

/* One file ends in one of these; its word stands in the list in CMakeLists.txt. */
struct data_format {
    const char *name;  /* required: "npy" */
    const char *usage; /* required: "npy:FILE|DIR" */
    const char *help;  /* required, one line */
    bool decodes;      /* takes "decode" at the front of the transform */

    /* Required. `args` is what follows "name:" in the spec ("" when nothing does), writable. Sets
     * info.samples, shape, varies, iterable; self. On failure close is called as well, self may be half made.
     */
    int (*open)(struct data_source *s, char *args, struct err *err);
    void (*close)(struct data_source *s); /* optional, NULL = nothing to free */

    /* Optional, NULL = a reader has no memory of its own. On failure *reader stays NULL. */
    int (*reader_open)(struct data_source *s, int worker, int workers, void **reader, struct err *err);
    void (*reader_close)(void *reader); /* required with reader_open */

    /* Required: one of the two. get is only asked for an index in range. next: 1, 0 at the end; a broken
     * sample is an error, and the call after it goes on behind it. */
    int (*get)(const struct data_source *s, void *reader, int64_t index, struct tensor *view,
               struct err *err);
    int (*next)(const struct data_source *s, void *reader, struct tensor *view, struct err *err);

    /* Optional, NULL = a view is no mapping: was what the last view showed really in the file? */
    int (*whole)(const struct data_source *s, void *reader, struct err *err);
};

extern const struct data_format *const data__formats[];
extern const int data__formats_n;

#endif
