/* From records to estimates and a choice: what the table, the plots and the exit code are made of. Pure. */
#ifndef RESULTS_SUMMARY_H
#define RESULTS_SUMMARY_H

#include "base/text.h"
#include "results/record.h"
#include "results/stats/components.h"
#include "results/stats/interval.h"

struct estimate {
    double value; /* NaN when there is none */
    struct interval ci;
    int n;           /* invocations that count */
    int n_effective; /* after joining neighbours until the autocorrelation is gone; = n for ratios within
                        blocks */
};

enum arm_standing {
    ARM_NOT_MEASURED, /* no valid invocation, or taken out of the session for a failure: see the note */
    ARM_IN_RACE,      /* neither surely good enough nor surely worse */
    ARM_GOOD,         /* surely within the margin of the best */
    ARM_SLOWER, /* surely slower than a smaller setting, if not by more than the margin: nobody wants it */
    ARM_WORSE,  /* surely worse than the best by more than the margin */
};

/* One word for tables: good, open, slower, worse, not measured. */
const char *summary_standing_word(enum arm_standing standing);

struct arm_summary {
    struct estimate cost_ns, rate_per_s, item_ns, cpu_ns, overhead_ns, start_ns, first_batch_ns;
    struct estimate wait_ns[RESULT_WAIT_CAUSES];
    struct estimate stall_ratio;                               /* n = 0 when no consumer step was emulated */
    double item_p50_ns, item_p95_ns, item_p99_ns, item_max_ns; /* of all items of all invocations */
    struct interval item_p50_ci, item_p95_ci, item_p99_ci; /* of an invocation's own quantile: items of one
                                                              invocation are not independent */
    struct estimate to_best; /* cost over the cost of the best arm, paired by block; 1 for the one that seems
                                best. The interval is for the truly best arm, whichever that is: so the one
                                that seems best may well read 1 .. 1.03 */
    enum arm_standing standing;
    int dropped_at_look; /* 0 = stayed */
    char *note;          /* why it was not measured, or NULL. Owned */
};

enum choice_state {
    CHOICE_NONE,      /* nothing usable was measured */
    CHOICE_DECIDED,   /* the chosen arm is within the margin of the best and every smaller one is not, at the
                         level */
    CHOICE_TIED,      /* the chosen arm is within the margin for sure; smaller ones are still open */
    CHOICE_UNDECIDED, /* not even that: the chosen arm is the best guess */
};

struct choice {
    enum choice_state state;
    int arm;  /* recommended; -1 with CHOICE_NONE */
    int best; /* lowest estimated cost */
    double level;
    int *open; /* arms still in the race beside the chosen one */
    size_t nopen;
    double more_ns; /* estimate of the measuring time a decision would take; NaN unknown */
};

struct summary {
    const struct result *result; /* borrowed */
    struct arm_summary *arms;    /* [result->narms] */
    struct choice choice;
    /* item_ns of one thread in one worker over all threads in the main process; arms -1 when the plan lacks
     * them. */
    struct estimate worker_to_main;
    int worker_arm, main_arm;
    int invocations_valid, invocations_void, blocks_void;
};

/* level is the confidence of every interval (0.95). The result must outlive the summary.
 * Errors: -ENOMEM. */
int summary_create(const struct result *r, double level, struct summary **out, struct err *err);
void summary_destroy(struct summary *s);

/* The state of the race at a look: which arms are out (dropped[a] = true) and whether the choice is
 * made. `look` counts from 1; alpha is the session's, split evenly over three looks, half for dropping and
 * half for choosing. */
int summary_look(const struct result *r, int look, bool *dropped, struct choice *out, struct err *err);
void choice_fini(struct choice *c);

/* Estimate and interval of ln-ratio-paired metrics between two arms, as a ratio (a over b). */
enum result_metric { METRIC_COST_NS, METRIC_ITEM_NS, METRIC_CPU_NS, METRIC_OVERHEAD_NS };
struct estimate summary_ratio(const struct result *r, int arm_a, int arm_b, enum result_metric metric,
                              double level);

/* The same from the 20 % trimmed mean with its t interval: a check beside the median (stats/trimmed.h). */
struct estimate summary_ratio_trimmed(const struct result *r, int arm_a, int arm_b, enum result_metric metric,
                                      double level);

/* What that estimate is made of: ln(a / b) of every valid invocation both were in, in order. Returns how many.
 * Shapes: out[r->ninvocations]. Errors: -ENOMEM. */
int summary_ln_ratios(const struct result *r, int arm_a, int arm_b, enum result_metric metric, double *out,
                      size_t *n, struct err *err);

/* Where the variance of an arm's ln(cost) lies, what an invocation, a block and a turn of the whole session cost in
 * time (from the starts and turns as recorded; the untimed parts of turns are not known), and which of the three to
 * repeat next. components.invocations is 0 when there is nothing to tell: all else is 0 then.
 * Errors: -EINVAL no such arm, -ENOMEM. */
struct effort {
    struct stats_components components;
    struct stats_price price;
    enum stats_level next;
};
int summary_effort(const struct result *r, int arm, struct effort *out, struct err *err);

/* What to do more of in the next minute for a narrower interval of the arm's cost, and why, as half a sentence. Nothing is
 * added, and false returned, when it cannot be told. Errors are told as that. */
bool summary_effort_text(const struct result *r, int arm, struct text *out);

/* Time of starts and timed turns, and what it would have been with all arms in every invocation that counts: an arm that
 * left early at its own mean. Arms that failed are in neither. */
struct grid_time {
    double spent_ns, grid_ns;
};
struct grid_time summary_grid_time(const struct result *r);

/* Looks that alpha is split over: an interval shown at `level` is one at 1 - (1 - level) / looks. */
int summary_looks(const struct result *r);

/* Significant digits that an estimate's interval supports: the last one is about a tenth of its half-width. 3 without an
 * interval. */
int summary_digits(double value, const struct interval *ci);

/* Decimals of a ratio by the same rule, but under 10 never fewer than two: rounded to fewer it would seem to hold 1 where it does not.
 * low, high: its interval, not finite when there is none. */
int summary_ratio_decimals(double value, double low, double high);

/* Where the variance of comparisons lies: components of ln(cost) less the mean of all arms of the race in its block,
 * which takes away what they share; of ln(cost) itself with one arm. Means over the arms; invocations = 0 when nothing
 * can be told. Shapes: in_race[r->narms]. Errors: -ENOMEM. */
int summary_components(const struct result *r, const bool *in_race, struct stats_components *out,
                       struct err *err);

/* "2 workers x 1 thread" in order of size: workers, then threads, then CPU cost. Negative, 0, positive. */
int summary_compare_size(const struct summary *s, int arm_a, int arm_b);

#endif
