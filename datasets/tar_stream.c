/* Grouping members into samples. The key of a member is its path up to the first dot of the last component, as
 * WebDataset's; members of a sample stand next to each other. Nothing is written anywhere, yet a name that climbs out of
 * its directory is refused: who packed it had something else in mind. */
#include "tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum { PIECE_BYTES = 1 << 22 };

static const int64_t member_bytes_max = INT64_C(1) << 30;

void data__tar_start_take(struct data__tar *t, struct archive *archive, const char *name)
{
    if (t->archive)
        archive_read_free(t->archive);
    t->archive = archive;
    t->name = name;
    t->pending = t->ended = false;
    free(t->key);
    free(t->member);
    t->key = t->member = NULL;
}

void data__tar_fini(struct data__tar *t)
{
    data__tar_start_take(t, NULL, NULL);
    data__buffer_fini(&t->bytes);
}

bool data__tar_name_is_safe(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return false;
    for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
            return false;
    return true;
}

static size_t key_length(const char *member)
{
    const char *name = strrchr(member, '/');
    name = name ? name + 1 : member;
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - member) : strlen(member);
}

/* The stream itself is damaged: nothing behind it can be found. */
static int broken(struct data__tar *t, struct err *err)
{
    t->ended = true;
    const char *why = archive_error_string(t->archive);
    return err_set(err, -EBADMSG, "%s: offset %lld: %s", t->name,
                   (long long)archive_filter_bytes(t->archive, -1), why ? why : "damaged");
}

/* Reads headers up to one of a regular file: 1 and t->member, 0 at the end. */
static int next_member(struct data__tar *t, struct archive_entry **entry, struct err *err)
{
    for (;;) {
        int rc = archive_read_next_header(t->archive, entry);
        if (rc == ARCHIVE_EOF) {
            t->ended = true;
            return 0;
        }
        if (rc < ARCHIVE_WARN)
            return broken(t, err);
        if (archive_entry_filetype(*entry) != AE_IFREG || archive_entry_hardlink(*entry))
            continue;
        const char *name = archive_entry_pathname(*entry);
        if (!name || !data__tar_name_is_safe(name))
            return err_set(err, -EBADMSG, "%s: offset %lld: the member '%s' leaves its directory", t->name,
                           (long long)archive_filter_bytes(t->archive, -1), name ? name : "");
        free(t->member);
        t->member = strdup(name);
        if (!t->member)
            return err_set(err, -ENOMEM, "%s: no memory", t->name);
        return 1;
    }
}

/* Memory grows as bytes come: a header may promise more than there is. */
static int read_member(struct data__tar *t, int64_t size, struct err *err)
{
    for (int64_t have = 0; have < size;) {
        size_t want = (size_t)(size - have) < PIECE_BYTES ? (size_t)(size - have) : PIECE_BYTES;
        int rc = data__buffer_reserve(&t->bytes, t->bytes.bytes + want, err);
        if (rc)
            return rc;
        la_ssize_t n = archive_read_data(t->archive, t->bytes.data + t->bytes.bytes, want);
        if (n < 0)
            return broken(t, err);
        if (n == 0)
            return err_set(err, -EBADMSG, "%s: member %s: %lld bytes, its header says %lld", t->name,
                           t->member, (long long)have, (long long)size);
        have += n;
        t->bytes.bytes += (size_t)n;
    }
    return 0;
}

/* Adds the member whose header was read last. */
static int add_member(struct data__tar *t, struct archive_entry *entry, bool header_only, struct err *err)
{
    int64_t size = archive_entry_size(entry);
    if (size < 0 || size > member_bytes_max - (int64_t)t->bytes.bytes)
        return err_set(err, -EFBIG,
                       "%s: member %s: a sample of %lld bytes and more is over the limit of 2^30", t->name,
                       t->member, (long long)size);
    if (!t->image_bytes && data__has_ending(t->member, data__image_endings)) {
        t->image_at = t->bytes.bytes;
        t->image_bytes = (size_t)size;
    }
    if (!header_only)
        return read_member(t, size, err);
    t->bytes.bytes += (size_t)size;
    return 0;
}

static bool same_key(const struct data__tar *t)
{
    size_t n = key_length(t->member);
    return strlen(t->key) == n && !memcmp(t->key, t->member, n);
}

static int begin_sample(struct data__tar *t, struct err *err)
{
    free(t->key);
    t->key = strndup(t->member, key_length(t->member));
    t->bytes.bytes = 0;
    t->image_at = t->image_bytes = 0;
    return t->key ? 0 : err_set(err, -ENOMEM, "%s: no memory", t->name);
}

/* The entry of a pending header stays valid, as libarchive keeps one until the next header. */
int data__tar_next(struct data__tar *t, bool header_only, struct err *err)
{
    struct archive_entry *entry = t->pending ? t->pending_entry : NULL;
    if (t->ended && !t->pending)
        return 0;
    int rc = t->pending ? 1 : next_member(t, &entry, err);
    t->pending = false;
    if (rc <= 0)
        return rc;
    rc = begin_sample(t, err);
    while (rc == 0) {
        rc = add_member(t, entry, header_only, err);
        if (rc)
            break;
        rc = next_member(t, &entry, err);
        if (rc == 0)
            return 1;
        if (rc == 1 && !same_key(t)) {
            t->pending = true;
            t->pending_entry = entry;
            return 1;
        }
        rc = rc == 1 ? 0 : rc;
    }
    return rc;
}
