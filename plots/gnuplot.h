/* gnuplot as a program: started without a shell, bounded in time, its complaint kept. */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct gnuplot_call {
    const char *program; /* NULL = "gnuplot" */
    const char *dir;     /* where it runs; NULL = here */
    double timeout_ns;   /* 0 = 60 s */
    struct text *output; /* its standard output is appended; NULL = thrown away */
};

enum { GNUPLOT_LEAST_MAJOR = 5, GNUPLOT_LEAST_MINOR = 2 };

/* Errors: -ENOTSUP when there is no such program, it is too old, or it is no gnuplot; -ETIMEDOUT. */
int plot__gnuplot_check(const struct gnuplot_call *call, struct err *err);

/* Runs scripts (file names in call->dir) one after another in one process.
 * Errors: -EIO with gnuplot's message, -ETIMEDOUT, -ENOTSUP as above. */
int plot__gnuplot_run(const struct gnuplot_call *call, const char *const *scripts, size_t nscripts,
                      struct err *err);

#endif
