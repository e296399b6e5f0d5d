/* The main picture: cost of a sample against workers, a line for each thread count. */
#include <math.h>

#include "by_workers.h"

static struct estimate cost(const struct plot_arm *a)
{
    return a->sum->cost_ns;
}

static const char *missing(const struct plot_model *m)
{
    (void)m; /* what was measured has a cost */
    return NULL;
}

/* The arm that ideal scaling starts from: one worker, on the first line that has it. */
static const struct plot_arm *one_worker(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (m->arms[i].arm->setting.workers == 1 && plot__measured(&m->arms[i]))
            return &m->arms[i];
    return NULL;
}

/* cost(1 worker) / workers, until its CPUs are used up. Drawn for one result only. */
static void draw_ideal(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                       double scale)
{
    const struct plot_arm *one = one_worker(m);
    if (!one || m->nresults > 1 || page->terminal)
        return;
    int threads = one->arm->setting.threads > 0 ? one->arm->setting.threads : 1;
    int most = m->s[0]->result->cpu_budget / threads;
    if (most > axis->counts[axis->n - 1])
        most = axis->counts[axis->n - 1];
    if (most < 2)
        return;
    size_t block = page_block(page, "x ideal", "cost of one worker divided by the workers");
    enum { STEPS = 40 };
    for (int i = 0; i <= STEPS; i++) {
        double workers = 1 + (most - 1) * (double)i / STEPS;
        page_row(page, "%.6g %.9g", workers_axis_at(axis, workers),
                 one->sum->cost_ns.value / workers / scale);
    }
    page_element(
        page,
        "'workers.dat' index %zu using 1:2 with lines linewidth 1.4 dashtype 3 linecolor rgb '" PLOT_QUIET
        "'",
        block);
    struct text words = {0};
    text_addf(&words, "ideal: 1 worker's cost / workers");
    page_key(page, text_get(&words));
    text_fini(&words);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    double low, high;
    workers_extent(m, cost, &low, &high);
    struct page_unit unit = page_unit_ns(high);
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    bool log = page_axis(page, 'y', low / unit.scale, high / unit.scale);
    text_addf(&page->setup, "set ylabel \"cost of a sample [%s]%s\" textcolor rgb '" PLOT_INK "'\n",
              unit.name, log ? ", logarithmic" : "");
    workers_axis_budget(&axis, m, page);
    draw_ideal(&axis, m, page, unit.scale);
    workers_lines(&axis, m, page, cost, unit.scale);
    workers_axis_fini(&axis);
}

const struct plot plot_workers = {
    .name = "workers",
    .title = "Cost of a sample against workers",
    .question = "How many workers, with how many threads each, deliver a sample at the lowest cost?",
    .alt = "Cost of a sample over the number of workers, one line for each thread count, with intervals; the "
           "CPU "
           "budget and the recommended setting are marked.",
    .missing = missing,
    .draw = draw,
};
