/* A summary of a result that was built in memory. */
#ifndef SUMMING_H
#define SUMMING_H

#include <math.h>

#include "building.h"
#include "results/summary.h"
#include "testing/cmocka.h"

static inline bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static inline struct summary *summarise(const struct result *r, double level)
{
    struct summary *s = NULL;
    struct err err = {0};
    assert_int_equal(summary_create(r, level, &s, &err), 0);
    return s;
}

#endif
