/* Private: a session under way, shared by its parts. */
#ifndef HARNESS_SESSION_PRIVATE_H
#define HARNESS_SESSION_PRIVATE_H

#include "harness/guardian.h"
#include "harness/placement.h"
#include "harness/session.h"
#include "harness/subject.h"
#include "results/stats/design.h"

/* An arm while the session lasts. */
struct session_arm {
    struct harness_placement placement;
    bool in_race;
    int64_t batches;    /* of a timed turn; 0 = not known yet */
    int failures;       /* in a row */
    int asked, untold;  /* turns of this invocation; those whose time was not told */
    struct err why;     /* the last of these */
    bool warned_untold; /* that its subject does not tell its untimed time */
    bool timed_out;     /* what took it out was an answer that did not come in time */
};

struct session {
    const struct session_config *cfg;
    struct result *r;
    struct harness_guardian *guardian;
    struct harness_tree known; /* children that are no trials: the guardian, and what was there before */
    struct session_arm *arm;   /* [narms] */
    struct stats_design design;
    int blocks;       /* in an invocation beside the warm-up; 0 = the next one decides */
    bool pilot;       /* the invocation in hand is one of the pilot's: each block there and back */
    double target_ns; /* length a turn aims at */
    int *racing;      /* indices of the arms in the race */
    size_t nracing;
    int *alive;    /* [ngroups][together] arms that are alive at once; the first is the same in all groups */
    int *nalive;   /* [ngroups] */
    size_t *group; /* [narms] scratch of session_group */
    int ngroups, together;
    int invocation;   /* index of the one in hand */
    int look;         /* the next, from 1 */
    int next_look_at; /* valid invocations */
    int valid, void_in_a_row;
    uint64_t began_ns;
    double block_cost_ns, invocation_cost_ns; /* last seen, with the arms then in the race; without
                                                                what timelines took */
    double timeline_cost_ns;                  /* of the invocation in hand */
};

/* Splits the race into groups of at most r->together_max arms (0 = all at once), which share its first arm. */
void session_group(struct session *s);

/* Trials of an invocation: the shared arm has one in each group. */
size_t session_trials(const struct session *s);

/* A block of a group, as the design has it for an invocation: which of the group's arms each slot belongs to. Blocks are
 * numbered through the groups, since those of a group are compared with one another; the warm-up is 0 in all. */
struct session_block {
    size_t *turn; /* [slots] index within the group */
    size_t slots;
    int number;
};

/* Owner: free(out->turn), NULL after an error. Errors: -ENOMEM. */
int session_block(const struct session *s, int group, int block, int invocation, struct session_block *out,
                  struct err *err);

/* The balance of the design starts anew with those who are left, and, unless the pilot made it, so does the choice of
 * blocks. */
void session_restart_design(struct session *s);

/* After a look that was not the last: with those who are left, until the next. Where nobody left, the design goes on. */
void session_next_look(struct session *s);

enum { PILOT_INVOCATIONS = 3, PILOT_BLOCKS_MAX = 8, FAILURES_MAX = 2 };

/* After PILOT_INVOCATIONS that count: chooses blocks an invocation and the length of turns for the rest of the
 * session, from the variances seen, the price of time and what the budget leaves. Recorded. Errors: -ENOMEM, of the file. */
int session_pilot_end(struct session *s, struct err *err);
bool session_pilot_is_over(const struct session *s);

/* The rest of the session is as this pilot says. */
void session_pilot_apply(struct session *s, const struct pilot *p);

/* Goes on with the session that the result's records tell of (cfg->resume). *look_taken: the look that is due was
 * taken already. Errors: -EPROTO the records are not what this session would have done; -ENODATA; of the file. */
int session_resume(struct session *s, bool *look_taken, struct err *err);

/* Runs one invocation and appends it to the result and the file.
 * Errors: -EINTR; -EAGAIN it was void (recorded); others end the session. */
int session_invocation(struct session *s, struct err *err);

void session_progress(const struct session *s, const char *step, int arm, int block);
void session_warn(const struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Did all trials of one workload get the same samples in the same order, as far as each went? Subjects that do not tell
 * (extra.order_at) are not checked (with cfg->builds: one that does not although the first does has failed), nor are iterable data, whose order depends on the workers.
 * Errors: -EBADMSG, *culprit is the trial that differs from the first. */
int session_check_delivery(const struct session *s, const struct invocation *inv, int *culprit,
                           struct err *err);

/* Time of a fixed loop on each CPU of the topology in turn, mean in ns. */
double session_fixed_work_ns(const struct harness_topology *t);

#endif
