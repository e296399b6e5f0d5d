/* `loaderbench history`: a folder of results over time: levels, where they changed, and between which commits. */
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
#include "results/json.h"
#include "results/stats/change_point.h"
#include "results/stats/order_statistic.h"

struct history_settings {
    const char *filter, *json;
    struct bench_words metric;
    double magnitude, level;
    int64_t segment;
    bool any_machine, quiet;
};

#define AT(member) BENCH_AT(struct history_settings, member)

static const struct bench_option options[] = {
    {OPTION_METRIC, AT(metric), .help = "what is followed, each a row: as in 'gate'", .group = "Rows"},
    {OPTION_FILTER, AT(filter), .group = "Rows"},
    {OPTION_ANY_MACHINE_OWN_HELP, AT(any_machine),
     .help = "results of other machines than the newest one's too (default: they are left out)",
     .group = "Rows"},
    {.name = "magnitude",
     .kind = BENCH_OPTION_RATIO,
     AT(magnitude),
     .min = MARGIN_LEAST,
     .max = MARGIN_MOST,
     .initial = "5%",
     .help = "a smaller step is no change",
     .group = "Changes"},
    {.name = "segment",
     .kind = BENCH_OPTION_INT,
     AT(segment),
     .min = 2,
     .max = 1000,
     .initial = "3",
     .help = "results a level must last for: a single spike is no change",
     .group = "Changes"},
    {OPTION_LEVEL, AT(level), .group = "Changes"},
    {OPTION_EXPORT_JSON, AT(json), .help = "all points, levels and changes as JSON; '-': instead of the text",
     .group = "Output"},
    {OPTION_QUIET, AT(quiet), .help = "no warnings", .group = "Output"},
};

/* What one result says of a row. */
struct point {
    const struct result *result;
    double value;
    struct interval ci; /* over the invocations of the result */
};

/* A setting's figure over time. */
struct row {
    const char *arm;
    const struct result_figure *figure;
    struct point *point;
    size_t npoints;
    struct stats_level_segment *segment; /* of ln(value) */
    size_t nsegments;
};

struct history {
    const struct history_settings *settings;
    struct baseline files;
    const struct result **result; /* in order of time, of the machine looked at */
    size_t nresults, left_out;
    struct result_figure *figure;
    struct row *row;
    size_t nrows;
};

/* ---- which results ---- */

static const char *time_of(const struct result *r)
{
    return r->started ? r->started : "";
}

static int by_time(const void *a, const void *b)
{
    const struct result *x = *(const struct result *const *)a, *y = *(const struct result *const *)b;
    int order = strcmp(time_of(x), time_of(y));
    return order ? order : strcmp(x->path, y->path);
}

/* Keeps those measured on the machine of the newest one. */
static int keep_machine(struct history *h, struct err *err)
{
    const struct result *newest = h->result[h->nresults - 1];
    size_t kept = 0;
    for (size_t i = 0; i < h->nresults; i++) {
        struct text differences = {0};
        const struct baseline_machine last = baseline_machine_of(NULL, newest),
                                      one = baseline_machine_of(NULL, h->result[i]);
        int same = baseline_same_machine(&last, &one, &differences, err);
        text_fini(&differences);
        if (same < 0)
            return same;
        if (same)
            h->result[kept++] = h->result[i];
    }
    h->left_out = h->nresults - kept;
    h->nresults = kept;
    return 0;
}

static int open_results(struct history *h, const struct bench_io *io, struct err *err)
{
    const char *folder = io->parsed->operands[0];
    int rc = baseline_open(&h->files, baseline_folder, folder, h->settings->quiet ? NULL : io->err, err);
    if (rc)
        return rc;
    h->result = calloc(h->files.n, sizeof *h->result);
    if (!h->result)
        return err_set(err, -ENOMEM, "out of memory for %zu results", h->files.n);
    for (size_t i = 0; i < h->files.n; i++)
        h->result[h->nresults++] = &h->files.session[i];
    qsort(h->result, h->nresults, sizeof *h->result, by_time);
    return h->settings->any_machine ? 0 : keep_machine(h, err);
}

/* ---- rows ---- */

static int add_point(struct row *row, const struct result *r, int arm, double level, struct err *err)
{
    double *x = malloc((r->ninvocations + 1) * sizeof *x);
    size_t n = 0;
    int rc = x ? result_figure_series(r, arm, row->figure, x, &n, err)
               : err_set(err, -ENOMEM, "out of memory for %zu invocations", r->ninvocations);
    double median = rc ? NAN : stats_median(x, n);
    if (!rc && median > 0 && !r->arms[arm].failure)
        row->point[row->npoints++] =
            (struct point){.result = r, .value = median, .ci = stats_median_interval(x, n, level)};
    free(x);
    return rc;
}

static int find_changes(const struct history *h, struct row *row, struct err *err)
{
    if (!row->npoints)
        return 0;
    double *ln = malloc(row->npoints * sizeof *ln);
    row->segment = calloc(row->npoints + 1, sizeof *row->segment);
    int rc = ln && row->segment ? 0 : err_set(err, -ENOMEM, "out of memory for %zu points", row->npoints);
    for (size_t i = 0; !rc && i < row->npoints; i++)
        ln[i] = log(row->point[i].value);
    rc = rc ? rc
            : stats_change_points(ln, row->npoints, (size_t)h->settings->segment,
                                  log1p(h->settings->magnitude), row->segment, &row->nsegments, err);
    free(ln);
    return rc;
}

static int fill_row(struct history *h, struct row *row, struct err *err)
{
    row->point = calloc(h->nresults, sizeof *row->point);
    int rc = row->point ? 0 : err_set(err, -ENOMEM, "out of memory for %zu points", h->nresults);
    for (size_t i = 0; !rc && i < h->nresults; i++) {
        int arm = result_arm_named(h->result[i], row->arm);
        if (arm >= 0)
            rc = add_point(row, h->result[i], arm, h->settings->level, err);
    }
    return rc ? rc : find_changes(h, row, err);
}

static bool has_row(const struct history *h, const char *arm, const struct result_figure *f)
{
    for (size_t i = 0; i < h->nrows; i++)
        if (h->row[i].figure == f && !strcmp(h->row[i].arm, arm))
            return true;
    return false;
}

static int add_row(struct history *h, const char *arm, const struct result_figure *f, struct err *err)
{
    if (has_row(h, arm, f) || (h->settings->filter && !strstr(arm, h->settings->filter)))
        return 0;
    struct row *more = realloc(h->row, (h->nrows + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for %zu rows", h->nrows + 1);
    h->row = more;
    h->row[h->nrows] = (struct row){.arm = arm, .figure = f};
    return fill_row(h, &h->row[h->nrows++], err);
}

static int fill(struct history *h, const struct bench_io *io, struct err *err)
{
    const struct bench_words *metric = &h->settings->metric;
    int rc = result_figures_parse(metric->item, metric->n, &h->figure, err);
    rc = rc ? rc : open_results(h, io, err);
    for (size_t f = 0; !rc && f < metric->n; f++)
        for (size_t i = 0; !rc && i < h->nresults; i++)
            for (size_t a = 0; !rc && a < h->result[i]->narms; a++)
                rc = add_row(h, h->result[i]->arms[a].name, &h->figure[f], err);
    if (!rc && !h->nrows)
        rc = err_set(err, -EINVAL, "--filter: no setting has '%s' in its name", h->settings->filter);
    return rc;
}

static void fini(struct history *h)
{
    for (size_t i = 0; i < h->nrows; i++) {
        free(h->row[i].point);
        free(h->row[i].segment);
    }
    free(h->row);
    free(h->figure);
    free(h->result);
    baseline_close(&h->files);
}

/* ---- forms ---- */

static const char *commit_of(const struct point *p)
{
    return p->result->commit ? p->result->commit : p->result->path;
}

static const char *direction(const struct row *row, double ln)
{
    return (ln > 0) != row->figure->more_is_better ? "worse" : "better";
}

static void add_level(struct text *out, const struct row *row, const struct stats_level_segment *s,
                      double level)
{
    double *x = malloc((s->to - s->from) * sizeof *x);
    export_value(out, row->figure, exp(s->median));
    for (size_t i = s->from; x && i < s->to; i++)
        x[i - s->from] = row->point[i].value;
    if (x)
        stats_sort(x, s->to - s->from);
    struct interval ci = {.known = false};
    if (x)
        ci = stats_median_interval(x, s->to - s->from, level);
    if (ci.known) {
        text_sayf(out, " (%.4g %% CI ", 100 * level);
        export_value(out, row->figure, ci.low);
        text_add(out, " .. ");
        export_value(out, row->figure, ci.high);
        text_sayf(out, ", %zu results)", s->to - s->from);
    } else {
        text_sayf(out, " (%zu results: no interval)", s->to - s->from);
    }
    free(x);
}

static void add_text_row(struct text *out, const struct row *row, double level)
{
    text_sayf(out, "%s, %s: ", row->arm, row->figure->name);
    if (!row->nsegments) {
        text_add(out, "never measured\n");
        return;
    }
    add_level(out, row, &row->segment[row->nsegments - 1], level);
    text_add(out, row->nsegments > 1 ? " now\n" : ", no change found\n");
    for (size_t i = 1; i < row->nsegments; i++) {
        const struct stats_level_segment *before = &row->segment[i - 1], *after = &row->segment[i];
        double ln = after->median - before->median;
        text_sayf(out, "  %s: x %.2f, ", direction(row, ln), exp(ln));
        add_level(out, row, before, level);
        text_add(out, " -> ");
        add_level(out, row, after, level);
        text_sayf(out, ", after %s (%s), with %s (%s)\n", commit_of(&row->point[after->from - 1]),
                  time_of(row->point[after->from - 1].result), commit_of(&row->point[after->from]),
                  time_of(row->point[after->from].result));
    }
}

static json_t *points_json(const struct row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->npoints; i++) {
        const struct point *p = &row->point[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "commit", result_json_text(p->result->commit),
                            "started", result_json_text(p->result->started), "file",
                            result_json_text(p->result->path), "value", result_json_real(p->value), "ci_low",
                            result_json_real(p->ci.known ? p->ci.low : NAN), "ci_high",
                            result_json_real(p->ci.known ? p->ci.high : NAN)));
    }
    return list;
}

static json_t *changes_json(const struct row *row)
{
    json_t *list = json_array();
    for (size_t i = 1; i < row->nsegments; i++) {
        const struct stats_level_segment *before = &row->segment[i - 1], *after = &row->segment[i];
        const struct point *last = &row->point[after->from - 1], *first = &row->point[after->from];
        double ln = after->median - before->median;
        json_array_append_new(
            list, json_pack("{s:i, s:s, s:f, s:f, s:f, s:o, s:o}", "point", (int)after->from, "direction",
                            direction(row, ln), "ratio", exp(ln), "before", exp(before->median), "after",
                            exp(after->median), "last_good_commit", result_json_text(last->result->commit),
                            "first_changed_commit", result_json_text(first->result->commit)));
    }
    return list;
}

static int add_json(const struct history *h, struct text *out, struct err *err)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < h->nrows; i++) {
        const struct row *row = &h->row[i];
        json_array_append_new(rows, json_pack("{s:o, s:s, s:o, s:o}", "name", result_json_text(row->arm),
                                              "metric", row->figure->name, "points", points_json(row),
                                              "changes", changes_json(row)));
    }
    json_t *o = json_pack("{s:I, s:I, s:f, s:f, s:o}", "results", (json_int_t)h->nresults, "left_out",
                          (json_int_t)h->left_out, "magnitude", h->settings->magnitude, "ci_level",
                          h->settings->level, "rows", rows);
    return export_json_take(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(10), err);
}

static int print(const struct history *h, const struct bench_io *io, struct err *err)
{
    struct text text = {0}, json = {0};
    text_sayf(&text, "%zu result%s", h->nresults, h->nresults == 1 ? "" : "s");
    if (h->left_out)
        text_sayf(&text, " (%zu of other machines %s left out)", h->left_out,
                  h->left_out == 1 ? "is" : "are");
    text_add(&text, "\n");
    for (size_t i = 0; i < h->nrows; i++)
        add_text_row(&text, &h->row[i], h->settings->level);
    const char *const path = h->settings->json;
    int rc = path ? add_json(h, &json, err) : 0;
    rc = rc || !path ? rc : export_write(path, &json, false, io->out, err);
    if (!rc && !export_takes_output(&path, 1))
        rc = export_write("-", &text, false, io->out, err);
    text_fini(&text);
    text_fini(&json);
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    struct history h = {.settings = settings};
    int code = BENCH_EXIT_USAGE;
    if (!fill(&h, io, err))
        code = print(&h, io, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
    fini(&h);
    return code;
}

const struct bench_command command_history = {
    .name = "history",
    .summary = "When did a setting get slower, and with which commit?",
    .details =
        "Reads all results (*.jsonl) of a folder in the order they were measured in, and says for each "
        "setting "
        "its level now, and where the level changed: between the last result before and the first one after, "
        "with their commits. A change is a step of at least --magnitude that lasts for --segment results; a "
        "single spike is none.",
    .operands = "FOLDER",
    .operands_min = 1,
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct history_settings),
    .run = run,
};
