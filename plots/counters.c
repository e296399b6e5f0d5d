/* Counters a sample, one panel each, a row for each setting. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "quote.h"
#include "results/stats/order_statistic.h"
#include "rows.h"

enum { MOST_METRICS = 12, IN_A_BAND = 4, NAMES_PX = 300, RIGHT_PX = 20 };

struct metric {
    const char *name; /* borrowed */
    size_t offset;    /* in struct turn; 0 = a counter of the trial */
};

static const struct metric of_turns[] = {
    {"voluntary switches", offsetof(struct turn, voluntary_switches)},
    {"involuntary switches", offsetof(struct turn, involuntary_switches)},
    {"migrations", offsetof(struct turn, migrations)},
    {"page faults", offsetof(struct turn, page_faults)},
};

/* Mean over the turns that count. */
static double turn_value(const struct trial *t, size_t offset)
{
    double sum = 0;
    size_t n = 0;
    for (size_t u = 0; u < t->nturns; u++) {
        double v = *(const double *)(const void *)((const char *)&t->turns[u] + offset);
        if (t->turns[u].block > 0 && !t->turns[u].void_reason && isfinite(v)) {
            sum += v;
            n++;
        }
    }
    return n ? sum / (double)n : NAN;
}

static double trial_value(const struct trial *t, const struct metric *metric)
{
    if (metric->offset)
        return turn_value(t, metric->offset);
    for (size_t c = 0; c < t->ncounters; c++)
        if (!strcmp(t->counters[c].name, metric->name))
            return t->counters[c].value;
    return NAN;
}

/* Median over the invocations that count; NaN when it was never available. */
static double arm_value(const struct plot_arm *a, const struct metric *metric)
{
    const struct result *r = a->summary->result;
    double *values = calloc(r->ninvocations + 1, sizeof *values);
    size_t n = 0;
    for (size_t i = 0; values && i < r->ninvocations; i++)
        for (size_t t = 0; !r->invocations[i].void_reason && t < r->invocations[i].ntrials; t++) {
            const struct trial *trial = &r->invocations[i].trials[t];
            double v = trial->arm == a->index ? trial_value(trial, metric) : NAN;
            if (isfinite(v) && n < r->ninvocations)
                values[n++] = v;
        }
    double median = n ? stats_median(values, n) : NAN;
    free(values);
    return median;
}

/* Without the component it comes from: "sde:::loaderbench::batches" is "batches" over a narrow panel. */
static const char *short_name(const char *name)
{
    const char *last = strrchr(name, ':');
    return last && last[1] ? last + 1 : name;
}

static bool known_name(const struct metric *metrics, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(metrics[i].name, name))
            return true;
    return false;
}

static bool available(const struct plot_model *m, const struct metric *metric)
{
    for (size_t i = 0; i < m->narms; i++)
        if (isfinite(arm_value(&m->arms[i], metric)))
            return true;
    return false;
}

/* The counters named in the first trials of each result, then the figures of turns, as far as there are
 * values. *left_out counts names without any. */
static size_t find_metrics(const struct plot_model *m, struct metric metrics[MOST_METRICS], size_t *left_out)
{
    size_t n = 0;
    *left_out = 0;
    for (size_t r = 0; r < m->nresults; r++) {
        const struct result *result = m->s[r]->result;
        if (!result->ninvocations || !result->invocations[0].ntrials)
            continue;
        const struct trial *t = &result->invocations[0].trials[0];
        for (size_t c = 0; c < t->ncounters && n < MOST_METRICS; c++) {
            struct metric metric = {t->counters[c].name, 0};
            if (known_name(metrics, n, metric.name))
                continue;
            if (available(m, &metric))
                metrics[n++] = metric;
            else
                ++*left_out;
        }
    }
    for (size_t i = 0; i < sizeof of_turns / sizeof *of_turns && n < MOST_METRICS; i++)
        if (available(m, &of_turns[i]))
            metrics[n++] = of_turns[i];
    return n;
}

static const char *missing(const struct plot_model *m)
{
    struct metric metrics[MOST_METRICS];
    size_t left_out;
    return find_metrics(m, metrics, &left_out) ? NULL : "no counter was available";
}

static size_t write_metric(const struct rows *rows, struct plot_page *page, const struct metric *metric,
                           double *most)
{
    size_t block = page_block(page, "row value rgb", metric->name);
    *most = 0;
    for (size_t i = 0; i < rows->n; i++) {
        double v = arm_value(rows->arms[i], metric);
        if (!isfinite(v))
            continue;
        page_row(page, "%zu %.6g %u", i, v, rows->arms[i]->rgb);
        *most = fmax(*most, v);
    }
    return block;
}

static void draw_panel(const struct rows *rows, struct plot_page *page, const struct metric *metric, size_t k,
                       int band_px)
{
    double most;
    size_t column = k % IN_A_BAND, band = k / IN_A_BAND;
    double each = (page->width - NAMES_PX - RIGHT_PX) / (double)IN_A_BAND;
    double left = NAMES_PX + each * (double)column, top = 95 + (double)band_px * (double)band;
    size_t block = write_metric(rows, page, metric, &most);
    text_addf(&page->draw,
              "    set lmargin at screen %.4f\n    set rmargin at screen %.4f\n    set tmargin at screen "
              "%.4f\n    set bmargin at screen %.4f\n",
              left / page->width, (left + each - 22) / page->width, 1 - (top + 22) / page->height,
              1 - (top + band_px - 50) / page->height);
    text_add(&page->draw, "    set label 1 ");
    plot__quote(&page->draw, short_name(metric->name), 26);
    text_add(&page->draw,
             " at graph 0, graph 1 offset character 0,0.7 left font \",10\" textcolor rgb '" PLOT_INK "'\n");
    text_addf(&page->draw, "    set xrange [0:%.6g]\n    set xtics 0,%.6g format \"%s\" font \",9\"\n    ",
              most > 0 ? most * 1.1 : 1, page_tic_step(most, 3), most >= 1e5 ? "%.0s%c" : "%h");
    if (column == 0)
        rows_names(rows, page, &page->draw);
    else
        text_add(&page->draw, "unset ytics\n");
    page_element(page,
                 "'counters.dat' index %zu using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor "
                 "rgb variable notitle",
                 block);
    page_element(page,
                 "'counters.dat' index %zu using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb "
                 "variable notitle",
                 block);
    page_panel(page);
    text_add(&page->draw, "    unset label\n");
}

static void draw_in_terminal(const struct rows *rows, struct plot_page *page, const struct metric *metric)
{
    double most;
    size_t block = write_metric(rows, page, metric, &most);
    text_addf(&page->setup, "set xrange [0:%.6g]\nset xlabel ", most > 0 ? most * 1.1 : 1);
    plot__quote(&page->setup, metric->name, 40);
    text_add(&page->setup, "\n");
    page_element(page, "'counters.dat' index %zu using 2:1 with points notitle", block);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct metric metrics[MOST_METRICS];
    size_t left_out, n = find_metrics(m, metrics, &left_out);
    struct rows rows = rows_init(m, page);
    if (page->terminal) {
        draw_in_terminal(&rows, page, &metrics[0]);
        rows_fini(&rows);
        return;
    }
    int band_px = page->height - 140, bands = (int)((n + IN_A_BAND - 1) / IN_A_BAND);
    page->height = 140 + bands * band_px;
    page->panels = true;
    text_add(&page->draw, "    set multiplot\n");
    for (size_t k = 0; k < n; k++)
        draw_panel(&rows, page, &metrics[k], k, band_px);
    text_add(&page->draw, "    unset multiplot\n");
    text_add(&page->caption, "; medians, a sample");
    if (left_out)
        text_addf(&page->caption, "; %zu counter%s unavailable here, the record says why", left_out,
                  left_out == 1 ? "" : "s");
    rows_fini(&rows);
}

const struct plot plot_counters = {
    .name = "counters",
    .title = "Counters for each sample",
    .question = "How many switches, migrations, faults and hardware events does a sample cost?",
    .alt = "One panel for each counter, a row for each setting, values for each sample from zero.",
    .missing = missing,
    .draw = draw,
};
