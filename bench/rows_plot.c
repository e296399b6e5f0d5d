/* From exported rows to a forest plot; see rows_plot.h. */
#include "rows_plot.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/ratios.h"
#include "results/json.h"

/* What the two exports call things. */
struct form {
    const char *name, *list, *low, *high, *axis;
    const char *const words[PLOT_RATIO_KINDS];
};

static const struct form forms[] = {
    {"gate",
     "row",
     "ci95_low",
     "ci95_high",
     "candidate over baseline",
     {"surely not worse by the margin", "could not be told, or is new", "surely worse by the margin"}},
    {"compare",
     "rows",
     "ci_low",
     "ci_high",
     "over the first result",
     {"the same within the margin, or better", "could not be told, or is new", "surely worse by the margin"}},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* By the first words of a verdict. */
static const struct {
    const char *verdict;
    enum plot_ratio_kind kind;
} meanings[] = {
    {"pass", PLOT_RATIO_GOOD},
    {"same", PLOT_RATIO_GOOD},
    {"better", PLOT_RATIO_GOOD},
    {"worse, within", PLOT_RATIO_GOOD},
    {"inconclusive", PLOT_RATIO_OPEN},
    {"not told apart", PLOT_RATIO_OPEN},
    {"cannot be known", PLOT_RATIO_OPEN},
    {"new", PLOT_RATIO_OPEN},
};

static enum plot_ratio_kind kind_of(const char *verdict)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (!strncmp(verdict, meanings[i].verdict, strlen(meanings[i].verdict)))
            return meanings[i].kind;
    return PLOT_RATIO_BAD;
}

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* Are there several values of a key? Then each row says its own. */
static bool differ(const json_t *rows, const char *key)
{
    const json_t *row;
    size_t i;
    json_array_foreach ((json_t *)rows, i, row)
        if (strcmp(word(row, key), word(json_array_get(rows, 0), key)))
            return true;
    return false;
}

/* A row's name: with its metric and its side where these differ. Owned by the caller. */
static char *name_of(const json_t *row, bool metrics, bool sides)
{
    struct text t = {0};
    text_add(&t, word(row, "name"));
    if (metrics)
        text_sayf(&t, ", %s", word(row, "metric"));
    if (sides)
        text_sayf(&t, " [%s]", word(row, "b"));
    return text_take(&t);
}

/* A ratio that an axis can show; NaN when it is none. */
static double drawable(double ratio)
{
    return ratio > 1e-12 && ratio < 1e12 ? ratio : NAN;
}

static void read_row(const json_t *o, const struct form *f, struct plot_ratio *out)
{
    const char *verdict = word(o, "verdict");
    out->ratio = drawable(result_json_get_real(o, "ratio"));
    out->low = drawable(result_json_get_real(o, f->low));
    out->high = drawable(result_json_get_real(o, f->high));
    out->margin = result_json_get_real(o, "margin");
    out->kind = kind_of(verdict);
    out->verdict = verdict;
}

/* Of a gate its verdict; of a comparison what was compared. */
static void add_title(struct text *t, const json_t *o, const json_t *rows, bool sides)
{
    const json_t *first = json_array_get(rows, 0);
    if (json_object_get(o, "verdict"))
        text_sayf(t, "Gate: %s", word(o, "verdict"));
    else if (sides)
        text_sayf(t, "Results against %s", word(first, "a"));
    else
        text_sayf(t, "%s against %s", word(first, "b"), word(first, "a"));
}

static void add_subtitle(struct text *t, const json_t *o, const json_t *rows, bool metrics)
{
    text_add(t, metrics ? "several figures" : word(json_array_get(rows, 0), "metric"));
    if (*word(o, "rule"))
        text_sayf(t, "; rule %s, risk of a false alarm %.3g %%", word(o, "rule"),
                  100 * result_json_get_real(o, "alpha"));
    if (*word(o, "failure"))
        text_sayf(t, "; %s", word(o, "failure"));
}

static int draw(const json_t *o, const json_t *rows, const struct form *f, const struct plot_options *opt,
                struct err *err)
{
    size_t n = json_array_size(rows);
    bool metrics = differ(rows, "metric"), sides = differ(rows, "b");
    struct plot_ratio *row = calloc(n + 1, sizeof *row);
    char **names = calloc(n + 1, sizeof *names);
    struct text title = {0}, subtitle = {0};
    double level = result_json_get_real(json_array_get(rows, 0), "ci_level");
    int rc = row && names ? 0 : err_set(err, -ENOMEM, "out of memory for a picture");
    for (size_t i = 0; !rc && i < n; i++) {
        read_row(json_array_get(rows, i), f, &row[i]);
        row[i].name = names[i] = name_of(json_array_get(rows, i), metrics, sides);
        rc = names[i] ? 0 : err_set(err, -ENOMEM, "out of memory for a picture");
    }
    add_title(&title, o, rows, sides);
    add_subtitle(&subtitle, o, rows, metrics);
    if (!rc)
        rc = plot_ratios(&(struct plot_ratios){.file = f->name,
                                               .title = text_get(&title),
                                               .subtitle = text_get(&subtitle),
                                               .axis = f->axis,
                                               .level = isfinite(level) ? level : 0.95,
                                               .words = f->words,
                                               .row = row,
                                               .n = n},
                         opt, err);
    for (size_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
    free(row);
    text_fini(&title);
    text_fini(&subtitle);
    return rc;
}

static int draw_json(const json_t *o, const char *path, const struct plot_options *opt, const char **name,
                     struct err *err)
{
    for (size_t i = 0; i < FORMS; i++) {
        const json_t *rows = json_object_get(o, forms[i].list);
        *name = forms[i].name;
        if (json_is_array(rows))
            return draw(o, rows, &forms[i], opt, err);
    }
    return err_set(err, -ENODATA, "%s has no rows: is it of `gate --export-json` or `compare --export-json`?",
                   path);
}

/* Takes o; NULL: it could not be read, and `why` says it. */
static int draw_read(json_t *o, const json_error_t *why, const char *path, const struct plot_options *opt,
                     const char **name, struct err *err)
{
    int rc =
        o ? draw_json(o, path, opt, name, err) : err_set(err, -EINVAL, "cannot read %s: %s", path, why->text);
    json_decref(o);
    return rc;
}

int rows_plot(const char *json, const char *path, const struct plot_options *opt, const char **name,
              struct err *err)
{
    json_error_t why;
    json_t *o = json_loads(json, JSON_REJECT_DUPLICATES, &why);
    return draw_read(o, &why, path, opt, name, err);
}

int rows_plot_file(const char *path, const struct plot_options *opt, const char **name, struct err *err)
{
    json_error_t why;
    json_t *o = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    return draw_read(o, &why, path, opt, name, err);
}
