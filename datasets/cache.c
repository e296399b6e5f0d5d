/* Warm: read. Cold: posix_fadvise(DONTNEED), which leaves pages that are dirty, mapped by a process, or of a file system
 * that lives in memory; so mincore() has the last word on what is so. */
#include "datasets/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"

enum { READ_BYTES = 1 << 20 };

const char *const data_cache_names[] = {
    [DATA_CACHE_AS_IS] = "as-is", [DATA_CACHE_WARM] = "warm", [DATA_CACHE_COLD] = "cold", NULL};

static int read_through(int fd, const char *path, struct err *err)
{
    char *buf = malloc(READ_BYTES);
    if (!buf)
        return err_set(err, -ENOMEM, "%s: no memory to read it", path);
    ssize_t n = 1;
    for (off_t at = 0; n > 0; at += n)
        n = pread(fd, buf, READ_BYTES, at);
    int rc = n < 0 ? err_set_errno(err, -errno, "%s", path) : 0;
    free(buf);
    return rc;
}

/* Bytes of the file's pages that are in memory. */
static int64_t resident(int fd, int64_t bytes)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t pages = (size_t)((bytes + page - 1) / page), in = 0;
    unsigned char *map = bytes ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    unsigned char *bit = malloc(pages ? pages : 1);
    if (map != MAP_FAILED && bit && !mincore(map, (size_t)bytes, bit))
        for (size_t i = 0; i < pages; i++)
            in += bit[i] & 1;
    if (map != MAP_FAILED)
        munmap(map, (size_t)bytes);
    free(bit);
    int64_t got = (int64_t)in * page;
    return got < bytes ? got : bytes;
}

static int apply_to_file(const char *path, enum data_cache want, struct data_cache_report *out,
                         struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, -errno, "%s", path);
    struct stat st;
    int rc = fstat(fd, &st) ? err_set_errno(err, -errno, "%s", path) : 0;
    if (!rc && want == DATA_CACHE_WARM)
        rc = read_through(fd, path, err);
    if (!rc && want == DATA_CACHE_COLD && !fsync(fd))
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (!rc) {
        out->files++;
        out->bytes += st.st_size;
        out->resident_bytes += resident(fd, st.st_size);
    }
    close(fd);
    return rc;
}

int data_cache_apply(const struct data_source *s, enum data_cache want, struct data_cache_report *out,
                     struct err *err)
{
    *out = (struct data_cache_report){0};
    for (int64_t i = 0; i < s->paths; i++) {
        int rc = apply_to_file(s->path[i], want, out, err);
        if (rc)
            return rc;
    }
    out->held = want == DATA_CACHE_AS_IS || (want == DATA_CACHE_WARM && out->resident_bytes == out->bytes) ||
                (want == DATA_CACHE_COLD && out->resident_bytes == 0);
    if (!out->held && want == DATA_CACHE_COLD)
        snprintf(out->reason, sizeof out->reason,
                 "%lld of %lld bytes stay in memory: mapped by a process, or on a file system in memory",
                 (long long)out->resident_bytes, (long long)out->bytes);
    else if (!out->held)
        snprintf(out->reason, sizeof out->reason, "only %lld of %lld bytes stayed in memory",
                 (long long)out->resident_bytes, (long long)out->bytes);
    return 0;
}
