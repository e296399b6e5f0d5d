/* The trial protocol: JSON lines between the harness and a subject. Schema: results/schema/protocol.schema.json.
 *
 *     harness                                   subject
 *     {"spec": {...}}                     ->
 *                                         <-    {"ready": {...}}
 *     {"turn": {"warm_batches": W, "batches": N, "timeline": false}} ->
 *                                         <-    {"turn": {...}}
 *     {"stop": {}} (or end of input)      ->
 *                                         <-    {"totals": {...}}
 * At any time the subject may answer {"error": "text"} and end. Figures in answers are totals of the timed part. */
#ifndef HARNESS_PROTOCOL_H
#define HARNESS_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "results/record.h"

enum { HARNESS_PROTOCOL_VERSION = 1 };

/* What a subject is asked to be. Strings are owned by it when it was parsed. */
struct trial_spec {
    struct workload workload;
    struct setting setting;
    uint64_t seed;
    uint64_t spawned_ns; /* clock_now_ns just before the subject was started */
    bool bound;          /* false: leave the CPU affinity as it is */
    char *counters;      /* events by name, joined by commas; NULL = the usual ones alone */
    char *main_cpus;     /* "0-1": the operating system's numbers */
    char **worker_cpus;  /* [setting.workers] */
};

/* New reference, the whole first line. NULL when memory ran out. */
json_t *harness_spec_json(const struct trial_spec *spec);

/* Errors: -EINVAL a field is missing or of another kind, -EPROTO another version of the protocol. */
int harness_spec_parse(const json_t *line, struct trial_spec *out, struct err *err);
void harness_spec_fini(struct trial_spec *spec);

/* What is known of a turn without asking its subject: nothing that it answers may go beyond. */
struct harness_turn_bounds {
    int64_t batches, batch_size; /* asked for, and the most samples each of them can hold */
    double waited_ns;            /* from the request to the answer, by the harness's own clock */
    double
        delayed_ns; /* of that, what it and the subject waited for a CPU at most; NaN = not known: nothing is missing then */
};

/* The figures of a turn's answer as a record: totals divided by samples. Where a subject tells untimed_ns and it and wall_ns
 * are less than nearly all that passed, void_reason says so.
 * Errors: -EPROTO, with field, value and limit: other batches than were asked for, samples outside 1 to what so many
 *         batches hold, more time than passed, items that are not one a sample, a quantity below zero or of another
 *         kind. */
int harness_turn_parse(const json_t *answer, const struct harness_turn_bounds *bounds, struct turn *out,
                       struct err *err);

/* The times of the batches in a turn's answer, into the record of a trial; none when the subject does not tell.
 * Errors: -EPROTO more than the batches asked for, or one that is none; -ENOMEM. */
int harness_timeline_parse(const json_t *answer, int64_t batches, struct trial *out, struct err *err);

/* Fills what `ready` and `totals` say into the record of a trial. waited_ns: since the start of the subject, INFINITY
 * where its clock may be another machine's.
 * Errors: -EPROTO another kind of answer; more time than passed, a quantity below zero or of another kind. */
int harness_ready_parse(const json_t *answer, double waited_ns, struct trial *out, struct err *err);

/* The trial has its turns: it must have delivered that many samples. Errors: -EPROTO another kind of answer or field,
 * fewer samples or hashes than the turns make, a counter without a value or a reason, lists and objects beyond measure;
 * -ENOMEM. */
int harness_totals_parse(const json_t *answer, struct trial *out, struct err *err);

#endif
