/* Names made of the time of day. */
#include "when.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct tm utc_now(void)
{
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    return tm;
}

char *when_now(void)
{
    char text[32];
    const struct tm now = utc_now();
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &now);
    return strdup(text);
}

int when_new_path(const char *folder, char **out, struct err *err)
{
    char text[32];
    const struct tm now = utc_now();
    strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &now);
    *out = NULL;
    for (int i = 1; i < 100; i++) {
        free(*out);
        if (asprintf(out, i > 1 ? "%s/%s-%d.jsonl" : "%s/%s.jsonl", folder, text, i) < 0) {
            *out = NULL;
            return err_set(err, -ENOMEM, "out of memory for a path");
        }
        if (access(*out, F_OK))
            break;
    }
    return 0;
}
