/* Lag-1 autocorrelation, its permutation test, and the joining of neighbours. */
#include "results/stats/autocorrelation.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/counter_rng.h"

enum { PERMUTATIONS = 999 };
#define STREAM_PERMUTATIONS (UINT64_C(1) << 62 | 16)

double stats_lag1(const double *x, size_t n)
{
    if (n < 3)
        return NAN;
    double mean = 0, spread = 0, product = 0;
    for (size_t i = 0; i < n; i++)
        mean += (x[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) {
        spread += (x[i] - mean) * (x[i] - mean);
        if (i + 1 < n)
            product += (x[i] - mean) * (x[i + 1] - mean);
    }
    return spread > 0 ? product / spread : 0;
}

struct ranked {
    double value;
    size_t index;
};

static int compare(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Ranks centred at 0; ties share their mean rank. False when memory runs out. */
static bool rank(const double *x, size_t n, double *out)
{
    struct ranked *r = malloc(n * sizeof *r);
    if (!r)
        return false;
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){x[i], i};
    qsort(r, n, sizeof *r, compare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r[end].value == r[i].value; end++)
            ;
        for (size_t j = i; j < end; j++)
            out[r[j].index] = (double)(i + end - 1) / 2 - (double)(n - 1) / 2;
    }
    free(r);
    return true;
}

static double neighbours_product(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += x[i] * x[i + 1];
    return sum;
}

/* How far the ranks of the first half are from their mean. */
static double halves_apart(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n / 2; i++)
        sum += x[i];
    return fabs(sum);
}

/* Share of the random orders (and the one seen) whose statistic is at least that of the centred ranks; scratch[n].
 * Stops as soon as it is `enough` for sure, and returns at least that then. */
static double permutation_p(double (*statistic)(const double *, size_t), const double *ranks, size_t n,
                            double *scratch, double enough)
{
    struct counter_rng rng;
    counter_rng_init(&rng, 0, STREAM_PERMUTATIONS, n);
    double seen = statistic(ranks, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = ranks[i];
    int as_large = 1;
    for (int p = 0; p < PERMUTATIONS && as_large < enough * (PERMUTATIONS + 1); p++) {
        for (size_t i = n; i > 1; i--) {
            size_t j = counter_rng_below(&rng, (uint32_t)i);
            double swapped = scratch[i - 1];
            scratch[i - 1] = scratch[j];
            scratch[j] = swapped;
        }
        as_large += statistic(scratch, n) >= seen;
    }
    return (double)as_large / (PERMUTATIONS + 1);
}

static int test(double (*statistic)(const double *, size_t), const double *x, size_t n, double *p,
                struct err *err)
{
    *p = 1;
    if (n < 4)
        return 0;
    double *ranks = malloc(2 * n * sizeof *ranks);
    if (!ranks || !rank(x, n, ranks)) {
        free(ranks);
        *p = NAN;
        return err_set(err, -ENOMEM, "no memory for a permutation test of %zu values", n);
    }
    *p = permutation_p(statistic, ranks, n, ranks + n, 1);
    free(ranks);
    return 0;
}

int stats_lag1_test(const double *x, size_t n, double *p, struct err *err)
{
    return test(neighbours_product, x, n, p, err);
}

int stats_halves_test(const double *x, size_t n, double *p, struct err *err)
{
    return test(halves_apart, x, n, p, err);
}

/* Means of groups of g neighbours. */
static void join(const double *x, size_t g, size_t groups, double *out)
{
    for (size_t i = 0; i < groups; i++) {
        out[i] = 0;
        for (size_t j = 0; j < g; j++)
            out[i] += x[i * g + j] / (double)g;
    }
}

int stats_effective_n(const double *x, size_t n, size_t *n_effective, struct err *err)
{
    *n_effective = n;
    if (n < 4)
        return 0;
    double *ranks = malloc(3 * n * sizeof *ranks), *joined = ranks + n, *again = joined + n;
    if (!ranks || !rank(x, n, ranks)) {
        free(ranks);
        *n_effective = 0;
        return err_set(err, -ENOMEM, "no memory for joining %zu values", n);
    }
    for (size_t g = 1; n / g >= 4; g++) {
        double level = g == 1 ? STATS_JOIN_LEVEL_FIRST : STATS_JOIN_LEVEL;
        *n_effective = n / g;
        join(ranks, g, *n_effective, joined);
        if (!rank(joined, *n_effective, again)) {
            *n_effective = 0;
            free(ranks);
            return err_set(err, -ENOMEM, "no memory for joining %zu values", n);
        }
        if (permutation_p(neighbours_product, again, *n_effective, joined, level) >= level)
            break;
        *n_effective = n / (g + 1);
    }
    free(ranks);
    return 0;
}
