/* Scaling efficiency: how much of the CPUs a setting asks for turns into throughput. */
#include <math.h>

#include "by_workers.h"

/* The arm that counts as 100 %: fewest CPUs asked for, with workers if there is such a one. */
static const struct plot_arm *base_of(const struct plot_model *m, size_t result)
{
    const struct plot_arm *base = NULL;
    for (size_t i = 0; i < m->narms; i++) {
        const struct plot_arm *a = &m->arms[i];
        if (a->result == result && a->arm->setting.workers == 1 && plot__measured(a) &&
            a->arm->cpus_asked > 0 && (!base || a->arm->cpus_asked < base->arm->cpus_asked))
            base = a;
    }
    return base;
}

static struct estimate efficiency(const struct plot_model *m, const struct plot_arm *a)
{
    struct estimate none = {.value = NAN, .ci = {NAN, NAN, 0, false}};
    const struct plot_arm *base = base_of(m, a->result);
    if (!base || !plot__measured(a) || a->arm->cpus_asked < 1)
        return none;
    if (a == base)
        return (struct estimate){
            .value = 1, .ci = {1, 1, a->sum->cost_ns.ci.level, true}, .n = a->sum->cost_ns.n};
    double level = a->sum->cost_ns.ci.level > 0 ? a->sum->cost_ns.ci.level : 0.95;
    struct estimate e = summary_ratio(a->summary->result, base->index, a->index, METRIC_COST_NS, level);
    double more = (double)a->arm->cpus_asked / base->arm->cpus_asked;
    e.value /= more;
    e.ci.low /= more;
    e.ci.high /= more;
    return e;
}

static const char *missing(const struct plot_model *m)
{
    double low, high;
    workers_extent(m, efficiency, &low, &high);
    return isfinite(high) ? NULL : "no setting with one worker to compare with";
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    double low, high;
    workers_extent(m, efficiency, &low, &high);
    struct workers_axis axis = workers_axis_init(m, page);
    if (!axis.n)
        return;
    workers_axis_set(&axis, page);
    struct page_range range = page_axis(page, 'y', 0, 100 * fmax(high, 1));
    page_axis_label(page, 'y', "scaling efficiency", "% of one worker's rate per CPU", &range);
    text_add(&page->setup,
             "set arrow 2 from graph 0, first 100 to graph 1, first 100 nohead linewidth 1.2 dashtype 3 "
             "linecolor rgb '" PLOT_QUIET "'\n");
    workers_axis_budget(&axis, m, page);
    workers_lines(&axis, m, page, efficiency, 0.01);
    workers_axis_fini(&axis);
}

const struct plot plot_efficiency = {
    .name = "efficiency",
    .title = "Scaling efficiency",
    .question = "How much of the CPUs that a setting asks for turns into throughput?",
    .alt = "Rate for each CPU asked for, as a share of that of one worker with the fewest threads, over the "
           "number of "
           "workers, one line for each thread count, with intervals paired within blocks.",
    .missing = missing,
    .draw = draw,
};
