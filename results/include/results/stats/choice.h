/* Which arms are surely within a margin of the best, which surely are not, and at what level of confidence.
 *
 * Write t(i, j) for the true median of ln(cost_i / cost_j) over invocations, d = ln(1 + margin), and let b be
 * the arm that is truly best: t(b, j) <= 0 for all j. An arm s is bad when t(s, b) > d. From paired log
 * ratios come one-sided limits L(i, j) <= t(i, j) <= U(i, j), each wrong with probability at most a; U(i, j)
 * = -L(j, i), being read off the same sorted values. Arms have a size: settings of fewer workers (or as many, and
 * fewer threads) are smaller. At a look, among the arms in the race, i is dropped when L(i, j) > d for some j, or
 * L(i, j) > 0 for some smaller j: nobody wants the larger of two that is slower as well. s is accepted when
 * U(s, j) < d for all j.
 *
 * Claim. With k arms, looks of level alpha / looks each and a = alpha / looks / 2 / (k - 1), the probability
 * that any of these happens at any look is at most alpha:
 *   (1) a bad arm is accepted, or the best arm is dropped: at most alpha / 2, both together;
 *   (2) the smallest arm that is not bad is dropped: at most alpha / 2.
 * So "s is within the margin of the best, and no smaller arm is" holds with confidence 1 - alpha, and its first
 * half alone with 1 - alpha / 2.
 *
 * Proof. One look. Let j be another arm than b, and A_j the event U(j, b) < d, D_j the event that j drops b:
 * L(b, j) > 0 if j is smaller, else L(b, j) > d. Either way U(j, b) < 0.
 *   (1) D_j is part of A_j. A bad s can be accepted while b is in the race only if A_s happens, where the
 *       truth is t(s, b) > d: probability at most a. b can be dropped only if some D_j happens: for a bad j
 *       that is part of A_j, which was counted; for any other j a limit L(b, j) > 0 >= t(b, j) is wrong:
 *       probability at most a. One event a pair (j, b), k - 1 pairs: at most (k - 1) a in all.
 *   (2) Let g be the first arm in order of (size, number) that is not bad. If a recommended arm has a smaller
 *       one that is not bad, then g is smaller than it, too, and was dropped by some j. Either L(g, j) > d,
 *       while t(g, j) <= t(g, b) <= d; or j is smaller than g and L(g, j) > 0: since j comes before g it is bad,
 *       t(j, b) > d >= t(g, b), so t(g, j) < 0. The limit is wrong both times: probability at most a for each
 *       of k - 1 arms j. The arms that were dropped before only take events away. Bonferroni over the looks
 *       gives the claim. Nothing is assumed of the noise, its dependence between arms, or its shape, beyond
 *       independent invocations and, in (2), that medians of ratios agree with one another: t(g, j) <= t(g, b)
 *       + t(b, j), and t(g, j) < 0 where t(j, b) > t(g, b).
 *
 * Source: the intersection-union test (Berger 1982) and Hsu's multiple comparisons with the best (Hsu,
 * "Multiple Comparisons", 1996, ch. 4), with limits from the sign test. */
#ifndef RESULTS_STATS_CHOICE_H
#define RESULTS_STATS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/* ln(cost_i / cost_j): median of the invocations, one-sided limits (infinite when n is too small), and the
 * spread of an invocation (scaled distance of the quartiles; NaN when n < 4). value is NaN when n = 0. */
struct stats_limits {
    double value, low, high, sd;
    size_t n;
};

/* Limits of the median of ratios[n], which it sorts: each side wrong with probability at most its alpha. */
struct stats_limits stats_limits(double *ratios, size_t n, double alpha_low, double alpha_high);

/* The level `a` of the limits above. narms counts the arms at the start of the session. */
double stats_choice_alpha(double alpha, int looks, size_t narms);

/* Invocations before which nothing can be decided at that level. */
size_t stats_choice_smallest_n(double alpha, int looks, size_t narms);

/* Judges the arms in the race; arms out of it are neither.
 * Shapes: pairs[narms * narms], row i column j of ln(cost_i / cost_j); size[narms], lower is smaller; in_race, out, good
 * [narms]. out: to be dropped. */
void stats_choice_judge(const struct stats_limits *pairs, const bool *in_race, const size_t *size,
                        size_t narms, double ln_margin, bool *out, bool *good);

/* Whether arm i is surely slower than a smaller one of those measured, and not surely worse than any by more than the
 * margin. */
bool stats_choice_only_slower(const struct stats_limits *pairs, const bool *measured, const size_t *size,
                              size_t narms, size_t i, double ln_margin);

/* The arm in the race that loses least to any other (lowest largest ratio of medians); narms when none is in.
 */
size_t stats_choice_best(const struct stats_limits *pairs, const bool *in_race, size_t narms);

/* ln of the cost of `arm` over that of the best, which is max over j of t(arm, j), and never below 0. Upper
 * limit: the largest U(arm, j), wrong only if the one of the truly best is: no correction. Lower: the largest
 * L(arm, j), or 0, wrong if any is: so pairs want alpha / 2 above and alpha / 2 / (narms - 1) below for an
 * interval of 1 - alpha. value is the ratio to `best`. n: the fewest of any pair. */
struct stats_limits stats_choice_excess(const struct stats_limits *pairs, const bool *measured, size_t narms,
                                        size_t arm, size_t best);

/* Invocations after which, if ratios and spread stay as they were seen, `arm` is accepted and all that precede it are
 * dropped. INFINITY when a ratio lies so close to the margin that it cannot be told. precedes[narms]: arms that
 * would be recommended before `arm`. Assumes normal noise around the median: sd of a median = 1.2533 sd / sqrt(n). */
double stats_choice_needed_n(const struct stats_limits *pairs, const bool *in_race, const size_t *size,
                             const bool *precedes, size_t narms, size_t arm, double ln_margin,
                             double alpha_pair);

#endif
