/* The report as Markdown: the same parts in the same order, pictures as files. */
#include <errno.h>
#include <string.h>

#include "quote.h"
#include "report_pictures.h"

/* Words as text: every sign that Markdown or HTML might read is escaped. */
static void add_words(struct text *out, const char *s)
{
    struct text clean = {0};
    text_add_line(&clean, s);
    for (const char *c = text_get(&clean); *c; c++) {
        if (strchr("\\`*_{}[]()#+-!|~$", *c))
            text_add(out, "\\");
        if (*c == '<')
            text_add(out, "&lt;");
        else if (*c == '>')
            text_add(out, "&gt;");
        else if (*c == '&')
            text_add(out, "&amp;");
        else
            text_add_bytes(out, c, 1);
    }
    out->failed |= clean.failed;
    text_fini(&clean);
}

static void add_paragraph(struct text *out, const char *words)
{
    if (!words || !*words)
        return;
    add_words(out, words);
    text_add(out, "\n\n");
}

static void add_result_heading(struct text *out, const struct summary *s, size_t n)
{
    if (n < 2)
        return;
    text_add(out, "### ");
    add_words(out, s->result->path ? s->result->path : "a result in memory");
    text_add(out, "\n\n");
}

void report_markdown_answer(const struct summary *s, const struct report_words *words, struct text *out)
{
    const struct choice *c = &s->choice;
    text_add(out, "**");
    if (c->state == CHOICE_NONE) {
        text_add(out, "Nothing usable was measured");
    } else {
        text_add(out, c->state == CHOICE_UNDECIDED ? "Best guess: " : "Recommended: ");
        add_words(out, s->result->arms[c->arm].name);
    }
    text_add(out, "**\n\n");
    if (!words)
        return;
    add_paragraph(out, words->recommendation);
    add_paragraph(out, words->ratio);
    add_paragraph(out, words->caveats);
}

void report_markdown_settings(const struct summary *s, struct text *out)
{
    for (size_t c = 0; c < report_ncolumns; c++)
        text_addf(out, "| %s ", report_columns[c].head);
    text_add(out, "|\n");
    for (size_t c = 0; c < report_ncolumns; c++)
        text_add(out, report_columns[c].left ? "| :-- " : "| --: ");
    text_add(out, "|\n");
    for (size_t a = 0; a < s->result->narms; a++) {
        for (size_t c = 0; c < report_ncolumns; c++) {
            struct text cell = {0};
            report_columns[c].cell(&cell, s, a);
            text_add(out, "| ");
            add_words(out, text_get(&cell));
            text_add(out, " ");
            out->failed |= cell.failed;
            text_fini(&cell);
        }
        text_add(out, "|\n");
    }
    text_add(out, "\n");
}

/* A link's target: what is not plain is percent-encoded. */
static void add_target(struct text *out, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr("-._~/", c);
        text_addf(out, plain ? "%c" : "%%%02X", c);
    }
}

static void add_picture(struct text *out, const struct report_pictures *p, size_t i, const char *link)
{
    if (!p->drawn[i])
        return;
    text_add(out, "![");
    add_words(out, p->kinds[i]->alt);
    text_add(out, "](");
    add_target(out, link);
    text_addf(out, "/%s.svg)\n\n", p->kinds[i]->name);
    add_paragraph(out, p->kinds[i]->question);
}

static void add_details(struct text *out, const struct summary *s, size_t arm)
{
    text_add(out, "- **");
    add_words(out, s->result->arms[arm].name);
    text_add(out, "**\n");
    for (size_t d = 0; d < report_ndetails; d++) {
        struct text value = {0};
        if (report_details[d].add(&value, s, arm)) {
            text_addf(out, "  - %s: ", report_details[d].name);
            add_words(out, text_get(&value));
            text_add(out, "\n");
        }
        out->failed |= value.failed;
        text_fini(&value);
    }
}

static void add_environment(struct text *out, const struct result *r)
{
    text_add(out, "- Command: ");
    add_words(out, r->command ? r->command : "-");
    text_add(out, "\n- CPU budget: ");
    add_words(out, r->cpu_budget_text ? r->cpu_budget_text : "-");
    text_add(out, "\n- Started: ");
    add_words(out, r->started ? r->started : "-");
    text_add(out, "\n- Environment: ");
    add_words(out, r->environment ? r->environment : "not recorded");
    text_add(out, "\n\n");
}

static void add_findings(struct text *out, const struct report_options *opt)
{
    if (opt->nfindings)
        text_add(out, "## What doctor found\n\n");
    for (size_t i = 0; i < opt->nfindings; i++) {
        const struct report_finding *f = &opt->findings[i];
        text_add(out, "- ");
        add_words(out, f->level);
        text_add(out, ", ");
        add_words(out, f->check);
        text_add(out, ": ");
        add_words(out, f->text);
        if (f->advice) {
            text_add(out, ". **");
            add_words(out, f->advice);
            text_add(out, "**");
        }
        text_add(out, "\n");
    }
    text_add(out, opt->nfindings ? "\n" : "");
}

int report_markdown(const struct summary *const *s, size_t n, const struct report_options *opt,
                    const char *folder, const char *link, struct text *out, struct err *pictures,
                    struct err *err)
{
    struct report_pictures drawn;
    int rc = report_pictures_init(s, n, opt, folder, PLOT_SVG | PLOT_PNG, &drawn, err);
    if (rc)
        return rc;
    text_add(out, "# loaderbench report\n\n## Answer\n\n");
    for (size_t i = 0; i < n; i++) {
        add_result_heading(out, s[i], n);
        report_markdown_answer(s[i], opt->words ? &opt->words[i] : NULL, out);
    }
    add_picture(out, &drawn, 0, link);
    text_add(out, "## Settings\n\n");
    for (size_t i = 0; i < n; i++) {
        add_result_heading(out, s[i], n);
        report_markdown_settings(s[i], out);
        for (size_t a = 0; a < s[i]->result->narms; a++)
            add_details(out, s[i], a);
        text_add(out, "\n");
    }
    text_add(out, "## More pictures\n\n");
    for (size_t i = 1; i < drawn.n; i++)
        add_picture(out, &drawn, i, link);
    if (drawn.err.code)
        add_paragraph(out, drawn.err.text);
    text_add(out, "## Method and caveats\n\n");
    for (size_t i = 0; report_method[i]; i++)
        add_paragraph(out, report_method[i]);
    add_findings(out, opt);
    text_add(out, "## Machine and run\n\n");
    for (size_t i = 0; i < n; i++) {
        add_result_heading(out, s[i], n);
        add_environment(out, s[i]->result);
    }
    if (pictures)
        *pictures = drawn.err;
    report_pictures_fini(&drawn);
    return out->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}
