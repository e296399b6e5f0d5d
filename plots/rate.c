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

static double ideal(double of_one, double workers)
{
    return of_one * workers;
}

static const struct workers_picture picture = {
    .quantity = rate,
    .unit = page_unit_rate,
    .axis = "throughput",
    .ideal = ideal,
    .about = "rate of one worker times the workers",
    .key = "ideal: 1 worker's rate x workers",
    .more = law_draw,
};

static void draw(const struct plot_model *m, struct plot_page *page)
{
    workers_draw(&picture, m, page);
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
