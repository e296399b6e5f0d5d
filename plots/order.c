/* Turns and invocations in the order they ran: drift, voided invocations, looks; load and steal below. Each
 * setting's cost is shown over its own median, so that all share one scale. */
#include <math.h>
#include <stdlib.h>

#include "page.h"
#include "results/stats/order_statistic.h"

enum { MOST_BINS = 400, MOST_TURNS = 800, KEYS_FOR_ALL = 12 };

static const char *missing(const struct plot_model *m)
{
    if (m->nresults > 1)
        return "the running order is that of one result";
    return m->s[0]->result->ninvocations ? NULL : "no invocation in the record";
}

/* Many invocations are drawn in bins of neighbours, each at its median. */
static size_t bin_size(const struct result *r)
{
    return (r->ninvocations + MOST_BINS - 1) / MOST_BINS;
}

static size_t add_costs(const struct invocation *inv, int arm, double *into, size_t n, size_t most)
{
    const struct trial *trial = result_trial_of(inv, arm);
    for (size_t u = 0; trial && u < trial->nturns && n < most; u++) {
        const struct turn *t = &trial->turns[u];
        if (t->block > 0 && !t->void_reason && isfinite(t->cost_ns))
            into[n++] = t->cost_ns;
    }
    return n;
}

struct extent {
    double low, high;
};

static void widen(struct extent *e, double v)
{
    e->low = fmin(e->low, v);
    e->high = fmax(e->high, v);
}

/* Median of each bin over the arm's own cost. */
static size_t write_medians(const struct plot_arm *a, struct plot_page *page, struct extent *e)
{
    enum { MOST = 4096 };
    const struct result *r = a->summary->result;
    double *costs = calloc(MOST, sizeof *costs);
    size_t step = bin_size(r), block = page_block(page, "invocation cost_over_own_median", a->label);
    for (size_t i = 0; costs && i < r->ninvocations; i += step) {
        size_t n = 0;
        for (size_t k = i; k < i + step && k < r->ninvocations; k++)
            if (!r->invocations[k].void_reason)
                n = add_costs(&r->invocations[k], a->index, costs, n, MOST);
        if (!n || !(a->sum->cost_ns.value > 0))
            continue;
        double v = stats_median(costs, n) / a->sum->cost_ns.value;
        page_row(page, "%.6g %.6g", (double)i + (double)(step - 1) / 2 + 1, v);
        widen(e, v);
    }
    page->data.failed |= !costs;
    free(costs);
    return block;
}

/* Single turns as dots; of very many every k-th. Values far out stand at the edge of the frame. */
static size_t write_turns(const struct plot_model *m, struct plot_page *page, const struct extent *e)
{
    const struct result *r = m->s[0]->result;
    size_t every = result_count_turns(r) / MOST_TURNS + 1, seen = 0;
    size_t block = page_block(page, "invocation cost_over_own_median", "turns");
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t a = 0; a < m->narms; a++) {
            double costs[256], own = m->arms[a].sum->cost_ns.value;
            size_t n = own > 0 ? add_costs(&r->invocations[i], m->arms[a].index, costs, 0, 256) : 0;
            for (size_t u = 0; u < n; u++)
                if (seen++ % every == 0)
                    page_row(page, "%.6g %.6g", (double)i + 0.7 + 0.6 * ((double)u + 0.5) / (double)n,
                             fmin(fmax(costs[u] / own, e->low), e->high));
        }
    return block;
}

/* Mean over an invocation's turns, in per cent of their time; returns the larger of the two. */
static double write_load(const struct result *r, struct plot_page *page, size_t from, size_t step)
{
    double wall = 0, other = 0, steal = 0;
    for (size_t i = from; i < from + step && i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            for (size_t u = 0; u < r->invocations[i].trials[t].nturns; u++) {
                const struct turn *turn = &r->invocations[i].trials[t].turns[u];
                wall += isfinite(turn->wall_ns) ? turn->wall_ns : 0;
                other += isfinite(turn->other_cpu_ns) ? turn->other_cpu_ns : 0;
                steal += isfinite(turn->steal_ns) ? turn->steal_ns : 0;
            }
    if (!(wall > 0))
        return 0;
    page_row(page, "%.6g %.6g %.6g", (double)from + (double)(step - 1) / 2 + 1, 100 * other / wall,
             100 * steal / wall);
    return fmax(100 * other / wall, 100 * steal / wall);
}

static void mark_looks(const struct result *r, struct plot_page *page)
{
    for (size_t i = 1; i < r->ninvocations; i++) {
        int look = r->invocations[i].look;
        if (look == r->invocations[i - 1].look || look < 2 || look > 9)
            continue;
        text_addf(&page->setup,
                  "set arrow %d from first %zu.5, graph 0 to first %zu.5, graph 1 nohead dashtype (6,4) "
                  "linecolor rgb '" PLOT_QUIET "'\n",
                  look, i, i);
        if (!page->terminal)
            text_addf(&page->setup,
                      "set label %d \"look %d\" at first %zu.5, graph 1 offset character 0.4,0.6 left font "
                      "\",9\" textcolor rgb '" PLOT_QUIET "'\n",
                      look, look, i);
    }
}

static size_t mark_void(const struct result *r, struct plot_page *page, const struct extent *e)
{
    size_t n = 0;
    page_block(page, "invocation y", "void invocations");
    for (size_t i = 0; i < r->ninvocations; i++)
        if (r->invocations[i].void_reason) {
            page_row(page, "%zu %.6g", i + 1, e->low);
            n++;
        }
    return n;
}

static void draw_costs(const struct plot_model *m, struct plot_page *page)
{
    struct extent e = {0.9, 1.1};
    size_t first = page->nblocks;
    for (size_t i = 0; i < m->narms; i++)
        write_medians(&m->arms[i], page, &e);
    double air = 0.1 * (e.high - e.low);
    e.low = fmax(e.low - air, 0);
    e.high += air;
    text_addf(&page->setup, "set yrange [%.6g:%.6g]\nset xrange [0.3:%.6g]\n", e.low, e.high,
              (double)m->s[0]->result->ninvocations + 0.7);
    size_t turns = write_turns(m, page, &e);
    size_t nvoid = mark_void(m->s[0]->result, page, &e);
    if (!page->terminal)
        page_element(page,
                     "'order.dat' index %zu using 1:2 with points pointtype 7 pointsize 0.2 linecolor rgb "
                     "'#9aa4ae' notitle",
                     turns);
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_look *look = &m->lines[m->arms[i].line].look;
        page_element(page,
                     "'order.dat' index %zu using 1:2 with linespoints linewidth 1.4 linecolor rgb '#%06x' "
                     "dashtype %d "
                     "pointtype %d pointsize %g",
                     first + i, m->arms[i].rgb, look->dash, look->filled,
                     m->s[0]->result->ninvocations > 60 ? 0.0 : 0.6);
        if (m->narms <= KEYS_FOR_ALL)
            page_key(page, m->arms[i].label);
        else
            text_add(&page->draw, " notitle");
    }
    for (size_t i = 0; i < m->nlines && m->narms > KEYS_FOR_ALL; i++) {
        const struct plot_look *look = &m->lines[i].look;
        page_element(
            page,
            "NaN with linespoints linewidth 1.4 linecolor rgb '#%06x' dashtype %d pointtype %d pointsize 0.6",
            look->rgb, look->dash, look->filled);
        page_key(page, m->lines[i].label);
    }
    if (nvoid) {
        page_element(
            page,
            "'order.dat' index %zu using 1:2 with points pointtype 2 linewidth 2 linecolor rgb '#B5403F'",
            turns + 1);
        page_key(page, "void invocation");
    }
}

static void draw_load(const struct plot_model *m, struct plot_page *page)
{
    const struct result *r = m->s[0]->result;
    double most = 0;
    size_t step = bin_size(r), block = page_block(page, "invocation other_percent steal_percent", "load");
    for (size_t i = 0; i < r->ninvocations; i += step)
        most = fmax(most, write_load(r, page, i, step));
    text_addf(&page->draw, "    set yrange [0:%.6g]\n    set ytics 0,%.6g\n", most > 0 ? 1.1 * most : 1,
              page_tic_step(most, 3));
    page_element(
        page, "'order.dat' index %zu using 1:2 with lines linewidth 1.6 linecolor rgb '" PLOT_INK "'", block);
    page_key(page, "CPU time of others");
    page_element(
        page, "'order.dat' index %zu using 1:3 with lines linewidth 1.6 dashtype 2 linecolor rgb '#D55E00'",
        block);
    page_key(page, "taken by the hypervisor");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    page->height = 660;
    text_addf(&page->setup, "set xtics 0,%.0f\n",
              fmax(1, page_tic_step((double)m->s[0]->result->ninvocations, 12)));
    text_add(&page->setup, "set ylabel \"cost over the setting's own\" textcolor rgb '" PLOT_INK "'\n");
    mark_looks(m->s[0]->result, page);
    if (page->terminal) {
        text_add(&page->setup, "set xlabel \"invocation\"\n");
        draw_costs(m, page);
        return;
    }
    text_add(
        &page->setup,
        "set lmargin at screen 0.085\nset rmargin at screen 0.64\nset key at screen 0.655, graph 1 left top\n"
        "set tmargin at screen 0.84\nset bmargin at screen 0.40\n");
    page->panels = true;
    text_add(&page->draw, "    set multiplot\n");
    draw_costs(m, page);
    page_panel(page);
    text_add(&page->draw, "    unset label\n    set tmargin at screen 0.32\n    set bmargin at screen 0.15\n"
                          "    set ylabel \"% of a turn\"\n    set xlabel "
                          "\"invocation, in running order\" textcolor rgb '" PLOT_INK "'\n");
    draw_load(m, page);
    page_panel(page);
    text_add(&page->draw, "    unset multiplot\n");
    text_addf(&page->caption, "; grey dots: single turns%s",
              bin_size(m->s[0]->result) > 1 ? "; lines: medians of neighbours" : "");
}

const struct plot plot_order = {
    .name = "order",
    .title = "Turns and invocations in running order",
    .question = "Did the machine drift, was an invocation void, what else ran meanwhile?",
    .alt = "Cost of each setting over its own median, invocation after invocation, with looks and void "
           "invocations "
           "marked; below, the CPU time that others and the hypervisor took.",
    .missing = missing,
    .draw = draw,
};
