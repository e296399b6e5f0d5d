/* Checks before believing: what in a session speaks against its own figures. They may call the session unfit as a
 * whole; they never drop a value. */
#ifndef RESULTS_CHECKS_H
#define RESULTS_CHECKS_H

#include "results/record.h"

enum session_check_kind {
    CHECK_NEIGHBOURS, /* ratios of arms remember their neighbours: smallest p, Holm over arms; each arm's is to the
                       * first one that was measured beside it */
    CHECK_HALVES,     /* ratios differ between the first and the second half: smallest p, Holm over arms */
    CHECK_SLOT,       /* largest effect of the place in the block, as a fraction of the cost */
    CHECK_SPREAD,     /* largest spread of an invocation's ratio (scaled quartiles of its ln) */
    CHECK_STEAL,      /* time the hypervisor took, over the time of the turns */
    CHECK_FIXED_WORK, /* spread of the fixed loop's time over the invocations (scaled quartiles of its ln) */
    SESSION_CHECKS,
};

/* value is NaN when it cannot be told (too few invocations, not recorded): then failed = false. A p-value fails
 * below the limit, all others above it. */
struct session_check {
    const char *name; /* "neighbours", "halves", ... */
    const char *text; /* what a failure means, for a person */
    double value, limit;
    bool is_p, failed;
};

/* Fills out[SESSION_CHECKS], and *unfit: any failed. The two tests each fail by chance in at most 1 of 100 sessions.
 * Errors: -ENOMEM. */
int summary_checks(const struct result *r, struct session_check *out, bool *unfit, struct err *err);

#endif
