/* `loaderbench report`: everything about results on one page. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command.h"
#include "common_options.h"
#include "export.h"
#include "plots/report.h"
#include "sessions.h"
#include "table.h"

struct report_settings {
    const char *output, *doctor;
    bool markdown;
    double level, timeout_ns;
};

#define AT(member) BENCH_AT(struct report_settings, member)

static const struct bench_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = BENCH_OPTION_TEXT,
     AT(output),
     .arg = "FILE|-",
     .file = BENCH_FILE_OR_OUTPUT,
     .initial = "-",
     .help = "the page; - is standard output"},
    {.name = "markdown",
     .letter = 'm',
     .kind = BENCH_OPTION_FLAG,
     AT(markdown),
     .help = "markdown; its pictures go into a folder beside FILE, of its name without the ending"},
    {OPTION_DOCTOR, AT(doctor), .help = "what `loaderbench doctor --json` found, to be put on the page"},
    {OPTION_LEVEL, AT(level)},
    {OPTION_GNUPLOT_TIMEOUT, AT(timeout_ns)},
};

/* The sentences of the table, for each result. The texts own them. */
struct sentences {
    struct text *texts; /* [3 n] */
    struct report_words *words;
    size_t n;
};

static int sentences_init(struct sentences *w, const struct sessions *s, struct err *err)
{
    *w = (struct sentences){calloc(3 * s->n + 1, sizeof *w->texts), calloc(s->n + 1, sizeof *w->words), s->n};
    if (!w->texts || !w->words)
        return err_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < s->n; i++) {
        struct text *t = &w->texts[3 * i];
        table_add_choice(&t[0], s->list[i]);
        table_add_ratio(&t[1], s->list[i]);
        table_add_caveats(&t[2], s->list[i]);
        w->words[i] = (struct report_words){text_get(&t[0]), text_get(&t[1]), text_get(&t[2])};
    }
    return 0;
}

static void sentences_fini(struct sentences *w)
{
    for (size_t i = 0; w->texts && i < 3 * w->n; i++)
        text_fini(&w->texts[i]);
    free(w->texts);
    free(w->words);
}

/* Findings of a doctor's JSON; their texts live as long as the root. */
struct findings {
    json_t *root;
    struct report_finding *item;
    size_t n;
};

static const char *member(const json_t *o, const char *key, const char *otherwise)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : otherwise;
}

static int findings_read(struct findings *f, const char *path, struct err *err)
{
    *f = (struct findings){0};
    json_error_t where;
    if (!path)
        return 0;
    f->root = json_load_file(path, 0, &where);
    if (!f->root)
        return err_set(err, -EINVAL, "cannot read %s: %s", path, where.text);
    const json_t *list = json_object_get(f->root, "findings");
    if (!json_is_array(list))
        return err_set(err, -ENODATA, "%s has no findings: is it of `loaderbench doctor --json`?", path);
    f->n = json_array_size(list);
    f->item = calloc(f->n + 1, sizeof *f->item);
    if (!f->item)
        return err_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < f->n; i++) {
        const json_t *o = json_array_get(list, i);
        f->item[i] = (struct report_finding){member(o, "level", "?"), member(o, "check", "?"),
                                             member(o, "text", ""), member(o, "advice", NULL)};
    }
    return 0;
}

static void findings_fini(struct findings *f)
{
    json_decref(f->root);
    free(f->item);
}

/* "dir/page.md" -> folder "dir/page", link "page". Both owned by the caller. */
static int picture_folder(const char *output, char **folder, char **link, struct err *err)
{
    const char *slash = strrchr(output, '/');
    const char *base = slash ? slash + 1 : output;
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - output) : strlen(output);
    *folder = dot && dot > base ? strndup(output, stem) : NULL;
    if (!*folder && asprintf(folder, "%s.pictures", output) < 0)
        *folder = NULL;
    *link = *folder ? strdup(*folder + (base - output)) : NULL;
    return *link ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int make_page(const struct report_settings *set, const struct sessions *s, const struct findings *f,
                     struct text *page, struct err *pictures, struct err *err)
{
    struct sentences w;
    char *folder = NULL, *link = NULL;
    int rc = sentences_init(&w, s, err);
    struct report_options opt = {
        .timeout_ns = set->timeout_ns, .words = w.words, .findings = f->item, .nfindings = f->n};
    if (!rc && set->markdown)
        rc = picture_folder(set->output, &folder, &link, err);
    if (!rc)
        rc = set->markdown ? report_markdown(s->list, s->n, &opt, folder, link, page, pictures, err)
                           : report_html(s->list, s->n, &opt, page, pictures, err);
    free(folder);
    free(link);
    sentences_fini(&w);
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct report_settings *set = settings;
    struct sessions s;
    if (set->markdown && !strcmp(set->output, "-")) {
        err_set(err, -EINVAL, "--markdown needs --output FILE: its pictures are files beside it");
        return BENCH_EXIT_USAGE;
    }
    if (sessions_open(&s, io->parsed->operands, io->parsed->noperands, set->level, io->err, err))
        return BENCH_EXIT_USAGE;
    struct text page = {0};
    struct err pictures = {0};
    struct findings found;
    int rc = findings_read(&found, set->doctor, err);
    if (!rc)
        rc = make_page(set, &s, &found, &page, &pictures, err);
    findings_fini(&found);
    if (!rc)
        rc = export_write(set->output, &page, false, io->out, err);
    if (!rc && pictures.code)
        fprintf(io->err, "loaderbench: the report lacks pictures: %s\n", pictures.text);
    text_fini(&page);
    sessions_close(&s);
    return rc ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_report = {
    .name = "report",
    .summary = "Everything about results on one page (HTML or Markdown)",
    .details =
        "The page needs nothing else: pictures, rows and all are inside. It can be mailed, put on a web "
        "server, printed. The answer stands on top, then the main picture, a table that can be sorted and "
        "filtered, the details of each setting, more pictures, method, machine, and the raw rows.",
    .operands = "RESULT...",
    .operands_min = 1,
    .operands_max = 16,
    .options = {options, sizeof options / sizeof *options},
    .settings_size = sizeof(struct report_settings),
    .run = run,
};
