/* Lines of the raw file; see calibrate_raw.h. */
#include "calibrate_raw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is a line one of this file's, or as much of one as a kill left? */
static bool is_line(const char *line, size_t n)
{
    static const char begin[] = "{\"of\":{";
    json_t *o = json_loadb(line, n, 0, NULL);
    bool is = o ? json_is_object(json_object_get(o, "of")) && json_is_string(json_object_get(o, "verdict"))
                : !strncmp(line, begin, n < sizeof begin - 1 ? n : sizeof begin - 1);
    json_decref(o);
    return is;
}

int calibrate_raw_check(const char *path, struct err *err)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    if (!path || (!f && errno == ENOENT))
        return 0;
    if (!f)
        return err_set_errno(err, -errno, "--raw: cannot read '%s'", path);
    char *line = NULL;
    size_t cap = 0, number = 0;
    int rc = 0;
    for (ssize_t n; !rc && (n = getline(&line, &cap, f)) > 0;) {
        number++;
        if (!is_line(line, (size_t)(n - (line[n - 1] == '\n'))))
            rc = err_set(
                err, -EINVAL,
                "--raw: line %zu of '%s' is no comparison that calibrate made; nothing is added to it",
                number, path);
    }
    free(line);
    fclose(f);
    return rc;
}

/* Behind a line that was cut, the next one begins on its own. */
static FILE *open_end(const char *path)
{
    FILE *f = fopen(path, "a+e");
    int last = f && !fseek(f, -1, SEEK_END) ? fgetc(f) : EOF;
    if (f && !fseek(f, 0, SEEK_END) && last != EOF && last != '\n')
        fputc('\n', f);
    return f;
}

int calibrate_raw_add(const char *path, json_t *line, struct err *err)
{
    char *text = path && line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!path)
        return 0;
    if (!text)
        return err_set(err, -ENOMEM, "out of memory for a line of '%s'", path);
    FILE *f = open_end(path);
    errno = 0;
    bool written = f && fprintf(f, "%s\n", text) > 0;
    written = f && !fclose(f) && written;
    free(text);
    return written ? 0 : err_set_errno(err, errno ? -errno : -EIO, "cannot write '%s'", path);
}

int calibrate_raw_read(const char *path, const json_t *of, size_t most,
                       int (*take)(void *arg, const json_t *line, bool *counts, struct err *err), void *arg,
                       struct err *err)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t cap = 0, n = 0;
    int rc = 0;
    while (!rc && f && n < most && getline(&line, &cap, f) > 0) {
        json_t *o = json_loads(line, 0, NULL);
        bool counts = false;
        if (json_equal(json_object_get(o, "of"), of))
            rc = take(arg, o, &counts, err);
        n += counts;
        json_decref(o);
    }
    free(line);
    if (f)
        fclose(f);
    return rc;
}
