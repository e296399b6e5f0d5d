/* Results measured at different times against each other: arm by arm, with the spread between sessions in mind. */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include "results/figure.h"
#include "results/stats/pooled.h"

/* One side: sessions of the same arms (several files of one baseline). Borrowed. */
struct compare_side {
    const struct result *session;
    size_t n;
};

enum compare_state {
    COMPARE_KNOWN,       /* difference and limits say what can be said */
    COMPARE_ONE_SESSION, /* one session a side: the spread between sessions is not known */
    COMPARE_ONLY_A,      /* the other side lacks the arm */
    COMPARE_ONLY_B,
    COMPARE_FAILED,        /* the arm was not measured on one side: see the note */
    COMPARE_OTHER_WORK,    /* an arm of that name that does something else */
    COMPARE_OTHER_SAMPLES, /* b delivered other samples */
};

/* Were both sides seen to deliver the same? Where not, a row stands all the same, and who judges it says so. */
enum compare_delivery {
    COMPARE_DELIVERY_SAME,
    COMPARE_DELIVERY_SEEDS,  /* of two sessions differ: so do their samples */
    COMPARE_DELIVERY_UNTOLD, /* a session does not tell */
    COMPARE_DELIVERY_APART,  /* no invocation of two sessions has the arm in both */
    COMPARE_DELIVERY_REASONS,
};

/* Why, in words. NULL for SAME. */
const char *compare_delivery_text(enum compare_delivery d);

struct compare_row {
    const char *arm; /* borrowed from the results */
    enum compare_state state;
    enum compare_delivery delivery; /* of COMPARE_KNOWN and COMPARE_ONE_SESSION: the first reason why not */
    double a, b; /* the figure: exp of the mean over sessions of ln of the session's median */
    size_t sessions_a, sessions_b;
    struct stats_pooled ln; /* of b over a; above 0 is worse */
    char note[160];         /* why it could not be compared; "" */
};

struct compare {
    struct compare_row *row; /* arms of a in their order, then those only b has */
    size_t n;
};

/* assumed_sd: spread between sessions (of a logarithm) to assume where there is one session a side; 0 = none, such rows
 * are COMPARE_ONE_SESSION. It stands for the whole error of a session.
 * Owner: compare_fini. Errors: -ENOMEM. */
int compare_create(const struct compare_side *a, const struct compare_side *b, const struct result_figure *f,
                   double assumed_sd, struct compare *out, struct err *err);
void compare_fini(struct compare *c);

#endif
