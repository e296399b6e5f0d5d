/* Samples in a tar stream: neighbouring members that share a key. */
#ifndef DATASETS_TAR_H
#define DATASETS_TAR_H

#include "files.h"

struct archive;
struct archive_entry;

/* A stream of samples. All-zero, then data__tar_start. */
struct data__tar {
    struct archive *archive;
    const char *name; /* of the shard, for messages; borrowed */
    bool pending;     /* the header that was read last belongs to the next sample */
    struct archive_entry *pending_entry;
    char *key, *member;           /* of the sample being put together; of the pending member */
    struct data__buffer bytes;    /* all members of the sample, one after the other */
    size_t image_at, image_bytes; /* the first member that is an image by its name; 0 bytes = none */
    bool ended;                   /* or damaged: nothing more can be read */
};

/* Takes an archive that was set up for tar and opened, and closes what it had before. */
void data__tar_start_take(struct data__tar *t, struct archive *archive, const char *name);
void data__tar_fini(struct data__tar *t);

/* Next sample: 1 and key, bytes, image; 0 at the end. With header_only members are skipped and image_bytes, bytes.bytes
 * count what they would be (bytes.data is not touched).
 * Errors: -EBADMSG naming shard, member and offset; after one the next call goes on behind it, or ends the stream when the
 * stream is damaged. */
int data__tar_next(struct data__tar *t, bool header_only, struct err *err);

/* Whether a member's name stays inside: relative and without "..". */
bool data__tar_name_is_safe(const char *name);

#endif
