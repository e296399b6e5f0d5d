/* What bounds the loader of an arm, in words: computed from its summary alone. */
#ifndef RESULTS_BOUND_H
#define RESULTS_BOUND_H

#include "base/text.h"
#include "results/summary.h"

enum bound {
    BOUND_UNKNOWN,      /* not measured */
    BOUND_THROTTLED,    /* workers are kept from running by a quota or the hypervisor */
    BOUND_CPUS,         /* all CPUs that may be used are busy with items */
    BOUND_WORKERS,      /* the workers are busy, CPUs are left */
    BOUND_MAIN,         /* no workers: the main process computes */
    BOUND_HEAD_OF_LINE, /* ready batches wait for a slower one before them */
    BOUND_HANDOFF,      /* batches are made, getting them across takes the time */
    BOUND_CONSUMER,     /* batches wait for the consumer */
    BOUND_LOADER,       /* none of these: the loader's own work */
};

/* The first rule that holds, in the order of the list. */
enum bound result_bound(const struct summary *s, int arm);

/* One sentence, with the figures it rests on: "compute: 1.97 of 2 CPUs are busy and workers spend 98 % of their time in
 * items: more workers cannot help". Nothing for BOUND_UNKNOWN. */
void result_bound_text(const struct summary *s, int arm, struct text *out);

#endif
