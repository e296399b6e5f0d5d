/* Photos, and libjpeg-turbo's own decoding of them: the yardstick of decode_speed. */
#ifndef TESTS_HARNESS_SPEED_PHOTOS_H
#define TESTS_HARNESS_SPEED_PHOTOS_H

#include <stddef.h>

#include "datasets/source.h"

struct photo {
    unsigned char *data;
    size_t bytes;
};

struct photos {
    struct data_source *source;
    struct data_reader *reader;
    struct photo *photo; /* all of them, in memory */
    int n;
};

/* The files behind "images:DIR", as the dataset finds and reads them. Owner: the caller, until photos_fini, on failure
 * too. */
int photos_read(const char *spec, struct photos *out, struct err *err);
void photos_fini(struct photos *p);

/* Writes n pictures of 307 x 173 pixels to the directory, with as much detail as a photo of that size: some 20 KB each.
 * Returns 0, or -1 with errno set. */
int photos_make(const char *directory, int n);

/* Decodes each once to RGB, as tjDecompress2 does it without flags: the library's defaults, all rows into one buffer.
 * from_files: each file is read before, as djpeg has to; else they are in memory.
 * Returns the number of pixels; -1 when one cannot be decoded. */
long photos_decode(const struct photos *p, bool from_files);

#endif
