/* `loaderbench compare`: results measured at different times against the first of them, arm by arm. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "baseline.h"
#include "bench/command.h"
#include "common_options.h"
#include "export.h"
#include "results/csv.h"
#include "results/json.h"
#include "results/stats/tost.h"
#include "results/summary.h"
#include "rows_plot.h"

struct compare_settings {
    const char *folder, *filter, *json, *csv, *markdown, *plot;
    struct bench_words metric;
    double level, margin, across;
    int sort;
    bool any_machine, quiet;
};

static const char *const sort_words[] = {"suite", "name", "ratio", NULL};
enum { SORT_SUITE, SORT_NAME, SORT_RATIO };

#define AT(member) BENCH_AT(struct compare_settings, member)

static const struct bench_option options[] = {
    {OPTION_METRIC, AT(metric), .help = "what is compared, each a row: as in 'gate'", .group = "Rows"},
    {OPTION_FILTER, AT(filter), .group = "Rows"},
    {.name = "sort",
     .kind = BENCH_OPTION_CHOICE,
     AT(sort),
     .choices = sort_words,
     .initial = "suite",
     .help = "order of the rows; 'ratio': what got worse first",
     .group = "Rows"},
    {OPTION_MARGIN, AT(margin), .max = MARGIN_MOST, .help = "what counts as the same", .group = "How sure"},
    {OPTION_LEVEL, AT(level), .group = "How sure"},
    {OPTION_ACROSS_SESSIONS, AT(across),
     .help = "with one session a side the spread between sessions cannot be known: 0 says so (exit 4), "
             "another value is "
             "taken as its standard deviation and widens the intervals",
     .group = "How sure"},
    {OPTION_ANY_MACHINE, AT(any_machine), .group = "How sure"},
    {OPTION_BASELINES, AT(folder), .group = "Input and output"},
    {OPTION_EXPORT_JSON, AT(json), .help = "all rows as JSON; '-': instead of the table",
     .group = "Input and output"},
    {OPTION_EXPORT_CSV, AT(csv), .group = "Input and output"},
    {OPTION_EXPORT_MARKDOWN, AT(markdown), .help = "as a Markdown table", .group = "Input and output"},
    {OPTION_PLOT("compare"), AT(plot), .group = "Input and output"},
    {OPTION_QUIET, AT(quiet), .help = "no warnings", .group = "Input and output"},
};

/* One line of the table: an arm's figure on side b against side a. */
struct line {
    const char *a, *b; /* names of the sides */
    const struct result_figure *figure;
    struct compare_row row;
    double ratio, low, high;
    const char *verdict;
};

/* All that is compared. What the lines point into lives as long. */
struct table {
    const struct compare_settings *settings;
    struct baseline *side;
    size_t nsides;
    struct result_figure *figure;
    size_t nfigures;
    struct line *line;
    size_t nlines;
    struct text differences;
    bool unfit, compared; /* there is a row that cannot be known; there is one with a ratio */
};

static const char *verdict_of(const struct line *l, double margin)
{
    switch (l->row.state) {
    case COMPARE_ONLY_A:
        return "missing";
    case COMPARE_ONLY_B:
        return "new";
    case COMPARE_FAILED:
        return "failed";
    case COMPARE_OTHER_WORK:
        return "other work";
    case COMPARE_OTHER_SAMPLES:
        return "other samples";
    case COMPARE_ONE_SESSION:
        return "cannot be known";
    case COMPARE_KNOWN:
        break;
    }
    switch (stats_tost(log(l->low), log(l->high), log1p(margin))) {
    case STATS_DIFFERENT:
        return l->ratio > 1 ? "worse" : "better";
    case STATS_EQUAL_WITHIN:
        return "same";
    case STATS_DIFFERENT_WITHIN:
        return l->ratio > 1 ? "worse, within the margin" : "better, within the margin";
    case STATS_NOTHING_FOUND:
        break;
    }
    return "not told apart";
}

static struct line make_line(const struct table *t, size_t side, const struct result_figure *f,
                             const struct compare_row *row)
{
    double alpha = (1 - t->settings->level) / 2;
    struct line l = {.a = t->side[0].name, .b = t->side[side].name, .figure = f, .row = *row};
    bool both = row->state == COMPARE_KNOWN || row->state == COMPARE_ONE_SESSION;
    l.ratio = both ? exp(row->ln.difference) : NAN;
    l.low = row->state == COMPARE_KNOWN ? exp(stats_pooled_lower(&row->ln, alpha)) : NAN;
    l.high = row->state == COMPARE_KNOWN ? exp(stats_pooled_upper(&row->ln, alpha)) : NAN;
    l.verdict = verdict_of(&l, t->settings->margin);
    return l;
}

static int add_lines(struct table *t, size_t side, const struct result_figure *f, struct err *err)
{
    struct compare c;
    const struct compare_side a = baseline_side(&t->side[0]), b = baseline_side(&t->side[side]);
    int rc = compare_create(&a, &b, f, log1p(t->settings->across), &c, err);
    if (rc)
        return rc;
    struct line *more = realloc(t->line, (t->nlines + c.n + 1) * sizeof *more);
    t->line = more ? more : t->line;
    for (size_t i = 0; more && i < c.n; i++) {
        if (t->settings->filter && !strstr(c.row[i].arm, t->settings->filter))
            continue;
        t->unfit = t->unfit || c.row[i].state == COMPARE_ONE_SESSION;
        t->line[t->nlines] = make_line(t, side, f, &c.row[i]);
        t->compared = t->compared || isfinite(t->line[t->nlines].ratio);
        t->nlines++;
    }
    compare_fini(&c);
    return more ? 0 : err_set(err, -ENOMEM, "out of memory for the table");
}

static int by_name(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = strcmp(x->row.arm, y->row.arm);
    return order ? order : strcmp(x->figure->name, y->figure->name);
}

/* What has no ratio comes first: it wants looking at. */
static int by_ratio(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (isnan(x->ratio) || isnan(y->ratio))
        return isnan(x->ratio) && isnan(y->ratio) ? by_name(a, b) : isnan(x->ratio) ? -1 : 1;
    return x->ratio > y->ratio ? -1 : x->ratio < y->ratio ? 1 : by_name(a, b);
}

static int check_machines(struct table *t, struct err *err)
{
    for (size_t s = 0; s < t->nsides; s++)
        for (size_t i = 0; i < t->side[s].n; i++) {
            const struct result *first = &t->side[0].session[0], *r = &t->side[s].session[i];
            const struct baseline_machine here = baseline_machine_of(NULL, first),
                                          there = baseline_machine_of(NULL, r);
            int same = r == first ? 1 : baseline_same_machine(&here, &there, &t->differences, err);
            if (same < 0)
                return same;
            if (!same && !t->settings->any_machine)
                return err_set(
                    err, -EXDEV,
                    "'%s' and '%s' are of different machines (--any-machine compares all the same)",
                    first->path, r->path);
        }
    return 0;
}

static int fill(struct table *t, const struct bench_io *io, struct err *err)
{
    const struct compare_settings *s = t->settings;
    t->side = calloc(io->parsed->noperands, sizeof *t->side);
    if (!t->side)
        return err_set(err, -ENOMEM, "out of memory");
    int rc = result_figures_parse(s->metric.item, s->metric.n, &t->figure, err);
    t->nfigures = rc ? 0 : s->metric.n;
    for (size_t i = 0; !rc && i < io->parsed->noperands; i++) {
        rc = baseline_open(&t->side[i], s->folder, io->parsed->operands[i], s->quiet ? NULL : io->err, err);
        t->nsides += !rc;
    }
    rc = rc ? rc : check_machines(t, err);
    for (size_t i = 1; !rc && i < t->nsides; i++)
        for (size_t f = 0; !rc && f < t->nfigures; f++)
            rc = add_lines(t, i, &t->figure[f], err);
    if (!rc && !t->nlines)
        rc = err_set(err, -EINVAL, "--filter: no setting has '%s' in its name", s->filter);
    if (!rc && s->sort != SORT_SUITE)
        qsort(t->line, t->nlines, sizeof *t->line, s->sort == SORT_NAME ? by_name : by_ratio);
    return rc;
}

static void fini(struct table *t)
{
    for (size_t i = 0; i < t->nsides; i++)
        baseline_close(&t->side[i]);
    free(t->side);
    free(t->figure);
    free(t->line);
    text_fini(&t->differences);
}

/* ---- forms ---- */

static void add_text_line(struct text *out, const struct line *l, bool sides, double level)
{
    struct text t = {0};
    int d = summary_ratio_decimals(l->ratio, l->low, l->high);
    text_sayf(&t, "%s", l->verdict);
    text_pad_to(&t, 26);
    text_sayf(&t, "%s, %s", l->row.arm, l->figure->name);
    if (sides)
        text_sayf(&t, " [%s]", l->b);
    if (isfinite(l->ratio)) {
        text_add(&t, ": ");
        export_value(&t, l->figure, l->row.a);
        text_add(&t, " -> ");
        export_value(&t, l->figure, l->row.b);
        text_sayf(&t, ", x %.*f", d, l->ratio);
    }
    if (isfinite(l->low))
        text_sayf(&t, " (%.4g %% CI %.*f .. %.*f, %zu and %zu sessions)", 100 * level, d, l->low, d, l->high,
                  l->row.sessions_a, l->row.sessions_b);
    if (*l->row.note)
        text_sayf(&t, "; %s", l->row.note);
    text_sayf(out, "%s\n", text_get(&t));
    text_fini(&t);
}

static void table_text(const struct table *t, struct text *out)
{
    for (size_t i = 0; i < t->nlines; i++)
        add_text_line(out, &t->line[i], t->nsides > 2, t->settings->level);
    text_add(out, text_get(&t->differences));
}

static void table_csv(const struct table *t, struct text *out)
{
    static const char *const head[] = {"name",     "metric",     "a",          "b",      "verdict",
                                       "value_a",  "value_b",    "ratio",      "ci_low", "ci_high",
                                       "ci_level", "sessions_a", "sessions_b", "note"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        csv_field(out, !i, head[i]);
    csv_end(out);
    for (size_t i = 0; i < t->nlines; i++) {
        const struct line *l = &t->line[i];
        const char *const texts[] = {l->row.arm, l->figure->name, l->a, l->b, l->verdict};
        const double numbers[] = {l->row.a,
                                  l->row.b,
                                  l->ratio,
                                  l->low,
                                  l->high,
                                  t->settings->level,
                                  (double)l->row.sessions_a,
                                  (double)l->row.sessions_b};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            csv_field(out, !k, texts[k]);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            csv_number(out, false, numbers[k]);
        csv_field(out, false, l->row.note);
        csv_end(out);
    }
}

static void table_markdown(const struct table *t, struct text *out)
{
    text_add(out, "| verdict | setting | metric | against | ratio | interval | sessions "
                  "| note |\n|---|---|---|---|---:|---:|---|---|\n");
    for (size_t i = 0; i < t->nlines; i++) {
        const struct line *l = &t->line[i];
        text_add(out, "|");
        export_cell(out, l->verdict);
        export_cell(out, l->row.arm);
        export_cell(out, l->figure->name);
        export_cell(out, l->b);
        int d = summary_ratio_decimals(l->ratio, l->low, l->high);
        if (isfinite(l->ratio))
            text_sayf(out, " %.*f |", d, l->ratio);
        else
            text_add(out, " – |");
        if (isfinite(l->low))
            text_sayf(out, " %.*f .. %.*f |", d, l->low, d, l->high);
        else
            text_add(out, " – |");
        text_sayf(out, " %zu and %zu |", l->row.sessions_a, l->row.sessions_b);
        export_cell(out, l->row.note);
        text_add(out, "\n");
    }
}

static int table_json(const struct table *t, struct text *out, struct err *err)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < t->nlines; i++) {
        const struct line *l = &t->line[i];
        json_array_append_new(
            rows, json_pack("{s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:I, s:I, s:o}",
                            "name", result_json_text(l->row.arm), "metric", l->figure->name, "a",
                            result_json_text(l->a), "b", result_json_text(l->b), "verdict", l->verdict,
                            "value_a", result_json_real(l->row.a), "value_b", result_json_real(l->row.b),
                            "ratio", result_json_real(l->ratio), "ci_low", result_json_real(l->low),
                            "ci_high", result_json_real(l->high), "ci_level", t->settings->level, "margin",
                            t->settings->margin, "sessions_a", (json_int_t)l->row.sessions_a, "sessions_b",
                            (json_int_t)l->row.sessions_b, "note",
                            result_json_text(*l->row.note ? l->row.note : NULL)));
    }
    json_t *o = json_pack("{s:o}", "rows", rows);
    return export_json_take(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(10), err);
}

static int print(const struct table *t, const struct bench_io *io, struct err *err)
{
    const struct compare_settings *s = t->settings;
    const char *const paths[] = {s->json, s->csv, s->markdown};
    struct text forms[4] = {{0}};
    table_csv(t, &forms[1]);
    table_markdown(t, &forms[2]);
    table_text(t, &forms[3]);
    int rc = table_json(t, &forms[0], err);
    for (size_t i = 0; !rc && i < 3; i++)
        if (paths[i])
            rc = export_write(paths[i], &forms[i], false, io->out, err);
    if (!rc && !export_takes_output(paths, 3))
        rc = export_write("-", &forms[3], false, io->out, err);
    if (!rc && s->plot)
        rc = rows_plot(text_get(&forms[0]), "the comparison", &(struct plot_options){.dir = s->plot},
                       &(const char *){NULL}, err);
    for (size_t i = 0; i < 4; i++)
        text_fini(&forms[i]);
    return rc;
}

static enum bench_exit conclude(const struct table *t, const struct bench_io *io, struct err *err)
{
    if (print(t, io, err))
        return BENCH_EXIT_FAILED;
    if (t->unfit)
        return BENCH_EXIT_UNFIT;
    if (t->compared)
        return BENCH_EXIT_DONE;
    err_set(err, -ENODATA, "none of the %zu row%s could be compared", t->nlines, t->nlines == 1 ? "" : "s");
    return BENCH_EXIT_FAILED;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    struct table t = {.settings = settings};
    int code = BENCH_EXIT_USAGE;
    int rc = fill(&t, io, err);
    if (rc == -EXDEV)
        code = BENCH_EXIT_UNFIT;
    if (!rc)
        code = conclude(&t, io, err);
    fini(&t);
    return code;
}

const struct bench_command command_compare = {
    .name = "compare",
    .summary = "Results of different times or builds, side by side",
    .details = "Each operand is a result file, a folder of result files, or the name of a baseline; all are "
               "compared with the "
               "first. Several files of one folder are sessions of one thing: the spread between them is "
               "what an interval "
               "rests on. With one session a side it cannot be known, and the exit status is 4 unless "
               "--across-sessions says "
               "what to assume.",
    .operands = "A B...",
    .operands_min = 2,
    .operands_max = 64,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct compare_settings),
    .run = run,
};
