/* From a kind of picture and results to files; see plots/plot.h. */
#include "plots/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draw.h"
#include "gnuplot.h"
#include "list.h"
#include "model.h"
#include "page.h"

#define DECLARE(name) extern const struct plot plot_##name;
PLOT_LIST(DECLARE)
#undef DECLARE

#define ENTRY(name) &plot_##name,
const struct plot *const plot_list[] = {PLOT_LIST(ENTRY) NULL};
#undef ENTRY

const struct plot *plot_find(const char *name)
{
    for (size_t i = 0; plot_list[i]; i++)
        if (!strcmp(plot_list[i]->name, name))
            return plot_list[i];
    return NULL;
}

static const char *missing(const struct plot *p, const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (plot__measured(&m->arms[i]))
            return p->missing(m);
    return "nothing was measured";
}

const char *plot_missing(const struct plot *p, const struct summary *const *s, size_t n)
{
    struct plot_model *m;
    if (plot__model_create(s, n, &m, NULL))
        return "out of memory";
    const char *why = missing(p, m);
    plot__model_destroy(m);
    return why;
}

static int write_file(const char *dir, const char *name, const char *ending, const struct text *content,
                      struct err *err)
{
    char path[4096];
    if (content->failed)
        return err_set(err, -ENOMEM, "out of memory");
    if (snprintf(path, sizeof path, "%s/%s.%s", dir, name, ending) >= (int)sizeof path)
        return err_set(err, -ENAMETOOLONG, "%s/%s.%s is too long a path", dir, name, ending);
    FILE *f = fopen(path, "we");
    if (!f)
        return err_set_errno(err, -errno, "cannot write %s", path);
    size_t n = fwrite(text_get(content), 1, content->len, f);
    int code = n == content->len ? 0 : errno;
    if (fclose(f) && !code)
        code = errno;
    return code ? err_set_errno(err, -code, "cannot write %s", path) : 0;
}

static const struct {
    unsigned format;
    const char *ending;
} endings[] = {{PLOT_SVG, "svg"}, {PLOT_PNG, "png"}, {PLOT_PDF, "pdf"}};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* A picture of an older run must not be taken for this one. */
static void remove_pictures(const char *dir, const char *name)
{
    char path[4096];
    for (size_t i = 0; i < ENDINGS; i++)
        if (snprintf(path, sizeof path, "%s/%s.%s", dir, name, endings[i].ending) < (int)sizeof path)
            unlink(path);
}

static bool pictures_are_there(const char *dir, const char *name, unsigned formats)
{
    char path[4096];
    struct stat st;
    for (size_t i = 0; i < ENDINGS; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", dir, name, endings[i].ending);
        if ((formats & endings[i].format) && (stat(path, &st) || st.st_size == 0))
            return false;
    }
    return true;
}

static int write_page(const struct plot_page *page, unsigned formats, const char *dir, struct err *err)
{
    struct text script = {0};
    const char *name = page->plot->name;
    page_script(page, formats, &script);
    remove_pictures(dir, name);
    int rc = page->setup.failed || page->draw.failed || page->subtitle.failed || page->caption.failed
                 ? err_set(err, -ENOMEM, "out of memory")
                 : write_file(dir, name, "dat", &page->data, err);
    if (!rc)
        rc = write_file(dir, name, "gp", &script, err);
    text_fini(&script);
    return rc;
}

static int write_kind(const struct plot *p, const struct plot_model *m, unsigned formats, const char *dir,
                      struct err *err)
{
    struct plot_page page;
    page_init(&page, p, m);
    p->draw(m, &page);
    int rc = write_page(&page, formats, dir, err);
    page_fini(&page);
    return rc;
}

static int make_dir(const char *dir, struct err *err)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return err_set_errno(err, -errno, "cannot make the folder %s", dir);
    struct stat st;
    if (stat(dir, &st))
        return err_set_errno(err, -errno, "cannot look at the folder %s", dir);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, -ENOTDIR, "%s is not a folder", dir);
    return 0;
}

static struct gnuplot_call call_of(const struct plot_options *opt, const char *dir)
{
    return (struct gnuplot_call){.program = opt->gnuplot, .dir = dir, .timeout_ns = opt->timeout_ns};
}

static int kept(struct err *err, int rc, const char *dir)
{
    if (rc && err && err->code == rc) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "; scripts and data are kept in %s", dir);
    }
    return rc;
}

/* Scripts of the kinds whose pictures are wanted and not there yet. */
static size_t list_scripts(const struct plot *const *kinds, const bool *wanted, size_t nkinds,
                           char (*names)[64], const char **scripts)
{
    size_t n = 0;
    for (size_t i = 0; i < nkinds; i++)
        if (wanted[i]) {
            snprintf(names[n], sizeof names[n], "%s.gp", kinds[i]->name);
            scripts[n] = names[n];
            n++;
        }
    return n;
}

/* All in one run; where that fails, those that did not come out on their own, so that one bad picture does
 * not cost the rest, and the error names it. */
static int draw_scripts(const struct plot *const *kinds, const bool *wanted, size_t nkinds,
                        const struct gnuplot_call *call, unsigned formats, bool *drawn, struct err *err)
{
    char(*names)[64] = calloc(nkinds + 1, sizeof *names);
    const char **scripts = calloc(nkinds + 1, sizeof *scripts);
    int rc = names && scripts ? plot__gnuplot_check(call, err) : err_set(err, -ENOMEM, "out of memory");
    if (rc)
        goto done;
    size_t n = list_scripts(kinds, wanted, nkinds, names, scripts);
    bool one_run = n && !plot__gnuplot_run(call, scripts, n, NULL);
    for (size_t i = 0; i < nkinds; i++) {
        if (!wanted[i])
            continue;
        struct err why = {0};
        char script[64];
        const char *const alone[] = {script};
        snprintf(script, sizeof script, "%s.gp", kinds[i]->name);
        int failed = one_run ? 0 : plot__gnuplot_run(call, alone, 1, &why);
        drawn[i] = !failed && pictures_are_there(call->dir, kinds[i]->name, formats);
        if (!drawn[i] && !failed)
            failed = err_set(&why, -EIO, "gnuplot made no picture");
        if (failed && !rc)
            rc = err_set(err, failed, "%s: %s", script, why.text);
    }
done:
    free(scripts);
    free(names);
    return rc;
}

static const char *dir_of(const struct plot_options *opt)
{
    return opt->dir ? opt->dir : ".";
}

static unsigned formats_of(const struct plot_options *opt)
{
    return opt->formats ? opt->formats : PLOT_SVG | PLOT_PNG;
}

int plot__draw_page(const struct plot_page *page, const struct plot_options *opt, struct err *err)
{
    const char *dir = dir_of(opt);
    const bool wanted = true;
    bool drawn = false;
    int rc = make_dir(dir, err);
    if (!rc)
        rc = write_page(page, formats_of(opt), dir, err);
    struct gnuplot_call call = call_of(opt, dir);
    if (!rc)
        rc = kept(err, draw_scripts(&page->plot, &wanted, 1, &call, formats_of(opt), &drawn, err), dir);
    return rc;
}

static int draw_model(const struct plot *const *kinds, size_t nkinds, const struct plot_model *m,
                      const struct plot_options *opt, bool *drawn, struct err *err)
{
    const char *dir = dir_of(opt);
    unsigned formats = formats_of(opt);
    int rc = make_dir(dir, err);
    if (rc)
        return rc;
    bool *wanted = calloc(nkinds + 1, sizeof *wanted);
    if (!wanted)
        return err_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < nkinds && !rc; i++) {
        wanted[i] = !missing(kinds[i], m);
        if (wanted[i])
            rc = write_kind(kinds[i], m, formats, dir, err);
    }
    struct gnuplot_call call = call_of(opt, dir);
    if (!rc)
        rc = kept(err, draw_scripts(kinds, wanted, nkinds, &call, formats, drawn, err), dir);
    free(wanted);
    return rc;
}

int plot_draw_many(const struct plot *const *kinds, size_t nkinds, const struct summary *const *s, size_t n,
                   const struct plot_options *opt, bool *drawn, struct err *err)
{
    struct plot_model *m;
    memset(drawn, 0, nkinds * sizeof *drawn);
    int rc = plot__model_create(s, n, &m, err);
    if (rc)
        return rc;
    rc = draw_model(kinds, nkinds, m, opt, drawn, err);
    plot__model_destroy(m);
    return rc;
}

int plot_draw(const struct plot *p, const struct summary *const *s, size_t n, const struct plot_options *opt,
              struct err *err)
{
    const char *why = plot_missing(p, s, n);
    if (why)
        return err_set(err, -ENODATA, "%s cannot be drawn: %s", p->name, why);
    bool drawn;
    return plot_draw_many(&p, 1, s, n, opt, &drawn, err);
}

static int terminal_columns(const struct plot_options *opt)
{
    return opt->columns > 0 ? opt->columns : 80;
}

/* gnuplot reads its data by a name in its folder, so both files go to a temporary one. */
static int terminal_picture(const struct plot_page *page, const struct plot_options *opt, const char *dir,
                            struct text *out, struct err *err)
{
    struct text script = {0};
    int rows = (opt->rows > 0 ? opt->rows : 24) - 4;
    page_script_terminal(page, terminal_columns(opt), rows > page->rows ? rows : page->rows, &script);
    const char *name = page->plot->name;
    int rc = write_file(dir, name, "dat", &page->data, err);
    if (!rc)
        rc = write_file(dir, name, "gp", &script, err);
    struct gnuplot_call call = call_of(opt, dir);
    call.output = out;
    if (!rc)
        rc = plot__gnuplot_check(&call, err);
    char file[64];
    const char *const scripts[] = {file};
    snprintf(file, sizeof file, "%s.gp", name);
    if (!rc)
        rc = plot__gnuplot_run(&call, scripts, 1, err);
    text_fini(&script);
    return rc;
}

static int terminal_page(const struct plot_page *page, const struct plot_options *opt, const char *dir,
                         struct text *out, struct err *err)
{
    struct text drawn = {0};
    int rc = terminal_picture(page, opt, dir, &drawn, err);
    if (!rc) {
        size_t columns = (size_t)terminal_columns(opt);
        page_add_wrapped(out, page->plot->title, columns);
        page_add_wrapped(out, text_get(&page->subtitle), columns);
        /* gnuplot begins its page with a form feed. */
        const char *picture = text_get(&drawn);
        text_add(out, picture + strspn(picture, "\f\n"));
        page_add_wrapped(out, text_get(&page->caption), columns);
    }
    text_fini(&drawn);
    return rc;
}

static void remove_dir(const char *dir, const char *name)
{
    static const char *const parts[] = {"dat", "gp"};
    char path[512];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", dir, name, parts[i]);
        unlink(path);
    }
    rmdir(dir);
}

int plot_terminal(const struct plot *p, const struct summary *const *s, size_t n,
                  const struct plot_options *opt, struct text *out, struct err *err)
{
    struct plot_model *m;
    int rc = plot__model_create(s, n, &m, err);
    if (rc)
        return rc;
    const char *why = missing(p, m);
    char dir[] = "/tmp/loaderbench-plot-XXXXXX";
    if (why)
        rc = err_set(err, -ENODATA, "%s cannot be drawn: %s", p->name, why);
    else if (!mkdtemp(dir))
        rc = err_set_errno(err, -errno, "cannot make a temporary folder in /tmp");
    if (!rc) {
        struct plot_page page;
        page_init(&page, p, m);
        page.terminal = true;
        p->draw(m, &page);
        rc = terminal_page(&page, opt, dir, out, err);
        page_fini(&page);
        remove_dir(dir, p->name);
    }
    plot__model_destroy(m);
    return rc;
}
