/* The main picture: cost of a sample against workers, a line for each thread count. */
#include <math.h>

#include "by_workers.h"

static struct estimate cost(const struct plot_model *m, const struct plot_arm *a)
{
    (void)m;
    return a->sum->cost_ns;
}

static const char *missing(const struct plot_model *m)
{
    (void)m; /* what was measured has a cost */
    return NULL;
}

/* cost(1 worker) / workers, until its CPUs are used up. For one result only. */
static void draw_ideal(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                       double scale)
{
    const struct plot_arm *one = workers_one(m);
    int most = workers_ideal_end(axis, m, one);
    if (most < 2 || page->terminal)
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
    page_key(page, "ideal: 1 worker's cost / workers");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    double low, high;
    workers_extent(m, cost, &low, &high);
    struct page_unit unit = page_unit_ns(high);
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    workers_axis_set(&axis, page);
    struct page_range range = page_axis(page, 'y', low / unit.scale, high / unit.scale);
    page_axis_label(page, 'y', "cost of a sample", unit.name, &range);
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
