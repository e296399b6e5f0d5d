/* The calibration file: one JSON object. */
#include "calibration.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
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

int calibration_write(const struct calibration *c, struct err *err)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < c->nrows; i++)
        json_array_append_new(rows, row_json(&c->row[i]));
    json_t *o = json_pack("{s:s, s:s, s:f, s:f, s:o}", "fingerprint", c->fingerprint, "workload", c->workload,
                          "alpha", c->alpha, "margin", c->margin, "rows", rows);
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

void calibration_quote(struct text *out, const char *environment)
{
    struct calibration c;
    char now[32];
    calibration_fingerprint(environment, now);
    if (calibration_read(&c, NULL) || strcmp(c.fingerprint, now)) {
        text_add(out, "This machine was not calibrated ('loaderbench calibrate' measures the gate's own "
                      "error rates).\n");
        return;
    }
    text_add(out, "On this machine: ");
    for (size_t i = 0; i < c.nrows; i++)
        quote_row(out, &c.row[i]);
    text_sayf(out, "\n(%s, margin %.3g %%, alpha %.3g %%).\n", c.workload, 100 * c.margin, 100 * c.alpha);
}
