/* Files behind a source in a few words that change when they do. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "format.h"

char *data_source_stamp(const struct data_source *s, char out[DATA_STAMP])
{
    int64_t bytes = 0, missing = 0;
    struct timespec newest = {0};
    for (int64_t i = 0; i < s->paths; i++) {
        struct stat st;
        if (stat(s->path[i], &st)) {
            missing++;
            continue;
        }
        bytes += st.st_size;
        if (st.st_mtim.tv_sec > newest.tv_sec ||
            (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec))
            newest = st.st_mtim;
    }
    struct tm tm;
    char date[32] = "";
    if (!gmtime_r(&newest.tv_sec, &tm) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(date, sizeof date, "%lld", (long long)newest.tv_sec);
    if (!s->paths)
        snprintf(out, DATA_STAMP, "none");
    else
        snprintf(out, DATA_STAMP, "%" PRId64 " (%" PRId64 " bytes, changed last %s.%03ldZ)",
                 s->paths - missing, bytes, date, newest.tv_nsec / 1000000);
    return out;
}
