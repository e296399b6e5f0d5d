/* What a ratio's limits allow to be said: "no difference found" is not "equal". */
#ifndef RESULTS_STATS_TOST_H
#define RESULTS_STATS_TOST_H

#include <stddef.h>

enum stats_relation {
    STATS_NOTHING_FOUND,    /* neither: the interval holds 0 and reaches past the margin, or is not known */
    STATS_DIFFERENT,        /* the interval does not hold 0 */
    STATS_EQUAL_WITHIN,     /* the interval lies within the margin on both sides */
    STATS_DIFFERENT_WITHIN, /* both: a difference, but for sure a smaller one than the margin */
};

/* Reads logarithmic limits, each one-sided at alpha, against a margin: equal within it when both
 * one-sided tests at alpha reject. An infinite limit is unknown.
 * Source: Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power approach for
 * assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15. */
enum stats_relation stats_tost(double low, double high, double ln_margin);

/* P-values of the sign test, from ratios x[n] in any order: of "the median is at most `bound`" (small when most
 * lie above) and of "at least". Values that equal the bound speak against rejection. 1 when n = 0. */
double stats_sign_test_above(const double *x, size_t n, double bound);
double stats_sign_test_below(const double *x, size_t n, double bound);

#endif
