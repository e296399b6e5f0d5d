/* Private: a result file that is being written, fresh or gone on with. */
#ifndef RESULTS_IO_OPEN_H
#define RESULTS_IO_OPEN_H

#include <stdio.h>
#include <sys/types.h>

#include "results/io.h"

/* How a file ends. */
struct io_tail {
    off_t bytes; /* of it all */
    off_t
        whole; /* up to the end of the last record that counts: behind it are a line that was cut, and lines of an
                       invocation that never came to its end */
    bool open_line; /* that record's line has no end */
};

struct result_writer {
    int fd;
    char *path;
    struct io_tail tail; /* of a file that is gone on with */
};

/* Owner: result_writer_close. fd is -1. NULL: out of memory. */
struct result_writer *io_writer_create(const char *path, struct err *err);

/* For this writer alone, until it is closed or its process ends. A file system without locks has none.
 * Errors: -EBUSY another one has it. */
int io_lock(struct result_writer *w, struct err *err);

/* result_read from a stream, which stays the caller's; out->path stays NULL. */
int io_read_stream(FILE *f, const char *path, struct result *out, struct io_tail *tail, struct err *err);

#endif
