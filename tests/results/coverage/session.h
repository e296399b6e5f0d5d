/* A simulated tuning session, judged by summary_look as a real one is. */
#ifndef COVERAGE_SESSION_H
#define COVERAGE_SESSION_H

#include "noise.h"
#include "report.h"
#include "results/summary.h"

/* Where an invocation's own effect on each arm comes from: made noise, rounds of a recorded file (a round's
 * configurations together, columns and sign drawn), or ratios of a recorded session. */
struct session_noise {
    const char *name;
    const struct noise *made;
    const struct recorded_rounds *rounds;
    const struct recorded_turns *turns;
    double scale;
    bool best_is_steady; /* the last arm has no noise: medians of skewed ratios stay known */
    const struct noise
        *shared; /* a series that all arms meet, slot by slot, instead of a swing of each block */
};

struct session {
    struct session_noise noise;
    struct result result;
    size_t narms, first;   /* invocations at the first look */
    size_t most;           /* at the last */
    double budget_s;       /* 0: looks at n, 2n, 4n whatever they take */
    const double *price_s; /* [narms] of a trial, an arm in an invocation; borrowed */
    double max_stall; /* 0; else what is judged is the share of waiting, and `cost` below are such shares */
    bool *dropped;
};

struct session_end {
    enum choice_state state;
    int looks;
    bool bad; /* the chosen arm is worse than the best by more than the margin, or waits too long */
    bool smaller_was_good; /* a smaller arm is within the margin, or waits no longer than it may */
    double spent_s;
    size_t invocations;
};

/* session_run leaves s->result as it stands at the end, the dropped arms gone from the later invocations. */
/* Budget and prices as above. */
void session_init(struct session *s, size_t narms, double budget_s, const double *price_s,
                  struct session_noise noise);
struct session_end session_run(struct session *s, const double *cost, struct counter_rng *rng);
void session_fini(struct session *s);

/* What sessions said: what is "sure" (decided or tied) wrong, or "none smaller would do" wrong; decided; and the best guess
 * of all wrong. */
struct session_tally {
    struct tally wrong, statement, decided, guess;
};
void session_count(struct session_tally *t, const struct session_end *end);

#endif
