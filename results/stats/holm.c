/* Holm's step-down adjustment. */
#include "results/stats/holm.h"

#include <errno.h>
#include <stdlib.h>

struct test {
    double p;
    size_t index;
};

static int compare(const void *a, const void *b)
{
    double x = ((const struct test *)a)->p, y = ((const struct test *)b)->p;
    return (x > y) - (x < y);
}

int stats_holm(const double *p, size_t n, double *adjusted, struct err *err)
{
    if (n == 0)
        return 0;
    struct test *tests = malloc(n * sizeof *tests);
    if (!tests)
        return err_set(err, -ENOMEM, "no memory for %zu tests", n);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct test){p[i], i};
    qsort(tests, n, sizeof *tests, compare);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double scaled = tests[i].p * (double)(n - i);
        if (scaled > largest)
            largest = scaled;
        adjusted[tests[i].index] = largest < 1 ? largest : 1;
    }
    free(tests);
    return 0;
}
