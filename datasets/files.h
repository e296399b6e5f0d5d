/* Files behind a source: finding, mapping and reading them. */
#ifndef DATASETS_FILES_H
#define DATASETS_FILES_H

#include "format.h"

/* Adds `path` to s->path when it is a file, or, when it is a directory, all files below it whose names end in one of
 * `endings` ("jpg", any case; NULL ends the list; NULL list = all), in byte order of their paths.
 * Errors: -ENOENT and others with the path; -ENODATA a directory without such files; -ELOOP links in a circle. */
int data__find_files(struct data_source *s, const char *path, const char *const *endings, struct err *err);

/* Adds what a shell pattern matches, in byte order. Errors: -ENOENT when nothing does. */
int data__find_glob(struct data_source *s, const char *pattern, struct err *err);

/* "a/b.JPG" ends in "jpg": the part behind the last dot of the last component, any case. */
bool data__has_ending(const char *path, const char *const *endings);

/* An open regular file that is not empty, and its size. Errors: what open says; -ENODATA an empty file; -EISDIR and
 * -EINVAL no regular file; all name the path. */
int data__open_regular(const char *path, int *fd, size_t *bytes, struct err *err);

/* A file mapped read-only. When it gets shorter meanwhile, what it lost reads as zeros, and data__map_whole tells. */
struct data__map {
    unsigned char *data;
    size_t bytes;
    int fd;
    struct data__guard *guard;
};

/* Errors: those of data__open_regular, and what mmap says; -ENFILE 1,024 are mapped already. */
int data__map_open(struct data__map *m, const char *path, struct err *err);
void data__map_close(struct data__map *m);

/* To be asked after bytes were used: were they the file's? Errors: -EBADMSG the file was cut, with both sizes. */
int data__map_whole(const struct data__map *m, const char *path, struct err *err);

/* In a process whose signal handlers were set back since the file was mapped. */
void data__map_arm(void);

/* Memory that grows; all-zero is empty. */
struct data__buffer {
    unsigned char *data;
    size_t bytes, capacity;
};

/* Makes room for `bytes` (contents are kept up to b->bytes). -ENOMEM. */
int data__buffer_reserve(struct data__buffer *b, size_t bytes, struct err *err);
void data__buffer_fini(struct data__buffer *b);

/* The first `most` bytes of a file. Errors: as data__map_open; -EFBIG a file over 2^31 bytes read whole. */
int data__read_file(const char *path, size_t most, struct data__buffer *b, struct err *err);

/* Size of the largest file of the source, 0 when none could be looked at. */
int64_t data__largest_file(const struct data_source *s);

/* Little-endian numbers. */
uint32_t data__u16(const unsigned char *p);
uint32_t data__u32(const unsigned char *p);

/* Makes each size of `to` the larger of the two, and ndim; for the info of sources that vary. */
void data__widen(struct tensor_shape *to, const struct tensor_shape *with, bool *varies);

#endif
