/* Any bytes as a result file: refused with a reason, or read into a record that can be summed up. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "results/io.h"
#include "results/summary.h"
#include "testing/fuzz.h"

static void sum_up(const struct result *r)
{
    struct summary *s;
    if (!summary_create(r, 0.95, &s, NULL)) {
        assert(s->choice.arm < (int)r->narms);
        summary_destroy(s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct result r;
    struct err err = {0};
    if (result_read(path, &r, &err))
        assert(err.code && err.text[0]);
    else
        sum_up(&r);
    result_fini(&r);
    close(fd);
    return 0;
}
