/* What bounds a loader. The thresholds say when a sentence is fair to say, not how fast anything is: a cause has to
 * account for most of the time it is named for. */
#include "results/bound.h"

#include <math.h>

static const double BUSY = 0.85, CPUS_BUSY = 0.9, MOST_OF_WAIT = 0.5, WAITS = 0.25, HARDLY_WAITS = 0.1;

/* Shares of the consumer's time for a sample, and how busy workers and CPUs are. */
struct shares {
    double wait[RESULT_WAIT_CAUSES], waiting; /* of the cost */
    double in_items;                          /* of the time of those who make samples */
    double cpus;                              /* busy */
    int budget, workers;
};

static struct shares shares_of(const struct summary *s, int arm)
{
    const struct arm_summary *a = &s->arms[arm];
    const struct setting *set = &s->result->arms[arm].setting;
    double cost = a->cost_ns.value;
    struct shares h = {.budget = s->result->cpu_budget, .workers = set->workers};
    for (int i = 0; i < RESULT_WAIT_CAUSES; i++) {
        double v = a->wait_ns[i].value / cost;
        h.wait[i] = isfinite(v) ? v : 0;
        h.waiting += h.wait[i];
    }
    h.in_items = a->item_ns.value / cost / (set->workers ? set->workers : 1);
    h.cpus = a->cpu_ns.value / cost;
    return h;
}

static enum bound bound_of_workers(const struct shares *h)
{
    if (h->wait[RESULT_WAIT_THROTTLED] > WAITS)
        return BOUND_THROTTLED;
    bool computing = h->wait[RESULT_WAIT_HANDOFF] < MOST_OF_WAIT * h->waiting;
    if (h->cpus >= CPUS_BUSY * h->budget && h->in_items * h->workers >= MOST_OF_WAIT * h->budget && computing)
        return BOUND_CPUS;
    if (h->waiting > WAITS && h->wait[RESULT_WAIT_HEAD_OF_LINE] > MOST_OF_WAIT * h->waiting)
        return BOUND_HEAD_OF_LINE;
    if (h->in_items >= BUSY)
        return BOUND_WORKERS;
    if (h->waiting > WAITS && h->wait[RESULT_WAIT_HANDOFF] > MOST_OF_WAIT * h->waiting)
        return BOUND_HANDOFF;
    return h->waiting < HARDLY_WAITS ? BOUND_CONSUMER : BOUND_LOADER;
}

enum bound result_bound(const struct summary *s, int arm)
{
    if (s->arms[arm].standing == ARM_NOT_MEASURED || !(s->arms[arm].cost_ns.value > 0))
        return BOUND_UNKNOWN;
    struct shares h = shares_of(s, arm);
    if (!isfinite(h.in_items) || !isfinite(h.cpus))
        return BOUND_UNKNOWN;
    if (!h.workers)
        return h.in_items >= BUSY ? BOUND_MAIN : BOUND_LOADER;
    return bound_of_workers(&h);
}

static void add_loader(struct text *out, const struct shares *h)
{
    if (h->workers)
        text_sayf(
            out,
            "the loader itself: workers are in items %.0f %% of the time, and the consumer waits %.0f %% of "
            "it: larger batches, or no workers at all, cost less",
            100 * h->in_items, 100 * h->waiting);
    else
        text_sayf(out, "the loader itself: only %.0f %% of the time is spent in items", 100 * h->in_items);
}

void result_bound_text(const struct summary *s, int arm, struct text *out)
{
    struct shares h = shares_of(s, arm);
    const char *s_of_workers = h.workers == 1 ? "" : "s";
    switch (result_bound(s, arm)) {
    case BOUND_UNKNOWN:
        break;
    case BOUND_THROTTLED:
        text_sayf(
            out,
            "throttling: for %.0f %% of the time the consumer waits for workers that a CPU quota or the "
            "hypervisor keeps from running: more workers cannot help",
            100 * h.wait[RESULT_WAIT_THROTTLED]);
        break;
    case BOUND_CPUS:
        text_sayf(
            out,
            "compute: %.2f of %d CPUs are busy, workers are in items %.0f %% of the time: more workers than "
            "%d CPU%s cannot help",
            h.cpus, h.budget, 100 * h.in_items, h.budget, h.budget == 1 ? "" : "s");
        break;
    case BOUND_WORKERS:
        text_sayf(out,
                  "compute: %d worker%s in items %.0f %% of the time, %.2f of %d CPUs are busy: more workers "
                  "can help",
                  h.workers, h.workers == 1 ? " is" : "s are", 100 * h.in_items, h.cpus, h.budget);
        break;
    case BOUND_MAIN:
        text_sayf(
            out, "compute: the main process is in items %.0f %% of the time, %.2f of %d CPUs are busy%s",
            100 * h.in_items, h.cpus, h.budget, h.cpus < CPUS_BUSY * h.budget ? ": workers can help" : "");
        break;
    case BOUND_HEAD_OF_LINE:
        text_sayf(
            out,
            "head of line: for %.0f %% of the time ready batches wait for a slower one before them: delivery "
            "out of order, or items of even cost, would help",
            100 * h.wait[RESULT_WAIT_HEAD_OF_LINE]);
        break;
    case BOUND_HANDOFF:
        text_sayf(
            out,
            "hand-off: for %.0f %% of the time the consumer waits for batches that %d worker%s finished: "
            "larger batches, or no workers at all, cost less",
            100 * h.wait[RESULT_WAIT_HANDOFF], h.workers, s_of_workers);
        break;
    case BOUND_CONSUMER:
        text_sayf(out, "the consumer: it waits only %.0f %% of the time, the workers keep up with it",
                  100 * h.waiting);
        break;
    case BOUND_LOADER:
        add_loader(out, &h);
        break;
    }
}
