/* Many tests at once. */
#ifndef RESULTS_STATS_HOLM_H
#define RESULTS_STATS_HOLM_H

#include <stddef.h>

#include "base/err.h"

/* Adjusted p-values: rejecting those of at most alpha keeps the chance of any false rejection under alpha,
 * whatever the dependence between the tests. Shapes: p[n], adjusted[n] (may be the same array).
 * Errors: -ENOMEM.
 * Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6. */
int stats_holm(const double *p, size_t n, double *adjusted, struct err *err);

#endif
