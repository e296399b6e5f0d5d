/* Throughput against workers, with ideal scaling. */
#include <math.h>

#include "law.h"

static struct estimate rate(const struct plot_model *m, const struct plot_arm *a)
{
    (void)m;
    return a->sum->rate_per_s;
}

static const char *missing(const struct plot_model *m)
{
    double low, high;
    workers_extent(m, rate, &low, &high);
    return isfinite(high) ? NULL : "no setting has a rate";
}

/* workers times the rate of one, until the CPUs are used up. For one result only. */
static void draw_ideal(const struct workers_axis *axis, const struct plot_model *m, struct plot_page *page,
                       double scale)
{
    const struct plot_arm *one = workers_one(m);
    int most = workers_ideal_end(axis, m, one);
    if (most < 2 || page->terminal)
        return;
    size_t block = page_block(page, "x ideal", "rate of one worker times the workers");
    for (int w = 1; w <= most; w++)
        page_row(page, "%.6g %.9g", workers_axis_at(axis, w), one->sum->rate_per_s.value * w / scale);
    page_element(
        page,
        "'rate.dat' index %zu using 1:2 with lines linewidth 1.4 dashtype 3 linecolor rgb '" PLOT_QUIET "'",
        block);
    page_key(page, "ideal: 1 worker's rate x workers");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    double low, high;
    workers_extent(m, rate, &low, &high);
    struct page_unit unit = page_unit_rate(high);
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    workers_axis_set(&axis, page);
    struct page_range range = page_axis(page, 'y', low / unit.scale, high / unit.scale);
    page_axis_label(page, 'y', "throughput", unit.name, &range);
    workers_axis_budget(&axis, m, page);
    draw_ideal(&axis, m, page, unit.scale);
    workers_lines(&axis, m, page, rate, unit.scale);
    law_draw(&axis, m, page, false, unit.scale);
    workers_axis_fini(&axis);
}

const struct plot plot_rate = {
    .name = "rate",
    .title = "Throughput against workers",
    .question = "How many samples a second does each setting deliver, and how far from ideal scaling is it?",
    .alt =
        "Samples a second over the number of workers, one line for each thread count, with intervals; ideal "
        "scaling is dotted, the CPU budget and the recommended setting are marked.",
    .missing = missing,
    .draw = draw,
};
