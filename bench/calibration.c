/* The calibration file: one JSON object. */
#include "calibration.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/unit.h"
#include "results/json.h"
#include "results/stats/proportion.h"

const char calibration_path[] = "loaderbench-results/calibration.json";

void calibration_fingerprint(const char *environment, char out[32])
{
    snprintf(out, 32, "%016" PRIx64, (uint64_t)XXH3_64bits(environment, strlen(environment)));
}

static json_t *row_json(const struct calibration_row *r)
{
    return json_pack("{s:f, s:I, s:I, s:I, s:I, s:f}", "slowdown", r->slowdown, "n", (json_int_t)r->n,
                     "regressions", (json_int_t)r->regressions, "passes", (json_int_t)r->passes,
                     "intervals_wrong", (json_int_t)r->intervals_wrong, "seconds", r->seconds);
}

static json_t *races_json(const struct calibration_races *c)
{
    return json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "slowdown", c->slowdown, "margin",
                     c->margin, "n", (json_int_t)c->n, "wrong", (json_int_t)c->wrong, "wrong_choices",
                     (json_int_t)c->wrong_choices, "equal_out", (json_int_t)c->equal_out, "slower_out",
                     (json_int_t)c->slower_out, "decided", (json_int_t)c->decided, "seconds",
                     result_json_real(c->seconds));
}

int calibration_write(const struct calibration *c, struct err *err)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < c->nrows; i++)
        json_array_append_new(rows, row_json(&c->row[i]));
    json_t *o =
        json_pack("{s:s, s:s, s:f, s:f, s:o, s:o}", "fingerprint", c->fingerprint, "workload", c->workload,
                  "alpha", c->alpha, "margin", c->margin, "rows", rows, "tune", races_json(&c->races));
    char temporary[sizeof calibration_path + 8];
    snprintf(temporary, sizeof temporary, "%s.new", calibration_path);
    mkdir("loaderbench-results", 0777);
    int rc = o ? 0 : -ENOMEM;
    errno = 0;
    if (!rc && (json_dump_file(o, temporary, JSON_INDENT(2)) || rename(temporary, calibration_path)))
        rc = errno ? -errno : -EIO;
    json_decref(o);
    return rc ? err_set_errno(err, rc, "cannot write '%s'", calibration_path) : 0;
}

static void read_text(const json_t *o, const char *key, char *out, size_t size)
{
    const char *s = json_string_value(json_object_get(o, key));
    snprintf(out, size, "%s", s ? s : "");
}

static size_t read_count(const json_t *o, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(o, key));
    return n > 0 ? (size_t)n : 0;
}

static struct calibration_races read_races(const json_t *o)
{
    return (struct calibration_races){.slowdown = result_json_get_real(o, "slowdown"),
                                      .margin = result_json_get_real(o, "margin"),
                                      .n = read_count(o, "n"),
                                      .wrong = read_count(o, "wrong"),
                                      .wrong_choices = read_count(o, "wrong_choices"),
                                      .equal_out = read_count(o, "equal_out"),
                                      .slower_out = read_count(o, "slower_out"),
                                      .decided = read_count(o, "decided"),
                                      .seconds = result_json_get_real(o, "seconds")};
}

int calibration_read(struct calibration *out, struct err *err)
{
    *out = (struct calibration){.alpha = 0};
    json_error_t why;
    json_t *o = json_load_file(calibration_path, 0, &why);
    const json_t *rows = json_object_get(o, "rows");
    if (!json_is_array(rows)) {
        json_decref(o);
        return err_set(err, o ? -EINVAL : -ENOENT, "no calibration in '%s'", calibration_path);
    }
    read_text(o, "fingerprint", out->fingerprint, sizeof out->fingerprint);
    read_text(o, "workload", out->workload, sizeof out->workload);
    out->alpha = result_json_get_real(o, "alpha");
    out->margin = result_json_get_real(o, "margin");
    for (size_t i = 0; i < json_array_size(rows) && i < CALIBRATION_ROWS_MAX; i++) {
        const json_t *r = json_array_get(rows, i);
        out->row[out->nrows++] = (struct calibration_row){.slowdown = result_json_get_real(r, "slowdown"),
                                                          .n = read_count(r, "n"),
                                                          .regressions = read_count(r, "regressions"),
                                                          .passes = read_count(r, "passes"),
                                                          .intervals_wrong = read_count(r, "intervals_wrong"),
                                                          .seconds = result_json_get_real(r, "seconds")};
    }
    out->races = read_races(json_object_get(o, "tune"));
    json_decref(o);
    return 0;
}

void calibration_table(struct text *out, const struct calibration *c)
{
    text_add(out, "injected   comparisons  REGRESSION  PASS  95 % interval missed 1  median time\n");
    for (size_t i = 0; i < c->nrows; i++) {
        const struct calibration_row *r = &c->row[i];
        struct text line = {0};
        char time[UNIT_TEXT];
        if (r->slowdown > 0)
            text_sayf(&line, "%.3g %% slower", 100 * r->slowdown);
        else
            text_add(&line, "nothing");
        text_pad_to(&line, 14);
        text_sayf(&line, "%8zu  %10zu  %4zu  %30zu  %11s\n", r->n, r->regressions, r->passes,
                  r->intervals_wrong, unit_format_ns(time, r->seconds * 1e9, 2));
        text_add(out, text_get(&line));
        text_fini(&line);
    }
}

void calibration_races_table(struct text *out, const struct calibration_races *c)
{
    char time[UNIT_TEXT];
    if (!c->n)
        return;
    text_sayf(out,
              "\nTune with margin %.3g %%, 95 %% confidence, of three equal settings and one that is %.3g %% "
              "slower\n\n"
              "sessions  slower one recommended  an equal one out  slower one out  decided  median time\n",
              100 * c->margin, 100 * c->slowdown);
    text_sayf(out, "%8zu  %22zu  %16zu  %14zu  %7zu  %11s\n", c->n, c->wrong_choices, c->equal_out,
              c->slower_out, c->decided, unit_format_ns(time, c->seconds * 1e9, 2));
    text_sayf(out, "Wrong: %zu of %zu, under %.2g %% at 95 %% confidence.\n", c->wrong, c->n,
              100 * stats_proportion_upper(c->wrong, c->n, 0.95));
}

static void quote_row(struct text *out, const struct calibration_row *r)
{
    if (!r->n)
        return;
    if (r->slowdown <= 0)
        text_sayf(out, "%zu alarms in %zu null comparisons (under %.2g %% at 95 %% confidence)",
                  r->regressions, r->n, 100 * stats_proportion_upper(r->regressions, r->n, 0.95));
    else
        text_sayf(out, "; a %.3g %% slowdown is called a regression in %zu of %zu", 100 * r->slowdown,
                  r->regressions, r->n);
}

/* False when there is none of this machine as it is now. */
static bool read_here(struct calibration *c, const char *environment)
{
    char now[32];
    calibration_fingerprint(environment, now);
    return !calibration_read(c, NULL) && !strcmp(c->fingerprint, now);
}

void calibration_quote(struct text *out, const char *environment)
{
    struct calibration c;
    if (!read_here(&c, environment) || !c.nrows) {
        text_add(out, "This machine was not calibrated ('loaderbench calibrate' measures the gate's own "
                      "error rates).\n");
        return;
    }
    text_add(out, "On this machine: ");
    for (size_t i = 0; i < c.nrows; i++)
        quote_row(out, &c.row[i]);
    text_sayf(out, "\n(%s, margin %.3g %%, alpha %.3g %%).\n", c.workload, 100 * c.margin, 100 * c.alpha);
}

void calibration_quote_races(struct text *out, const char *environment)
{
    struct calibration c;
    if (!read_here(&c, environment) || !c.races.n)
        return;
    text_sayf(out,
              "On this machine: wrong in %zu of %zu sessions whose outcome was known (under %.2g %% at 95 %% "
              "confidence; "
              "%s, margin %.3g %%).\n",
              c.races.wrong, c.races.n, 100 * stats_proportion_upper(c.races.wrong, c.races.n, 0.95),
              c.workload, 100 * c.races.margin);
}
