/* Any bytes as a shard: an end comes, samples have a key, and their picture lies inside their bytes. */
#include <archive.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tar.h"
#include "testing/fuzz.h"

static void read_all(const uint8_t *data, size_t size, bool header_only)
{
    struct archive *a = archive_read_new();
    if (!a)
        abort();
    archive_read_support_format_tar(a);
    if (archive_read_open_memory(a, data, size) != ARCHIVE_OK) {
        archive_read_free(a);
        return;
    }
    struct data__tar t = {0};
    data__tar_start_take(&t, a, "fuzz.tar");
    for (;;) {
        struct err err = {0};
        int rc = data__tar_next(&t, header_only, &err);
        if (rc == 0)
            break;
        assert(rc > 0 || (err.code && strstr(err.text, "fuzz.tar")));
        if (rc < 0)
            continue;
        assert(data__tar_name_is_safe(t.member) && t.key);
        assert(t.image_at <= t.bytes.bytes && t.image_bytes <= t.bytes.bytes - t.image_at);
        assert(header_only || t.bytes.bytes <= t.bytes.capacity);
    }
    data__tar_fini(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size, false);
    read_all(data, size, true);
    return 0;
}
