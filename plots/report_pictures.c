/* Drawing and reading the pictures of a report; see report_pictures.h. */
#include "report_pictures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int make_scratch(const struct report_options *opt, struct report_pictures *p)
{
    const char *base = opt->scratch ? opt->scratch : "/tmp";
    if (asprintf(&p->dir, "%s/loaderbench-report-XXXXXX", base) < 0) {
        p->dir = NULL;
        return -ENOMEM;
    }
    if (mkdtemp(p->dir)) {
        p->scratch = true;
        return 0;
    }
    err_set_errno(&p->err, -errno, "cannot make a folder for pictures in %s", base);
    return 0;
}

static int allocate(struct report_pictures *p)
{
    while (plot_list[p->n])
        p->n++;
    p->kinds = calloc(p->n + 1, sizeof *p->kinds);
    p->drawn = calloc(p->n + 1, sizeof *p->drawn);
    p->missing = calloc(p->n + 1, sizeof *p->missing);
    return p->kinds && p->drawn && p->missing ? 0 : -ENOMEM;
}

int report_pictures_init(const struct summary *const *s, size_t n, const struct report_options *opt,
                         const char *folder, unsigned formats, struct report_pictures *out, struct err *err)
{
    *out = (struct report_pictures){0};
    int rc = allocate(out);
    if (!rc && folder)
        rc = (out->dir = strdup(folder)) ? 0 : -ENOMEM;
    else if (!rc)
        rc = make_scratch(opt, out);
    if (rc) {
        report_pictures_fini(out);
        return err_set(err, rc, "out of memory");
    }
    for (size_t i = 0; i < out->n; i++) {
        out->kinds[i] = plot_list[i];
        out->missing[i] = plot_missing(plot_list[i], s, n);
    }
    struct plot_options options = {
        .dir = out->dir, .formats = formats, .gnuplot = opt->gnuplot, .timeout_ns = opt->timeout_ns};
    if (!out->err.code)
        plot_draw_many(out->kinds, out->n, s, n, &options, out->drawn, &out->err);
    return 0;
}

void report_pictures_read(const struct report_pictures *p, size_t i, const char *ending, struct text *out)
{
    char path[4096], buf[65536];
    if (snprintf(path, sizeof path, "%s/%s.%s", p->dir, p->kinds[i]->name, ending) >= (int)sizeof path)
        return;
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        text_add_bytes(out, buf, n);
    fclose(f);
}

void report_pictures_fini(struct report_pictures *p)
{
    static const char *const endings[] = {"gp", "dat", "svg", "png", "pdf"};
    char path[4096];
    for (size_t i = 0; p->scratch && i < p->n; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
            if (snprintf(path, sizeof path, "%s/%s.%s", p->dir, plot_list[i]->name, endings[e]) <
                (int)sizeof path)
                unlink(path);
    if (p->scratch)
        rmdir(p->dir);
    free(p->kinds);
    free(p->drawn);
    free(p->missing);
    free(p->dir);
    *p = (struct report_pictures){0};
}
