/* `loaderbench plot`: the pictures of results, as files or in the terminal. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/name.h"
#include "bench/command.h"
#include "common_options.h"
#include "export.h"
#include "pictures.h"
#include "plots/latency.h"
#include "plots/plot.h"
#include "rows_plot.h"
#include "sessions.h"

struct plot_settings {
    const char *output;
    struct bench_words kinds, formats;
    const char *doctor, *rows;
    bool terminal;
    double level, timeout_ns;
};

static const char *const format_words[] = {"svg", "png", "pdf", NULL};

#define AT(member) BENCH_AT(struct plot_settings, member)

static const struct bench_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = BENCH_OPTION_TEXT,
     AT(output),
     .arg = "FOLDER",
     .file = BENCH_FOLDER,
     .otherwise = "a folder beside the first RESULT, of its name",
     .help = "where the pictures go"},
    {.name = "kind",
     .letter = 'k',
     .kind = BENCH_OPTION_WORDS,
     AT(kinds),
     .help = "which pictures; 'loaderbench list plots' names them",
     .otherwise = "all that the results have data for"},
    {.name = "format",
     .letter = 'f',
     .kind = BENCH_OPTION_WORDS,
     AT(formats),
     .choices = format_words,
     .initial = "svg,png",
     .help = "file formats"},
    {.name = "terminal",
     .letter = 't',
     .kind = BENCH_OPTION_FLAG,
     AT(terminal),
     .help = "draw the first of the pictures in characters, as wide as the terminal, and write no files"},
    {OPTION_DOCTOR, AT(doctor),
     .help = "draw the latency matrix of what `loaderbench doctor --json` found; without RESULT"},
    {.name = "rows",
     .kind = BENCH_OPTION_TEXT,
     AT(rows),
     .arg = "FILE",
     .file = BENCH_FILE_READ,
     .help =
         "draw the rows that `gate` or `compare --export-json` wrote, with their verdicts; without RESULT"},
    {OPTION_LEVEL, AT(level)},
    {OPTION_GNUPLOT_TIMEOUT, AT(timeout_ns)},
};

static size_t count_all(void)
{
    size_t n = 0;
    while (plot_list[n])
        n++;
    return n;
}

static int unknown_kind(const char *given, struct err *err)
{
    size_t n = count_all();
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = plot_list[i]->name;
    int near = names ? name_nearest(given, names, n) : -1;
    err_set(err, -EINVAL, "--kind: no picture is called '%s'%s%s%s", given,
            near >= 0 ? " (did you mean '" : "", near >= 0 ? names[near] : "", near >= 0 ? "'?)" : "");
    free(names);
    return -EINVAL;
}

/* kinds[count_all() + 1]; those named, or all. */
static int choose_kinds(const struct bench_words *words, const struct plot **kinds, size_t *n,
                        struct err *err)
{
    *n = 0;
    if (!words->n)
        for (; plot_list[*n]; ++*n)
            kinds[*n] = plot_list[*n];
    for (size_t i = 0; i < words->n; i++) {
        const struct plot *p = plot_find(words->item[i]);
        if (!p)
            return unknown_kind(words->item[i], err);
        kinds[(*n)++] = p;
    }
    return 0;
}

static unsigned formats_of(const struct bench_words *words)
{
    static const unsigned bits[] = {PLOT_SVG, PLOT_PNG, PLOT_PDF};
    unsigned formats = 0;
    for (size_t i = 0; i < words->n; i++)
        for (size_t k = 0; format_words[k]; k++)
            formats |= strcmp(words->item[i], format_words[k]) ? 0 : bits[k];
    return formats;
}

static int in_terminal(const struct plot *kind, const struct sessions *s, struct plot_options *opt,
                       const struct bench_io *io, struct err *err)
{
    struct winsize size = {0};
    struct text out = {0};
    if (isatty(fileno(io->out)) && !ioctl(fileno(io->out), TIOCGWINSZ, &size) && size.ws_col >= 40) {
        opt->columns = size.ws_col;
        opt->rows = size.ws_row > 20 ? size.ws_row - 2 : 20;
    }
    int rc = plot_terminal(kind, s->list, s->n, opt, &out, err);
    int printed = export_print_take(&out, io->out, err);
    return rc ? rc : printed;
}

static void name_files(const struct plot_settings *set, const char *dir, const char *name, FILE *out)
{
    for (size_t f = 0; f < set->formats.n; f++)
        export_sayf(out, "%s/%s.%s\n", dir, name, set->formats.item[f]);
}

/* What came out; and why something did not, where it was asked for by name or nothing came out at all. */
static void tell(const struct plot *const *kinds, const bool *drawn, size_t n, const struct sessions *s,
                 const struct plot_options *opt, const struct plot_settings *set, const struct bench_io *io)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= drawn[i];
    for (size_t i = 0; i < n; i++) {
        const char *why = drawn[i] || (any && !set->kinds.n) ? NULL : plot_missing(kinds[i], s->list, s->n);
        if (drawn[i])
            name_files(set, opt->dir, kinds[i]->name, io->out);
        if (why)
            export_sayf(io->err, "loaderbench: %s is left out: %s\n", kinds[i]->name, why);
    }
}

static int to_files(const struct plot *const *kinds, size_t n, const struct sessions *s,
                    const struct plot_options *opt, const struct plot_settings *settings,
                    const struct bench_io *io, struct err *err)
{
    bool *drawn = calloc(n + 1, sizeof *drawn);
    if (!drawn)
        return err_set(err, -ENOMEM, "out of memory");
    int rc = plot_draw_many(kinds, n, s->list, s->n, opt, drawn, err);
    tell(kinds, drawn, n, s, opt, settings, io);
    for (size_t i = 0; i < n && !rc && settings->kinds.n; i++)
        if (!drawn[i])
            rc = err_set(err, -ENODATA, "%s could not be drawn from these results", kinds[i]->name);
    free(drawn);
    return rc;
}

static int draw(const struct plot_settings *settings, const struct plot *const *kinds, size_t n,
                const struct bench_io *io, struct err *err)
{
    struct sessions s;
    int rc = sessions_open(&s, io->parsed->operands, io->parsed->noperands, settings->level, io->err, err);
    if (rc)
        return BENCH_EXIT_USAGE;
    char *beside = pictures_folder(io->parsed->operands[0]);
    struct plot_options opt = {.dir = settings->output ? settings->output : beside,
                               .formats = formats_of(&settings->formats),
                               .timeout_ns = settings->timeout_ns};
    if (!opt.dir)
        rc = err_set(err, -ENOMEM, "out of memory");
    else if (settings->terminal)
        rc = in_terminal(kinds[0], &s, &opt, io, err);
    else
        rc = to_files(kinds, n, &s, &opt, settings, io, err);
    free(beside);
    sessions_close(&s);
    return rc ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

/* The matrix of a doctor's findings; null is "not measured". The caller frees *ns. */
static int read_matrix(const char *path, double **ns, size_t *n, struct err *err)
{
    json_error_t where;
    json_t *root = json_load_file(path, 0, &where), *rows = NULL, *row;
    if (!root)
        return err_set(err, -EINVAL, "cannot read %s: %s", path, where.text);
    rows = json_object_get(json_object_get(json_object_get(root, "measured"), "roundtrip"), "round_trip_ns");
    *n = json_array_size(rows);
    *ns = calloc(*n * *n + 1, sizeof **ns);
    size_t i;
    json_array_foreach (rows, i, row)
        for (size_t k = 0; *ns && k < *n; k++) {
            const json_t *v = json_array_get(row, k);
            (*ns)[i * *n + k] = json_is_number(v) ? json_number_value(v) : NAN;
        }
    json_decref(root);
    if (!*ns)
        return err_set(err, -ENOMEM, "out of memory");
    return *n ? 0
              : err_set(err, -ENODATA, "%s has no latency matrix: is it of `loaderbench doctor --json`?",
                        path);
}

/* Pictures of other files than results. Returns an exit code. */
static int draw_other(const struct plot_settings *set, const struct bench_io *io, struct err *err)
{
    double *ns = NULL;
    size_t n = 0;
    const char *name = "latency";
    struct plot_options opt = {.dir = set->output ? set->output : ".",
                               .formats = formats_of(&set->formats),
                               .timeout_ns = set->timeout_ns};
    int rc = set->rows ? rows_plot_file(set->rows, &opt, &name, err) : read_matrix(set->doctor, &ns, &n, err);
    int code = rc == -EINVAL || rc == -ENODATA ? BENCH_EXIT_USAGE : BENCH_EXIT_FAILED;
    if (!rc && set->doctor && (rc = plot_latency(ns, NULL, n, &opt, err)))
        code = BENCH_EXIT_FAILED;
    if (!rc)
        name_files(set, opt.dir, name, io->out);
    free(ns);
    return rc ? code : BENCH_EXIT_DONE;
}

static int check_operands(const struct plot_settings *set, const struct bench_io *io, struct err *err)
{
    if (set->doctor && set->rows)
        return err_set(err, -EINVAL, "--doctor and --rows do not go together");
    bool other = set->doctor || set->rows;
    if (other && io->parsed->noperands)
        return err_set(err, -EINVAL, "--%s takes no RESULT beside it", set->doctor ? "doctor" : "rows");
    if (!other && !io->parsed->noperands)
        return err_set(err, -EINVAL, "RESULT... is missing");
    return 0;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct plot_settings *set = settings;
    size_t n;
    if (check_operands(set, io, err))
        return BENCH_EXIT_USAGE;
    if (set->doctor || set->rows)
        return draw_other(set, io, err);
    const struct plot **kinds = calloc(count_all() + set->kinds.n + 1, sizeof *kinds);
    if (!kinds) {
        err_set(err, -ENOMEM, "out of memory");
        return BENCH_EXIT_FAILED;
    }
    int code = choose_kinds(&set->kinds, kinds, &n, err) ? BENCH_EXIT_USAGE : draw(set, kinds, n, io, err);
    free(kinds);
    return code;
}

const struct bench_command command_plot = {
    .name = "plot",
    .summary = "Pictures of results: cost against workers, item times, waits and more",
    .details =
        "Draws what the results have data for, as SVG and PNG; the gnuplot script and the data of each "
        "picture stand beside it, and `gnuplot NAME.gp` there draws it again after a change. Several "
        "results are laid over each other.\n\n"
        "Standard output names the files that were made.",
    .operands = "[RESULT...]",
    .operands_min = 0,
    .operands_max = 64,
    .options = {options, sizeof options / sizeof *options},
    .settings_size = sizeof(struct plot_settings),
    .run = run,
};
