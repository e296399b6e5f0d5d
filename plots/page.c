/* Building a script; see page.h. Text is plain everywhere (noenhanced), foreign words pass through quote.h.
 */
#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "quote.h"

enum { LABEL_COLUMNS = 40, LINE_COLUMNS = 118 };

void page_init(struct plot_page *page, const struct plot *plot, const struct plot_model *m)
{
    *page = (struct plot_page){.plot = plot, .width = 1040, .height = 560};
    page_subtitle_workload(page, m);
    page_caption_evidence(page, m);
}

void page_fini(struct plot_page *page)
{
    text_fini(&page->subtitle);
    text_fini(&page->caption);
    text_fini(&page->setup);
    text_fini(&page->draw);
    text_fini(&page->data);
}

size_t page_block(struct plot_page *page, const char *columns, const char *about)
{
    /* gnuplot does not count a data set without rows. */
    if (page->nblocks && !page->block_rows)
        page_row(page, "nan nan nan nan nan nan nan nan nan");
    page->block_rows = 0;
    text_add(&page->data, page->nblocks ? "\n\n# " : "# ");
    text_add_line(&page->data, about);
    text_addf(&page->data, "\n# %s\n", columns);
    return page->nblocks++;
}

void page_row(struct plot_page *page, const char *fmt, ...)
{
    char buf[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    /* printf writes "nan" and "-nan". */
    for (char *p = buf; (p = strstr(p, "nan")); p += 3)
        memcpy(p, "NaN", 3);
    text_add(&page->data, buf);
    text_add(&page->data, "\n");
    page->block_rows++;
}

void page_element(struct plot_page *page, const char *fmt, ...)
{
    char buf[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    text_add(&page->draw, page->nelements++ ? ", \\\n         " : "    plot ");
    text_add(&page->draw, buf);
}

void page_key(struct plot_page *page, const char *label)
{
    text_add(&page->draw, " title ");
    plot__quote(&page->draw, label, LABEL_COLUMNS);
    page->nkeys++;
}

void page_panel(struct plot_page *page)
{
    if (page->nelements)
        text_add(&page->draw, "\n");
    page->nelements = 0;
}

struct page_unit page_unit_ns(double most_ns)
{
    static const struct page_unit units[] = {
        {60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "\xC2\xB5s"}, {1, "ns"}};
    for (size_t i = 0; i < 4; i++)
        if (most_ns >= units[i].scale)
            return units[i];
    return units[4];
}

struct page_unit page_unit_rate(double most)
{
    static const struct page_unit units[] = {{1e9, "billion samples/s"},
                                             {1e6, "million samples/s"},
                                             {1e3, "thousand samples/s"},
                                             {1, "samples/s"}};
    static const double from[] = {1e9, 1e6, 1e4};
    for (size_t i = 0; i < 3; i++)
        if (most >= from[i])
            return units[i];
    return units[3];
}

/* Tics within a decade, the more the fewer decades there are; powers alone over more than four. */
static size_t log_steps(double ratio, const double **steps)
{
    static const double one[] = {1}, two[] = {1, 3}, some[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    *steps = ratio > 1e4 ? one : ratio > 500 ? two : ratio > 20 ? some : many;
    return ratio > 1e4 ? 1 : ratio > 500 ? 2 : ratio > 20 ? 3 : 8;
}

static void log_tics(struct plot_page *page, char axis, double low, double high)
{
    const double *steps;
    size_t nsteps = log_steps(high / low, &steps);
    const char *comma = "";
    text_addf(&page->setup, "set %ctics (", axis);
    for (int e = (int)floor(log10(low)); e <= (int)ceil(log10(high)); e++)
        for (size_t i = 0; i < nsteps; i++) {
            double v = steps[i] * pow(10, e);
            if (v < low * 0.999 || v > high * 1.001)
                continue;
            text_addf(&page->setup, "%s\"%.15g\" %.15g", comma, v, v);
            comma = ", ";
        }
    text_add(&page->setup, ")\n");
}

double page_tic_step(double most, int tics)
{
    if (!(most > 0))
        return 1;
    double power = pow(10, floor(log10(most / tics)));
    double rest = most / tics / power;
    return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

struct page_range page_axis_log(struct plot_page *page, char axis, double low, double high)
{
    /* Values that lie close together need a decent stretch of axis around them. */
    double margin = fmax(pow(high / low, 0.04), high / low < 1.5 ? 1.3 : 1);
    struct page_range r = {low / margin, high * margin, true};
    text_addf(&page->setup, "set logscale %c\nset %crange [%.6g:%.6g]\n", axis, axis, r.low, r.high);
    log_tics(page, axis, r.low, r.high);
    return r;
}

struct page_range page_axis(struct plot_page *page, char axis, double low, double high)
{
    struct page_range r = {0, 1, false};
    if (isfinite(low) && isfinite(high) && low > 0 && high / low > 10)
        return page_axis_log(page, axis, low, high);
    if (isfinite(high) && high > 0)
        r.high = high * 1.06;
    text_addf(&page->setup, "set %crange [0:%.6g]\n", axis, r.high);
    return r;
}

void page_axis_label(struct plot_page *page, char axis, const char *quantity, const char *unit,
                     const struct page_range *range)
{
    text_addf(&page->setup, "set %clabel \"%s [%s]%s\" textcolor rgb '" PLOT_INK "'\n", axis, quantity, unit,
              range->log ? ", logarithmic" : "");
}

void page_add_ns(struct text *out, double ns, int digits)
{
    char buf[UNIT_TEXT];
    unit_format_ns(buf, ns, digits);
    size_t n = strlen(buf);
    if (n > 2 && !strcmp(buf + n - 2, "us")) {
        text_add_bytes(out, buf, n - 2);
        text_add(out, "\xC2\xB5s");
    } else {
        text_add(out, buf);
    }
}

static void add_pauses(struct text *c, const struct result *r)
{
    for (size_t i = 0; i < r->npauses; i++) {
        char pause[UNIT_TEXT];
        text_addf(c, "; a pause of %s behind %lld invocations",
                  unit_format_ns(pause, fmax(r->pauses[i].pause_ns, 1e9), 2),
                  (long long)r->pauses[i].invocations);
    }
}

void page_caption_evidence(struct plot_page *page, const struct plot_model *m)
{
    struct text *c = &page->caption;
    if (m->n_most == 0)
        text_add(c, "nothing measured");
    else if (m->n_least == m->n_most)
        text_addf(c, "n = %d invocation%s", m->n_most, m->n_most == 1 ? "" : "s");
    else
        text_addf(c, "n = %d to %d invocations", m->n_least, m->n_most);
    if (m->not_measured)
        text_addf(c, ", %zu not measured", m->not_measured);
    if (m->invocations_void || m->blocks_void)
        text_addf(c, "; void: %d invocation%s, %d block%s", m->invocations_void,
                  m->invocations_void == 1 ? "" : "s", m->blocks_void, m->blocks_void == 1 ? "" : "s");
    for (size_t i = 0; i < m->nresults; i++)
        add_pauses(c, m->s[i]->result);
    for (size_t i = 0; i < m->nresults; i++)
        if (m->s[i]->result->damage) {
            text_add(c, "; damaged file: ");
            plot__cut(c, m->s[i]->result->damage, 40);
        }
}

void page_caption_intervals(struct plot_page *page, const struct plot_model *m)
{
    struct text *c = &page->caption;
    if (m->level > 0)
        text_addf(c, "; bars: %g %% intervals", m->level * 100);
    if (m->without_interval && m->n_most)
        text_addf(c, "; %zu setting%s without interval", m->without_interval,
                  m->without_interval == 1 ? "" : "s");
}

static void add_workload(struct text *t, const struct workload *w)
{
    text_add(t, w->transform && *w->transform ? w->transform : "no transform");
    text_add(t, " on ");
    text_add(t, w->data && *w->data ? w->data : "no data");
    text_addf(t, ", batches of %lld", (long long)w->batch_size);
}

void page_subtitle_workload(struct plot_page *page, const struct plot_model *m)
{
    if (!m->narms)
        return;
    struct text *t = &page->subtitle;
    const struct workload *first = &m->arms[0].arm->workload;
    bool all_same = true;
    for (size_t i = 1; i < m->narms; i++) {
        const struct workload *w = &m->arms[i].arm->workload;
        all_same &= w->batch_size == first->batch_size &&
                    !strcmp(w->data ? w->data : "", first->data ? first->data : "") &&
                    !strcmp(w->transform ? w->transform : "", first->transform ? first->transform : "");
    }
    if (all_same)
        add_workload(t, first);
    else
        text_add(t, "several workloads");
    const struct result *r = m->s[0]->result;
    if (m->nresults == 1 && r->cpu_budget > 0)
        text_addf(t, "; %d CPU%s to use", r->cpu_budget, r->cpu_budget == 1 ? "" : "s");
}

static void words(const struct plot_page *page, struct text *out)
{
    size_t columns = LINE_COLUMNS * (size_t)page->width / 960;
    const char *lines[] = {page->plot->title, text_get(&page->subtitle), text_get(&page->caption)};
    static const char *const looks[] = {"font \",14\" textcolor rgb '" PLOT_INK "'",
                                        "font \",10\" textcolor rgb '" PLOT_QUIET "'",
                                        "font \",9\" textcolor rgb '" PLOT_QUIET "'"};
    static const char *const places[] = {"screen 1 offset character 1.8,-1.3",
                                         "screen 1 offset character 1.8,-2.9",
                                         "screen 0 offset character 1.8,1.1"};
    for (int i = 0; i < 3; i++) {
        text_addf(out, "set label %d ", 9001 + i);
        plot__quote(out, lines[i], i == 2 ? columns + 20 : columns);
        text_addf(out, " at screen 0, %s left front %s\n", places[i], looks[i]);
    }
}

/* Settings that every picture starts from. */
static void base_settings(struct text *out)
{
    text_add(out, "reset\nset encoding utf8\nset style data linespoints\n"
                  "set border 3 linecolor rgb '" PLOT_QUIET "'\n"
                  "set tics nomirror scale 0.6 textcolor rgb '" PLOT_INK "'\n"
                  "set format \"%h\"\n"
                  "set grid ytics linetype 1 linewidth 0.6 linecolor rgb '" PLOT_GRID "'\n"
                  "set style fill solid 1.0 noborder\nset bars small\n");
}

static void add_terminals(const struct plot_page *page, struct text *out)
{
    text_addf(
        out,
        "    if (kind eq \"svg\") {\n"
        "        set terminal svg noenhanced size %d,%d font \"sans-serif,11\" fontscale 1.3 linewidth 1.2 "
        "background '" PLOT_PAPER "'\n"
        "    }\n"
        "    if (kind eq \"png\") {\n"
        "        set terminal pngcairo noenhanced size %d,%d font \"sans-serif,11\" fontscale 2 linewidth 2 "
        "pointscale 2 background '" PLOT_PAPER "'\n"
        "    }\n"
        "    if (kind eq \"pdf\") {\n"
        "        set terminal pdfcairo noenhanced size %.2fin,%.2fin font \"sans-serif,11\" fontscale 0.8 "
        "background '" PLOT_PAPER "'\n"
        "    }\n"
        "    set output \"%s.\".kind\n",
        page->width, page->height, 2 * page->width, 2 * page->height, page->width / 96.0, page->height / 96.0,
        page->plot->name);
}

static void add_settings(const struct plot_page *page, struct text *out)
{
    base_settings(out);
    text_addf(out,
              "set key outside right top vertical Left reverse noenhanced samplen 3 spacing %s textcolor rgb "
              "'" PLOT_INK "'\nset tmargin 6.2\nset bmargin 5.6\n%s",
              page->nkeys > 24 ? "1.05 font \",8\"" : "1.3 font \",10\"",
              page->nkeys ? "" : "set rmargin 3\n");
    words(page, out);
    text_add(out, text_get(&page->setup));
}

void page_script(const struct plot_page *page, unsigned formats, struct text *out)
{
    const char *name = page->plot->name;
    text_add(out, "# ");
    text_add_line(out, page->plot->title);
    text_addf(out, ": %s\n# Draws itself again: gnuplot %s.gp (the data are in %s.dat beside it).\n",
              page->plot->question, name, name);
    if (!page->panels)
        add_settings(page, out);
    text_addf(out, "\ndo for [kind in \"%s%s%s\"] {\n", formats & PLOT_SVG ? "svg " : "",
              formats & PLOT_PNG ? "png " : "", formats & PLOT_PDF ? "pdf " : "");
    if (page->panels)
        add_settings(page, out);
    add_terminals(page, out);
    text_add(out, text_get(&page->draw));
    text_add(out, "\n    unset output\n}\n");
}

void page_script_terminal(const struct plot_page *page, int columns, int rows, struct text *out)
{
    text_addf(out, "set terminal dumb noenhanced size %d,%d mono aspect 1\n", columns, rows);
    base_settings(out);
    text_add(out, text_get(&page->setup));
    text_addf(out,
              "unset grid\nset tmargin %zu\nset bmargin 3\n"
              "set key noenhanced horizontal noreverse Right samplen 1 at screen 0.5, screen 1 center top\n",
              page->nkeys ? (page->nkeys + 1) / 2 + 2 : 1);
    text_add(out, text_get(&page->draw));
    text_add(out, "\n");
}

void page_add_wrapped(struct text *out, const char *words, size_t columns)
{
    struct text clean = {0};
    text_add_line(&clean, words);
    size_t used = 0;
    for (const char *w = text_get(&clean); *w;) {
        size_t n = strcspn(w, " ");
        struct text word = {0};
        text_add_bytes(&word, w, n);
        size_t wide = plot__columns(text_get(&word));
        if (n && used && used + 1 + wide > columns) {
            text_add(out, "\n");
            used = 0;
        }
        if (n) {
            text_addf(out, "%s%s", used ? " " : "", text_get(&word));
            used += wide + (used ? 1 : 0);
        }
        text_fini(&word);
        w += n + strspn(w + n, " ");
    }
    text_add(out, "\n");
    out->failed |= clean.failed;
    text_fini(&clean);
}
