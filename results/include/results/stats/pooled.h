/* Two groups of sessions measured at different times: how far apart, when each session has an error of its own?
 *
 * x_i = a + s_i, y_j = b + s_j: each value is what one session found, s its error, which holds what differs between
 * sessions (a neighbour, a reboot, the weather of a shared machine) and what is left of the noise within. Both groups
 * are taken to share one variance; then (mean y - mean x) / (s sqrt(1/m + 1/n)) follows Student's t with m + n - 2
 * degrees of freedom. One session a side gives no degree of freedom: the difference cannot be known.
 * Source: Student (1908); Welch (1938) on where the common variance matters. */
#ifndef RESULTS_STATS_POOLED_H
#define RESULTS_STATS_POOLED_H

#include <stddef.h>

#include "results/stats/interval.h"

struct stats_pooled {
    double difference; /* mean of y - mean of x; NaN when a group is empty */
    double sd;         /* of one session, pooled; NaN when not known */
    double se;         /* of the difference; NaN when not known */
    double df;         /* 0 = not known; INFINITY when the sd was assumed */
};

/* assumed_sd: the spread of a session to go by where there is no degree of freedom; 0 = then nothing is known. */
struct stats_pooled stats_pooled(const double *x, size_t m, const double *y, size_t n, double assumed_sd);

/* Upper limit of the difference that is wrong with probability alpha, and the lower one; infinite when not known. */
double stats_pooled_upper(const struct stats_pooled *p, double alpha);
double stats_pooled_lower(const struct stats_pooled *p, double alpha);

/* P-value of "the difference is at most bound"; 1 when not known. */
double stats_pooled_above(const struct stats_pooled *p, double bound);

#endif
