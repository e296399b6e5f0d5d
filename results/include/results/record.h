/* A session's result in memory, as it stands in a result file: header, invocations with their trials and
 * turns, footer. Quantities that could not be measured are NaN here and null with a reason on disk. */
#ifndef RESULTS_RECORD_H
#define RESULTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/histogram.h"

enum { RESULT_SCHEMA = 1 };

/* Strings are owned by the struct result they belong to, or by whoever has one of these alone. */
struct workload {
    char *data;      /* "synthetic:1024:768x768:f32" */
    char *transform; /* "gemm=768" */
    char *sampler;   /* "sequential", "random" */
    int64_t batch_size;
    char *consumer; /* "gpu=5ms", "plugin:./mine.so": the step between two batches; NULL = none */
    char *on_error; /* "skip": broken samples are left out and counted; NULL = fail */
    char *cache;    /* "warm", "cold": what was done to the page cache before each trial; NULL = as is */
};

struct setting {
    int workers; /* 0 = in the main process */
    int threads; /* BLAS threads in each worker; with 0 workers: in the main process */
    int prefetch_factor;
    char *affinity;    /* "none", "compact", "scatter", ... */
    char *backend;     /* "process", "thread"; "inline" with 0 workers */
    bool reserve_main; /* the main process has a CPU that no worker gets */
};

struct arm {
    char *name;    /* unique in a result; by default made of what differs between the arms: "2 workers x 1
                      thread" */
    char *subject; /* "core", or the command of an adapter */
    struct workload workload;
    struct setting setting;
    int cpus_asked; /* CPUs the setting keeps busy: workers x threads, at least the main process's threads */
    char *failure;  /* why the arm was taken out of the session, in words; NULL = it was not. Owned */
};

enum result_wait {
    RESULT_WAIT_STARTUP,
    RESULT_WAIT_COMPUTE,
    RESULT_WAIT_HEAD_OF_LINE,
    RESULT_WAIT_HANDOFF,
    RESULT_WAIT_PIN,
    RESULT_WAIT_THROTTLED, /* workers were kept from running: CFS quota, steal */
    RESULT_WAIT_CAUSES,
};

extern const char *const result_wait_names[RESULT_WAIT_CAUSES];

/* One trial measured for some milliseconds while all others slept. Per-sample figures are means over its
 * samples. */
struct turn {
    int block; /* 0 is the warm-up: never used for inference */
    int slot;  /* position in the block, from 0; of the warm-up, through all its rounds */
    int64_t batches, samples;
    double wall_ns; /* of the timed part */
    double
        seen_ns; /* from the request to the answer, by the harness's own clock: the turn as it looks from outside */
    double untimed_ns;  /* what the subject says it did beside wall_ns in that time; NaN = it does not tell */
    double cost_ns;     /* wall_ns / samples */
    double item_ns;     /* in the dataset's get and the transforms, where it ran */
    double cpu_ns;      /* user + system of the whole process tree, a sample */
    double overhead_ns; /* of the loader itself, a sample */
    double wait_ns[RESULT_WAIT_CAUSES]; /* of the consumer, a sample */
    double stall_ratio;      /* share of the time that the consumer waited, when a step of it is emulated */
    struct histogram *items; /* item times; NULL when not taken. Owned */
    double other_cpu_ns;     /* CPU time that all other trees used meanwhile (not divided) */
    double steal_ns;         /* taken by the hypervisor from all CPUs meanwhile (not divided) */
    double voluntary_switches, involuntary_switches, migrations, page_faults; /* of the tree, a sample */
    char *void_reason; /* why the block this turn lies in does not count; NULL = it counts. Owned */
    char *extra;       /* what the subject answered beyond these, a JSON object; NULL = nothing. Owned */
};

/* Whose part of a counter: the consumer's or a worker's, a sample of all that were delivered. */
struct counter_part {
    char *who;           /* "consumer", "worker 0"; owned */
    double value, share; /* as in struct counter */
    char *reason;
};

/* A counter over the timed parts of a trial's turns: a value a sample, or unavailable and why; never a silent
 * 0. */
struct counter {
    char *name;   /* "perf::CONTEXT-SWITCHES", "PAPI_TOT_INS"; owned */
    double value; /* a sample, scaled when it shared the hardware; NaN = unavailable */
    double share; /* of the time that it really counted, 0 to 1 */
    char *reason; /* why it is unavailable; owned, NULL when it is not */
    struct counter_part
        *part; /* [nparts], 0 where the source does not tell them apart, or there are no workers */
    size_t nparts;
};

/* How one batch went, in ns since its trial's timeline began; a worker may have started before that. */
struct batch_times {
    int64_t number;                 /* in the epoch, in sampler order */
    int worker;                     /* who made it; -1 = the main process */
    double started_ns, finished_ns; /* there */
    double received_ns, wait_ns;    /* by the consumer, and how long it had waited for it by then */
};

/* An arm's fresh process tree in one invocation. */
struct trial {
    int arm;
    double start_ns;             /* from exec until ready to give batches */
    double first_batch_ns;       /* from opening the iterator until the first batch */
    double work_flops;           /* of a sample, as the subject declares; NaN = it does not */
    double peak_bytes;           /* proportional set size of the tree, highest seen */
    char *order_hash, *set_hash; /* of everything delivered, as hex; owned */
    char *placement;             /* as read back, a JSON object; owned */
    char *placement_text; /* what was found where it differs from what was asked; NULL = it held. Owned */
    struct counter *counters;
    size_t ncounters;
    char *extra; /* as in struct turn */
    struct turn *turns;
    size_t nturns;
    struct batch_times *timeline; /* of batches after the last turn, which count nowhere; one invocation of a
                                     session has it. Owned; NULL = not taken */
    size_t ntimeline;
};

struct invocation {
    int index;
    int look;          /* 1, 2, 3: the look it was planned for */
    char *void_reason; /* a rule that does not look at the outcome; NULL = it counts. Owned */
    int void_arm;      /* whose trial it was that voided it; -1 = not known. Only with a reason */
    int blocks;        /* chosen for it, beside the warm-up; 0 = it did not come so far, or not known */
    int look_at;       /* invocations that count, in all, at which the next look was to be; 0 = not known */
    double fixed_work_before_ns, fixed_work_after_ns; /* a fixed loop on each CPU, mean */
    double took_ns, block_ns; /* what it cost in time without its timelines, and one of its blocks */
    double ended_ns;          /* of the session's measuring time */
    int *cpus; /* position in the plan -> operating system's CPU number, drawn for this invocation */
    size_t ncpus;
    struct trial *trials; /* of the arms still in the race */
    size_t ntrials;
};

/* What the first invocations said of the noise and of time, and what the rest of the session does about it. */
struct pilot {
    int invocations; /* that count and that it rests on; 0 = there was no pilot */
    double invocation_variance, block_variance, turn_variance; /* of ln(cost) against the other arms' */
    double start_ns, block_ns, turn_ns; /* price of an invocation's start, of the untimed part of a block, and
                                           of a timed turn of each arm */
    double gain;                        /* variance for the same time before, over that of the plan */
    double target_ns;                   /* length a turn aims at from here on */
    int blocks;                         /* in an invocation, beside the warm-up */
};

/* A session was stopped, and went on later. */
struct pause {
    char *date; /* ISO 8601 UTC, when it went on; owned */
    char *command;
    double pause_ns;     /* from its last record until then, by the clock on the wall */
    double spent_ns;     /* measuring time until then */
    double budget_ns;    /* from then on, of the whole session */
    int64_t invocations; /* before it */
};

struct result {
    int schema;
    char *path;                     /* the file it came from; NULL in memory */
    char *tool, *command, *started; /* "loaderbench 0.1.0", the command line, ISO 8601 UTC */
    char *commit; /* of the working folder, "-dirty" behind it when it had changes; NULL = not known */
    uint64_t seed;
    double alpha, margin; /* of the whole session; margin as a fraction */
    int looks_planned;    /* 1: a fixed number of invocations; 0: not known, taken as three */
    int warmup_blocks;    /* rounds of turns that an invocation begins with; 0: not known, taken as one */
    int together_max; /* arms alive at once at most; more come in groups that share their first. 0 = all */
    double max_stall; /* > 0: a setting is good when the consumer waits no larger share of its time than this;
                         0 = when its cost is within the margin of the lowest */
    double budget_ns;
    int cpu_budget;        /* CPUs that may really be used (rounded up from a quota) */
    char *cpu_budget_text; /* "2 (affinity mask)" */
    char *environment;     /* the fingerprint as one JSON object */
    char *session; /* how it was begun, a JSON object: command, build, options, data; NULL = not known */
    struct arm *arms;
    size_t narms;
    struct invocation *invocations;
    size_t ninvocations;
    struct pilot pilot;
    int *dropped_at_look; /* [narms] 0 = stayed in the race */
    int looks_taken;      /* that settings could drop out at */
    bool decided;         /* the last of them found the choice made */
    struct pause *pauses;
    size_t npauses;
    double spent_ns; /* measuring time at the last record that tells it */
    bool complete;   /* a footer says that the session came to its end */
    bool interrupted;
    char *damage; /* what was wrong with the file and left out ("last line cut off"); NULL = nothing */
};

void result_fini(struct result *r);

/* Free the strings of one that belongs to no result; all-zero afterwards. */
void result_workload_fini(struct workload *w);
void result_setting_fini(struct setting *s);

/* Of all trials, void ones and the warm-up too. */
size_t result_count_turns(const struct result *r);

/* The arm of that name; -1 = there is none. */
int result_arm_named(const struct result *r, const char *name);

/* The trial of an arm in an invocation that counts, and the first of them all; NULL = there is none. Borrowed. */
const struct trial *result_trial_of(const struct invocation *inv, int arm);
const struct trial *result_first_trial(const struct result *r, int arm);

/* Do two workloads ask for the same samples, in the same order and transformed alike? */
bool result_same_stream(const struct workload *a, const struct workload *b);

/* Is there one workload and more than one setting of it? Otherwise rows are facts, not a race: workloads that differ are
 * not compared with one another. */
bool result_is_race(const struct result *r);

/* A turn with all figures unknown (NaN). */
struct turn result_turn_unknown(void);

#endif
