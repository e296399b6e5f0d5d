/* What a gate says to programs: JSON, CSV, JUnit XML, GitHub's workflow commands, the last line. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "export.h"
#include "gate_report.h"
#include "results/csv.h"
#include "results/json.h"
#include "results/summary.h"

static const char *verdict_text(const struct gate_row *row)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "inconclusive", [STATS_PASS] = "pass", [STATS_REGRESSION] = "regression"};
    return row->missing ? "missing" : row->is_new ? "new" : words[row->verdict];
}

static size_t count(const struct gate_report *g, const char *verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < g->nrows; i++)
        n += !strcmp(verdict_text(&g->row[i]), verdict);
    return n;
}

/* ---- JSON ---- */

static json_t *row_json(const struct gate_row *r)
{
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:o}", "name",
                     result_json_text(r->name), "metric", r->metric, "verdict", verdict_text(r), "ratio",
                     result_json_real(r->ratio), "ci95_low", result_json_real(r->low), "ci95_high",
                     result_json_real(r->high), "margin", result_json_real(r->margin), "smallest_seen",
                     result_json_real(r->smallest_seen), "n", (json_int_t)r->n, "n_counts",
                     r->counts ? r->counts : "invocations", "note",
                     result_json_text(*r->note ? r->note : NULL));
}

static json_t *head_json(const struct gate_report *g)
{
    json_t *o =
        json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:o}", "verdict", g->word, "exit", (int)g->exit,
                  "rows", (json_int_t)g->nrows, "passes", (json_int_t)count(g, "pass"), "regressions",
                  (json_int_t)count(g, "regression"), "inconclusive", (json_int_t)count(g, "inconclusive"),
                  "missing", (json_int_t)count(g, "missing"), "seconds", result_json_real(g->seconds));
    if (o && *g->failure)
        json_object_set_new(o, "failure", result_json_text(g->failure));
    return o;
}

int gate_report_json(const struct gate_report *g, struct text *out, struct err *err)
{
    json_t *rows = json_array(), *o = head_json(g);
    for (size_t i = 0; i < g->nrows; i++)
        json_array_append_new(rows, row_json(&g->row[i]));
    if (!o) {
        json_decref(rows);
        return err_set(err, -ENOMEM, "out of memory for the result as JSON");
    }
    json_object_set_new(o, "rule", result_json_text(g->rule));
    json_object_set_new(o, "alpha", result_json_real(g->alpha));
    json_object_set_new(o, "look", json_integer(g->look));
    json_object_set_new(o, "looks", json_integer(g->looks));
    json_object_set_new(o, "warnings", result_json_text(g->warnings.len ? text_get(&g->warnings) : NULL));
    json_object_set_new(o, "result", result_json_text(g->path));
    json_object_set_new(o, "row", rows);
    return export_json_take(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(10), err);
}

int gate_report_last_line(const struct gate_report *g, struct text *out, struct err *err)
{
    text_add(out, "loaderbench-gate: ");
    return export_json_take(out, head_json(g), JSON_COMPACT | JSON_REAL_PRECISION(10), err);
}

/* ---- CSV ---- */

void gate_report_csv(const struct gate_report *g, struct text *out)
{
    static const char *const head[] = {"name",      "metric", "verdict",       "ratio", "ci95_low",
                                       "ci95_high", "margin", "smallest_seen", "n",     "note"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        csv_field(out, !i, head[i]);
    csv_end(out);
    for (size_t i = 0; i < g->nrows; i++) {
        const struct gate_row *r = &g->row[i];
        csv_field(out, true, r->name);
        csv_field(out, false, r->metric);
        csv_field(out, false, verdict_text(r));
        csv_number(out, false, r->ratio);
        csv_number(out, false, r->low);
        csv_number(out, false, r->high);
        csv_number(out, false, r->margin);
        csv_number(out, false, r->smallest_seen);
        csv_number(out, false, (double)r->n);
        csv_field(out, false, r->note);
        csv_end(out);
    }
}

/* ---- JUnit ---- */

/* XML 1.0 forbids most control characters even when escaped, and what is no UTF-8. */
static void add_xml(struct text *t, const char *s)
{
    size_t n;
    for (const char *p = s, *piece; *p;) {
        char c = *p;
        p += utf8_line_piece(p, &piece, &n);
        if (c == '&')
            text_add(t, "&amp;");
        else if (c == '<')
            text_add(t, "&lt;");
        else if (c == '>')
            text_add(t, "&gt;");
        else if (c == '"')
            text_add(t, "&quot;");
        else if (c == '\n' || c == '\t' || c == '\r')
            text_sayf(t, "&#%d;", c);
        else
            text_add_bytes(t, piece, n);
    }
}

static void add_sentence(struct text *t, const struct gate_row *r)
{
    int d = summary_ratio_decimals(r->ratio, r->low, r->high);
    if (isfinite(r->ratio))
        text_sayf(t, "%s x %.*f", r->metric, d, r->ratio);
    else
        text_sayf(t, "%s not measured", r->metric);
    if (isfinite(r->low) && isfinite(r->high))
        text_sayf(t, " (95 %% CI %.*f .. %.*f, n = %zu)", d, r->low, d, r->high, r->n);
    text_sayf(t, ", margin %.3g %%%s%s", 100 * r->margin, *r->note ? "; " : "", r->note);
}

static void add_element(struct text *t, const char *element, const char *type, const char *message)
{
    text_sayf(t, "<%s%s%s%s message=\"", element, type ? " type=\"" : "", type ? type : "", type ? "\"" : "");
    add_xml(t, message);
    text_add(t, "\"/>");
}

static void add_case(struct text *t, const struct gate_row *r)
{
    struct text why = {0};
    add_sentence(&why, r);
    text_add(t, "  <testcase classname=\"loaderbench.gate\" name=\"");
    add_xml(t, r->name);
    text_add(t, " [");
    add_xml(t, r->metric);
    text_add(t, "]\">");
    if (r->missing || (!r->is_new && r->verdict == STATS_REGRESSION))
        add_element(t, "failure", r->missing ? "missing" : "regression", text_get(&why));
    else if (r->is_new || r->verdict == STATS_INCONCLUSIVE)
        add_element(t, "skipped", NULL, text_get(&why));
    text_add(t, "</testcase>\n");
    text_fini(&why);
}

void gate_report_junit(const struct gate_report *g, struct text *out)
{
    size_t failures = count(g, "regression") + count(g, "missing"),
           skipped = count(g, "inconclusive") + count(g, "new"), broken = *g->failure != '\0';
    text_sayf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"loaderbench gate\" tests=\"%zu\" "
        "failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
        g->nrows + broken, failures, broken, skipped, g->seconds);
    for (size_t i = 0; i < g->nrows; i++)
        add_case(out, &g->row[i]);
    if (broken) {
        text_add(out, "  <testcase classname=\"loaderbench.gate\" name=\"gate\">");
        add_element(out, "error", g->word, g->failure);
        text_add(out, "</testcase>\n");
    }
    text_add(out, "</testsuite>\n");
}

/* ---- GitHub ---- */

/* A workflow command: one line, with '%' escaped. Source: github.com/actions/toolkit, command.ts. */
static void add_command(struct text *t, const char *level, const char *title, const char *message)
{
    text_sayf(t, "::%s title=%s::", level, title);
    struct text line = {0};
    text_add_line(&line, message);
    for (const char *p = text_get(&line); *p; p++)
        text_add_bytes(t, *p == '%' ? "%25" : p, *p == '%' ? 3 : 1);
    t->failed |= line.failed;
    text_fini(&line);
    text_add(t, "\n");
}

void gate_report_annotations(const struct gate_report *g, struct text *out)
{
    if (*g->failure)
        add_command(out, "error", "loaderbench gate", g->failure);
    for (size_t i = 0; i < g->nrows; i++) {
        const struct gate_row *r = &g->row[i];
        bool bad = r->missing || r->verdict == STATS_REGRESSION;
        if (r->is_new || (!bad && r->verdict == STATS_PASS))
            continue;
        struct text why = {0};
        text_sayf(&why, "%s: ", r->name);
        add_sentence(&why, r);
        add_command(out, bad ? "error" : "warning",
                    r->missing ? "loaderbench gate: missing row"
                    : bad      ? "loaderbench gate: regression"
                               : "loaderbench gate: could not tell",
                    text_get(&why));
        text_fini(&why);
    }
}
