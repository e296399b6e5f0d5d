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

static double ideal(double of_one, double workers)
{
    return of_one / workers;
}

static const struct workers_picture picture = {
    .quantity = cost,
    .unit = page_unit_ns,
    .axis = "cost of a sample",
    .ideal = ideal,
    .steps = 40,
    .about = "cost of one worker divided by the workers",
    .key = "ideal: 1 worker's cost / workers",
};

static void draw(const struct plot_model *m, struct plot_page *page)
{
    workers_draw(&picture, m, page);
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
