/* The report as one HTML page. Order: the answer, the picture, the table, then all the rest. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "html.h"
#include "model.h"
#include "report_assets.h"
#include "report_pictures.h"

enum { PICTURE_BYTES = 1450000, ROW_BYTES = 200000 };

struct page {
    const struct summary *const *s;
    size_t n;
    const struct report_options *opt;
    const struct report_pictures *pictures;
    struct text *out;
    size_t picture_bytes; /* used so far, encoded */
};

/* The policy allows this page's own script by its digest, and nothing else. */
static void add_head(struct page *p)
{
    unsigned char digest[32];
    for (size_t i = 0; i < sizeof digest; i++) {
        unsigned byte = 0;
        sscanf(report_js_sha256 + 2 * i, "%2x", &byte);
        digest[i] = (unsigned char)byte;
    }
    text_add(p->out,
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
             "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src 'sha256-");
    html_add_base64(p->out, digest, sizeof digest);
    text_add(p->out, "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<title>loaderbench report</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    text_add(p->out, report_css);
    text_add(p->out,
             "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n");
}

static void add_names(struct page *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct result *r = p->s[i]->result;
        text_add(p->out, "<p class=\"quiet\">");
        html_add(p->out, r->path ? r->path : "a result in memory");
        text_add(p->out, ", ");
        html_add(p->out, r->started ? r->started : "-");
        text_add(p->out, ", ");
        html_add(p->out, r->tool ? r->tool : "-");
        if (!r->complete)
            text_add(p->out, r->interrupted ? "; the session was interrupted"
                                            : "; the session did not come to its end");
        if (r->damage) {
            text_add(p->out, "; damaged file: ");
            html_add(p->out, r->damage);
        }
        text_add(p->out, "</p>\n");
    }
}

static void add_paragraph(struct page *p, const char *kind, const char *words)
{
    if (!words || !*words)
        return;
    text_addf(p->out, "<p%s>", kind);
    html_add_lines(p->out, words);
    text_add(p->out, "</p>\n");
}

static void add_result_heading(struct page *p, size_t i, const char *level)
{
    if (p->n < 2)
        return;
    const char *path = p->s[i]->result->path;
    text_addf(p->out, "<%s>", level);
    html_add(p->out, path ? path : "a result in memory");
    text_addf(p->out, "</%s>\n", level);
}

static void add_verdict(struct page *p)
{
    text_add(p->out,
             "<section id=\"answer\" aria-labelledby=\"answer-h\">\n<h2 id=\"answer-h\">Answer</h2>\n");
    for (size_t i = 0; i < p->n; i++) {
        const struct report_words *w = p->opt->words ? &p->opt->words[i] : NULL;
        const struct choice *c = &p->s[i]->choice;
        add_result_heading(p, i, "h3");
        text_add(p->out, "<div class=\"verdict\">\n<p class=\"first\">");
        if (c->state == CHOICE_NONE) {
            text_add(p->out, "Nothing usable was measured");
        } else {
            text_add(p->out, c->state == CHOICE_UNDECIDED ? "Best guess: " : "Recommended: ");
            html_add(p->out, p->s[i]->result->arms[c->arm].name);
        }
        text_add(p->out, "</p>\n");
        add_paragraph(p, "", w ? w->recommendation : NULL);
        add_paragraph(p, "", w ? w->ratio : NULL);
        add_paragraph(p, "", w ? w->caveats : NULL);
        text_add(p->out, "</div>\n");
    }
    text_add(p->out, "</section>\n");
}

/* As far as there is room. An image cannot run scripts or fetch anything, whatever is in it. */
static bool add_image(struct page *p, size_t i)
{
    struct text file = {0}, svg = {0};
    report_pictures_read(p->pictures, i, "svg", &file);
    html_add_slim_svg(&svg, text_get(&file));
    size_t encoded = svg.len * 4 / 3;
    bool fits = svg.len && p->picture_bytes + encoded <= PICTURE_BYTES;
    if (fits) {
        p->picture_bytes += encoded;
        text_add(p->out, "<img src=\"data:image/svg+xml;base64,");
        html_add_base64(p->out, text_get(&svg), svg.len);
        text_add(p->out, "\" alt=\"");
        html_add(p->out, p->pictures->kinds[i]->alt);
        text_add(p->out, "\">\n");
    }
    p->out->failed |= svg.failed;
    text_fini(&file);
    text_fini(&svg);
    return fits;
}

static void add_picture(struct page *p, size_t i)
{
    const struct plot *kind = p->pictures->kinds[i];
    if (!p->pictures->drawn[i])
        return;
    text_addf(p->out, "<figure id=\"picture-%s\">\n", kind->name);
    if (!add_image(p, i))
        text_add(p->out,
                 "<p>This picture is too large for the page; <code>loaderbench plot</code> draws it.</p>\n");
    text_add(p->out, "<figcaption>");
    html_add(p->out, kind->title);
    text_add(p->out, ": ");
    html_add(p->out, kind->question);
    text_add(p->out, "</figcaption>\n</figure>\n");
}

static void add_why_no_pictures(struct page *p)
{
    if (!p->pictures->err.code)
        return;
    text_add(p->out, "<p class=\"quiet\">Pictures are missing: ");
    html_add(p->out, p->pictures->err.text);
    text_add(p->out, "</p>\n");
}

static void add_heads(struct page *p)
{
    text_add(p->out, "<thead><tr>");
    for (size_t c = 0; c < report_ncolumns; c++) {
        text_addf(p->out, "<th scope=\"col\" aria-sort=\"none\"%s><button type=\"button\" title=\"",
                  report_columns[c].left ? " class=\"left\"" : "");
        html_add(p->out, report_columns[c].help);
        text_add(p->out, "\">");
        html_add(p->out, report_columns[c].head);
        text_add(p->out, "</button></th>");
    }
    text_add(p->out, "</tr></thead>\n");
}

static void add_row(struct page *p, const struct summary *s, size_t arm)
{
    static const char *const classes[] = {[ARM_NOT_MEASURED] = "quiet",
                                          [ARM_IN_RACE] = "open",
                                          [ARM_GOOD] = "good",
                                          [ARM_SLOWER] = "worse",
                                          [ARM_WORSE] = "worse"};
    bool chosen = s->choice.state != CHOICE_NONE && s->choice.arm == (int)arm;
    text_add(p->out, chosen ? "<tr class=\"chosen\">" : "<tr>");
    for (size_t c = 0; c < report_ncolumns; c++) {
        const struct report_column *column = &report_columns[c];
        struct text cell = {0};
        column->cell(&cell, s, arm);
        text_add(p->out, c == 0 ? "<th scope=\"row\" class=\"left\"" : "<td");
        if (c > 0 && column->left)
            text_addf(p->out, " class=\"left %s\"", classes[s->arms[arm].standing]);
        if (column->sort) {
            double v = column->sort(s, arm);
            text_addf(p->out, isfinite(v) ? " data-v=\"%.9g\"" : " data-v=\"NaN\"", v);
        }
        text_add(p->out, ">");
        html_add(p->out, text_get(&cell));
        text_add(p->out, c == 0 ? "</th>" : "</td>");
        p->out->failed |= cell.failed;
        text_fini(&cell);
    }
    text_add(p->out, "</tr>\n");
}

static void add_table(struct page *p, size_t i)
{
    const struct summary *s = p->s[i];
    add_result_heading(p, i, "h3");
    text_addf(p->out,
              "<p class=\"filter\" hidden><label for=\"filter-%zu\">Filter</label>"
              "<input id=\"filter-%zu\" type=\"search\" aria-controls=\"settings-%zu\" placeholder=\"2 "
              "workers good\">"
              "<output for=\"filter-%zu\" aria-live=\"polite\" class=\"quiet\"></output></p>\n"
              "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table of settings, scrolls "
              "sideways\">\n"
              "<table class=\"settings\" id=\"settings-%zu\">\n",
              i, i, i, i, i);
    add_heads(p);
    text_add(p->out, "<tbody>\n");
    for (size_t a = 0; a < s->result->narms; a++)
        add_row(p, s, a);
    text_add(p->out, "</tbody>\n</table>\n</div>\n");
}

static void add_details(struct page *p, const struct summary *s, size_t arm)
{
    text_add(p->out, "<details>\n<summary>");
    html_add(p->out, s->result->arms[arm].name);
    text_addf(p->out, " <span class=\"quiet\">%s</span></summary>\n<dl>\n",
              summary_standing_word(s->arms[arm].standing));
    for (size_t d = 0; d < report_ndetails; d++) {
        struct text value = {0};
        if (report_details[d].add(&value, s, arm)) {
            text_add(p->out, "<dt>");
            html_add(p->out, report_details[d].name);
            text_add(p->out, "</dt><dd>");
            html_add(p->out, text_get(&value));
            text_add(p->out, "</dd>\n");
        }
        p->out->failed |= value.failed;
        text_fini(&value);
    }
    text_add(p->out, "</dl>\n</details>\n");
}

static void add_settings(struct page *p)
{
    text_add(p->out, "<section aria-labelledby=\"settings-h\">\n<h2 id=\"settings-h\">Settings</h2>\n");
    for (size_t i = 0; i < p->n; i++)
        add_table(p, i);
    text_add(p->out,
             "</section>\n<section aria-labelledby=\"details-h\">\n<h2 id=\"details-h\">Each setting</h2>\n");
    for (size_t i = 0; i < p->n; i++) {
        add_result_heading(p, i, "h3");
        for (size_t a = 0; a < p->s[i]->result->narms; a++)
            add_details(p, p->s[i], a);
    }
    text_add(p->out, "</section>\n");
}

static void add_more_pictures(struct page *p)
{
    text_add(p->out, "<section aria-labelledby=\"pictures-h\">\n<h2 id=\"pictures-h\">More pictures</h2>\n");
    for (size_t i = 1; i < p->pictures->n; i++)
        add_picture(p, i);
    add_why_no_pictures(p);
    for (size_t i = 0; i < p->pictures->n; i++)
        if (p->pictures->missing[i]) {
            text_add(p->out, "<p class=\"quiet\">");
            html_add(p->out, p->pictures->kinds[i]->title);
            text_add(p->out, " is not drawn: ");
            html_add(p->out, p->pictures->missing[i]);
            text_add(p->out, ".</p>\n");
        }
    text_add(p->out, "</section>\n");
}

static void add_method(struct page *p)
{
    text_add(p->out, "<section aria-labelledby=\"method-h\">\n<h2 id=\"method-h\">Method and caveats</h2>\n");
    for (size_t i = 0; report_method[i]; i++)
        add_paragraph(p, "", report_method[i]);
    for (size_t i = 0; i < p->n; i++) {
        const struct result *r = p->s[i]->result;
        add_result_heading(p, i, "h3");
        text_addf(
            p->out,
            "<p>%d invocation%s counted; void, by rules that do not look at the outcome: %d invocation%s and "
            "%d block%s. Seed %llu, margin %g %%, alpha %g.</p>\n",
            p->s[i]->invocations_valid, p->s[i]->invocations_valid == 1 ? "" : "s", p->s[i]->invocations_void,
            p->s[i]->invocations_void == 1 ? "" : "s", p->s[i]->blocks_void,
            p->s[i]->blocks_void == 1 ? "" : "s", (unsigned long long)r->seed, 100 * r->margin, r->alpha);
    }
    text_add(p->out, "</section>\n");
}

static void add_environment(struct page *p)
{
    text_add(p->out,
             "<section aria-labelledby=\"environment-h\">\n<h2 id=\"environment-h\">Machine and run</h2>\n");
    for (size_t i = 0; i < p->n; i++) {
        const struct result *r = p->s[i]->result;
        struct text json = {0};
        add_result_heading(p, i, "h3");
        text_add(p->out, "<dl><dt>Command</dt><dd><code>");
        html_add(p->out, r->command ? r->command : "-");
        text_add(p->out, "</code></dd><dt>CPU budget</dt><dd>");
        html_add(p->out, r->cpu_budget_text ? r->cpu_budget_text : "-");
        text_add(p->out,
                 "</dd></dl>\n<details><summary>Environment as recorded</summary>\n<pre tabindex=\"0\">");
        report_indent_json(&json, r->environment ? r->environment : "not recorded");
        html_add_lines(p->out, text_get(&json));
        text_add(p->out, "</pre></details>\n");
        p->out->failed |= json.failed;
        text_fini(&json);
    }
    text_add(p->out, "</section>\n");
}

static void add_findings(struct page *p)
{
    if (!p->opt->nfindings)
        return;
    text_add(p->out,
             "<section aria-labelledby=\"doctor-h\">\n<h2 id=\"doctor-h\">What doctor found</h2>\n<dl>\n");
    for (size_t i = 0; i < p->opt->nfindings; i++) {
        const struct report_finding *f = &p->opt->findings[i];
        text_add(p->out, "<dt>");
        html_add(p->out, f->level);
        text_add(p->out, ": ");
        html_add(p->out, f->check);
        text_add(p->out, "</dt><dd>");
        html_add(p->out, f->text);
        if (f->advice) {
            text_add(p->out, "<br><strong>");
            html_add(p->out, f->advice);
            text_add(p->out, "</strong>");
        }
        text_add(p->out, "</dd>\n");
    }
    text_add(p->out, "</dl>\n</section>\n");
}

static void add_raw_rows(struct page *p)
{
    text_add(p->out, "<section aria-labelledby=\"rows-h\">\n<h2 id=\"rows-h\">Raw rows</h2>\n");
    for (size_t i = 0; i < p->n; i++) {
        struct text rows = {0};
        const char *what;
        report_rows(p->s[i]->result, ROW_BYTES / p->n, &rows, &what);
        text_addf(p->out, "<p><a download=\"loaderbench-%zu.csv\" href=\"data:text/csv;charset=utf-8;base64,",
                  i + 1);
        html_add_base64(p->out, text_get(&rows), rows.len);
        text_add(p->out, "\">Download as CSV</a> ");
        html_add(p->out, p->s[i]->result->path && p->n > 1 ? p->s[i]->result->path : "");
        text_addf(p->out, " (%s)</p>\n", what);
        p->out->failed |= rows.failed;
        text_fini(&rows);
    }
    text_add(p->out, "</section>\n");
}

int report_html(const struct summary *const *s, size_t n, const struct report_options *opt, struct text *out,
                struct err *pictures, struct err *err)
{
    struct report_pictures drawn;
    int rc = report_pictures_init(s, n, opt, NULL, PLOT_SVG, &drawn, err);
    if (rc)
        return rc;
    struct page page = {.s = s, .n = n, .opt = opt, .pictures = &drawn, .out = out};
    add_head(&page);
    text_add(out, "<header>\n<h1>loaderbench report</h1>\n");
    add_names(&page);
    text_add(out, "</header>\n<main>\n");
    add_verdict(&page);
    add_picture(&page, 0);
    add_settings(&page);
    add_more_pictures(&page);
    add_method(&page);
    add_findings(&page);
    add_environment(&page);
    add_raw_rows(&page);
    text_add(out, "</main>\n<script>");
    text_add(out, report_js);
    text_add(out, "</script>\n</body>\n</html>\n");
    if (pictures)
        *pictures = drawn.err;
    report_pictures_fini(&drawn);
    return out->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}
