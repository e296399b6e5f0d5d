/* A dataset, transforms and a consumer of your own for loaderbench, in one shared object.
 *
 *     cc -shared -fPIC -I PREFIX/include -o mine.so mine.c
 *     loaderbench tune --data plugin:./mine.so:ARGS --transform plugin=./mine.so:NAME:ARGS
 *     loaderbench tune --data images:photos --consumer plugin:./mine.so:ARGS
 *
 * The object defines one symbol, `const struct loaderbench_plugin loaderbench_plugin`. This header needs nothing else and
 * works in C and C++. docs/examples/squares.c and docs/examples/mean.c are whole ones.
 *
 * Functions return 0, or not 0 after writing a line for a person to `why` (why_bytes large, it may be left alone).
 * They run in worker processes that were forked after `open`, or in threads: several calls on one self at a time, so
 * what they change in it must be guarded. */
#ifndef LOADERBENCH_PLUGIN_H
#define LOADERBENCH_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOADERBENCH_PLUGIN_VERSION 2 /* 2: consumer. What was compiled with version 1 still loads */

enum loaderbench_dtype { LOADERBENCH_F32, LOADERBENCH_U8, LOADERBENCH_I16, LOADERBENCH_F64 };

/* Row-major; 1 to 4 dimensions of at least 1. Images are height x width x channels, values 0 to 255. */
struct loaderbench_shape {
    int32_t dtype, ndim;
    int64_t dim[4];
};

struct loaderbench_transform {
    const char *name;

    /* Optional, NULL = any input, the same shape comes out, no self. Sets *out for *in, and *self. args is "" when none were
     * given. May be called again for samples of another shape. */
    int (*plan)(const char *args, const struct loaderbench_shape *in, struct loaderbench_shape *out,
                void **self, char *why, size_t why_bytes);

    /* Required. `out` has room for the shape that plan said, and is aligned to 64 bytes. */
    int (*run)(void *self, const struct loaderbench_shape *in, const void *data, void *out, char *why,
               size_t why_bytes);

    void (*free)(void *self); /* optional, NULL = nothing to free */
};

/* A batch as it was delivered; all of it is the loader's, and goes away after the step. */
struct loaderbench_batch {
    int64_t number, samples;         /* the how manieth, from 0; how many samples it has */
    const int64_t *index;            /* [samples] their indices in the dataset; of a stream, or -1 */
    const unsigned char *data;       /* sample i begins at data + offset[i], aligned to 64 bytes */
    const size_t *offset, *bytes;    /* [samples] */
    struct loaderbench_shape sample; /* its shape, or the largest of each size when they vary */
};

/* What is done with each batch while the loader makes the next ones: the step of a training. It runs in the process that
 * takes the batches, in one thread, and its time is the consumer's. */
struct loaderbench_consumer {
    /* Optional, NULL = no self. */
    int (*open)(const char *args, const struct loaderbench_shape *sample, int64_t batch_size, void **self,
                char *why, size_t why_bytes);
    int (*step)(void *self, const struct loaderbench_batch *batch, char *why,
                size_t why_bytes); /* required */
    void (*close)(void *self);     /* optional, NULL = nothing to free */
};

struct loaderbench_plugin {
    uint32_t version;      /* LOADERBENCH_PLUGIN_VERSION */
    uint32_t struct_bytes; /* sizeof(struct loaderbench_plugin) */
    const char *name;

    /* The dataset: open and get, or neither. open says how many samples there are and their shape, or the largest of each
     * size when they vary (then get sets *shape to the sample's own). `out` has room for the largest. */
    int (*open)(const char *args, void **self, int64_t *samples, struct loaderbench_shape *largest, char *why,
                size_t why_bytes);
    int (*get)(void *self, int64_t index, void *out, struct loaderbench_shape *shape, char *why,
               size_t why_bytes);
    void (*close)(void *self); /* optional, NULL = nothing to free */

    const struct loaderbench_transform *transforms; /* NULL = none */
    int32_t transforms_n;

    const struct loaderbench_consumer *consumer; /* NULL = none; since version 2 */
};

extern const struct loaderbench_plugin loaderbench_plugin;

#ifdef __cplusplus
}
#endif

#endif
