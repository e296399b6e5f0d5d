/* Private: the timed loop of a trial. */
#ifndef HARNESS_TRIAL_TURN_H
#define HARNESS_TRIAL_TURN_H

#include <jansson.h>
#include <xxhash.h>

#include "harness/consumer.h"
#include "harness/counters.h"
#include "harness/sde.h"
#include "results/histogram.h"
#include "throttle.h"
#include "workload.h"

enum { TURN_PIDS_MAX = 4096, TURN_MARKS = 40, TURN_TIMELINE_MAX = 4096 };

/* A trial under way. */
struct trial_run {
    struct workload_run workload;
    struct loader *loader;
    struct loader_iter *iter;
    struct harness_counters *counters;
    struct consumer consumer;
    json_t *cache; /* what became of the page cache, if something was asked of it */
    struct harness_throttle throttle;
    struct harness_sde *events; /* the loader's, for PAPI; NULL where libsde refuses */
    uint64_t asked_ns;          /* when the request in hand was read */
    struct histogram items;     /* of the turn in hand */
    XXH3_state_t *order;        /* of every index delivered, in order */
    uint64_t set;               /* sum of the hashes of all indices: the same for the same multiset */
    int64_t delivered, timed_samples;
    uint64_t order_at[TURN_MARKS], set_at[TURN_MARKS]; /* both hashes when 2^k samples had been delivered */
    int marks;                                         /* of them that are there */
    pid_t pid[TURN_PIDS_MAX];
    int npids;
};

/* Takes n batches; tally NULL: untimed. Errors: those of loader_next. */
struct trial_tally {
    int64_t batches, samples;
    uint64_t item_ns;          /* in the dataset's hook, where it ran */
    uint64_t waited_ns;        /* of the consumer, as each batch tells: what the causes have to add up to */
    uint64_t worker_ns;        /* in workers beside that: started to finished less the items */
    struct batch_times *times; /* [n] each batch's own, by the clock as it is; NULL = not wanted */
};
int trial_take(struct trial_run *t, int64_t n, struct trial_tally *tally, struct err *err);

/* One turn: what is outstanding and `warm` batches untimed, then `batches` timed. Owner: *answer, a new reference. */
int trial_turn(struct trial_run *t, int64_t warm, int64_t batches, json_t **answer, struct err *err);

/* The same with the times of each batch, for looking at: it counts in no total of the trial. At most TURN_TIMELINE_MAX
 * batches. Errors: -EPROTO more than that, and those of loader_next. */
int trial_timeline(struct trial_run *t, int64_t warm, int64_t batches, json_t **answer, struct err *err);

#endif
