/* Decisions between arms from limits of their paired ratios; the proof is in the header. */
#include "results/stats/choice.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>

#include "results/stats/order_statistic.h"

struct stats_limits stats_limits(double *ratios, size_t n, double alpha_low, double alpha_high)
{
    struct stats_limits l = {.value = NAN, .low = -INFINITY, .high = INFINITY, .sd = NAN, .n = n};
    if (n == 0)
        return l;
    l.value = stats_median(ratios, n);
    l.low = stats_median_lower(ratios, n, alpha_low);
    l.high = stats_median_upper(ratios, n, alpha_high);
    if (n >= 4) /* the quartiles of a normal distribution lie 1.349 sd apart */
        l.sd = (stats_quantile_sorted(ratios, n, 0.75) - stats_quantile_sorted(ratios, n, 0.25)) / 1.349;
    return l;
}

double stats_choice_alpha(double alpha, int looks, size_t narms)
{
    assert(alpha > 0 && alpha < 1 && looks >= 1 && narms >= 1);
    return alpha / looks / 2 / (double)(narms > 1 ? narms - 1 : 1);
}

size_t stats_choice_smallest_n(double alpha, int looks, size_t narms)
{
    return stats_median_smallest_n(stats_choice_alpha(alpha, looks, narms));
}

/* What a lower limit of ln(cost_i / cost_j) has to exceed for j to drop i. */
static double bar(const size_t *size, size_t i, size_t j, double ln_margin)
{
    return size[j] < size[i] ? 0 : ln_margin;
}

void stats_choice_judge(const struct stats_limits *pairs, const bool *in_race, const size_t *size,
                        size_t narms, double ln_margin, bool *out, bool *good)
{
    for (size_t i = 0; i < narms; i++) {
        out[i] = false;
        good[i] = in_race[i];
        for (size_t j = 0; in_race[i] && j < narms; j++) {
            if (j == i || !in_race[j])
                continue;
            out[i] |= pairs[i * narms + j].low > bar(size, i, j, ln_margin);
            good[i] &= pairs[i * narms + j].high < ln_margin;
        }
    }
}

bool stats_choice_only_slower(const struct stats_limits *pairs, const bool *measured, const size_t *size,
                              size_t narms, size_t i, double ln_margin)
{
    bool slower = false;
    for (size_t j = 0; j < narms; j++) {
        if (j == i || !measured[j])
            continue;
        if (pairs[i * narms + j].low > ln_margin)
            return false;
        slower |= size[j] < size[i] && pairs[i * narms + j].low > 0;
    }
    return slower;
}

/* Largest of the medians of an arm against the others in the race. */
static double worst_ratio(const struct stats_limits *pairs, const bool *in_race, size_t narms, size_t i)
{
    double worst = -INFINITY;
    for (size_t j = 0; j < narms; j++)
        if (j != i && in_race[j] && pairs[i * narms + j].value > worst)
            worst = pairs[i * narms + j].value;
    return worst;
}

size_t stats_choice_best(const struct stats_limits *pairs, const bool *in_race, size_t narms)
{
    size_t best = narms;
    double lowest = INFINITY;
    for (size_t i = 0; i < narms; i++) {
        if (!in_race[i])
            continue;
        double worst = worst_ratio(pairs, in_race, narms, i);
        if (best == narms || worst < lowest) {
            best = i;
            lowest = worst;
        }
    }
    return best;
}

struct stats_limits stats_choice_excess(const struct stats_limits *pairs, const bool *measured, size_t narms,
                                        size_t arm, size_t best)
{
    struct stats_limits excess = {.low = 0, .high = 0, .sd = 0, .n = SIZE_MAX};
    excess.value = arm == best ? 0 : pairs[arm * narms + best].value;
    for (size_t j = 0; j < narms; j++) {
        const struct stats_limits *p = &pairs[arm * narms + j];
        if (j == arm || !measured[j])
            continue;
        excess.low = fmax(excess.low, p->low);
        excess.high = fmax(excess.high, p->high);
        excess.n = p->n < excess.n ? p->n : excess.n;
    }
    if (excess.n == SIZE_MAX)
        excess.n = 0;
    if (arm != best)
        excess.sd = pairs[arm * narms + best].sd;
    excess.value = fmin(fmax(excess.value, excess.low), excess.high);
    return excess;
}

/* Invocations until a limit at alpha clears a gap: z 1.2533 sd / sqrt(n) < gap. */
static double needed(const struct stats_limits *p, double gap, double alpha)
{
    double least = (double)stats_median_smallest_n(alpha);
    double wanted = gsl_cdf_ugaussian_Qinv(alpha) * 1.2533 * p->sd / gap;
    if (!(gap > 0) || !isfinite(wanted))
        return INFINITY;
    return fmax(least, ceil(wanted * wanted));
}

/* Invocations until some arm in the race drops arm j. */
static double needed_to_drop(const struct stats_limits *pairs, const bool *in_race, const size_t *size,
                             size_t narms, size_t j, double ln_margin, double alpha_pair)
{
    double least = INFINITY;
    for (size_t i = 0; i < narms; i++) {
        const struct stats_limits *p = &pairs[j * narms + i];
        if (i != j && in_race[i])
            least = fmin(least, needed(p, p->value - bar(size, j, i, ln_margin), alpha_pair));
    }
    return least;
}

double stats_choice_needed_n(const struct stats_limits *pairs, const bool *in_race, const size_t *size,
                             const bool *precedes, size_t narms, size_t arm, double ln_margin,
                             double alpha_pair)
{
    double all = 0;
    for (size_t j = 0; j < narms; j++) {
        if (j == arm || !in_race[j])
            continue;
        const struct stats_limits *p = &pairs[arm * narms + j];
        double accept = precedes[j] ? INFINITY : needed(p, ln_margin - p->value, alpha_pair);
        double drop = needed_to_drop(pairs, in_race, size, narms, j, ln_margin, alpha_pair);
        all = fmax(all, fmin(accept, drop)); /* one that is out need not be within the margin */
    }
    return all;
}
