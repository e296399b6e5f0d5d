/* Writing exports. */
#include "export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unit.h"

/* Half a document is none: a file is left as long as it was before; -1 = it is no file. */
static int take_back(const char *path, off_t before, int rc, struct err *err)
{
    bool half = before >= 0 && truncate(path, before);
    return err_set_errno(err, rc, half ? "only a part of '%s' is written" : "cannot write '%s'", path);
}

int export_write(const char *path, const struct text *t, bool append, FILE *out, struct err *err)
{
    if (t->failed)
        return err_set(err, -ENOMEM, "out of memory for '%s'", path);
    if (!strcmp(path, "-")) {
        fputs(text_get(t), out); /* whether it got there is seen when the program ends */
        return 0;
    }
    FILE *f = fopen(path, append ? "ae" : "we");
    struct stat st;
    if (!f)
        return err_set_errno(err, -errno, "cannot write '%s'", path);
    off_t before = !fstat(fileno(f), &st) && S_ISREG(st.st_mode) ? st.st_size : -1;
    errno = 0;
    bool failed = fputs(text_get(t), f) < 0;
    failed = fclose(f) != 0 || failed;
    return failed ? take_back(path, before, errno ? -errno : -EIO, err) : 0;
}

int export_print_take(struct text *t, FILE *out, struct err *err)
{
    int rc = t->failed ? err_set(err, -ENOMEM, "out of memory for the output") : 0;
    fputs(text_get(t), out);
    text_fini(t);
    return rc;
}

void export_sayf(FILE *out, const char *fmt, ...)
{
    struct text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vsayf(&t, fmt, ap);
    va_end(ap);
    fputs(text_get(&t), out);
    text_fini(&t);
}

int export_json_take(struct text *out, json_t *o, size_t flags, struct err *err)
{
    char *text = o ? json_dumps(o, flags) : NULL;
    json_decref(o);
    if (!text)
        return err_set(err, -ENOMEM, "out of memory for the result as JSON");
    text_addf(out, "%s\n", text);
    free(text);
    return 0;
}

bool export_takes_output(const char *const *path, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (path[i] && !strcmp(path[i], "-"))
            return true;
    return false;
}

void export_markdown(struct text *t, const char *s)
{
    struct text clean = {0};
    text_add_line(&clean, s);
    for (const char *p = text_get(&clean); *p; p++) {
        bool starts = p == text_get(&clean) && strchr("-+=>", *p); /* a list, a heading's line, a quotation */
        if (starts || strchr("|\\`*_<>[]#~&$", *p))
            text_add(t, "\\");
        text_add_bytes(t, p, 1);
    }
    t->failed |= clean.failed;
    text_fini(&clean);
}

void export_cell(struct text *t, const char *s)
{
    text_add(t, " ");
    export_markdown(t, s);
    text_add(t, " |");
}

void export_value(struct text *out, const struct result_figure *f, double value)
{
    char buf[UNIT_TEXT];
    size_t n = strlen(f->name);
    if (n > 3 && !strcmp(f->name + n - 3, "_ns"))
        text_add(out, unit_format_ns(buf, value, 3));
    else if (n > 6 && !strcmp(f->name + n - 6, "_bytes"))
        text_add(out, unit_format_bytes(buf, value, 3));
    else
        text_add(out, unit_format_real(buf, value, 4));
}
