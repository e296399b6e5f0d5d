/* The list of such variables. */
#include "variables.h"

#include <stdio.h>
#include <stdlib.h>

const char *const harness_variables[] = {
    "OMP_NUM_THREADS",  "OMP_PROC_BIND",           "OMP_PLACES",
    "OMP_WAIT_POLICY",  "GOMP_CPU_AFFINITY",       "GOMP_SPINCOUNT",
    "KMP_AFFINITY",     "MKL_NUM_THREADS",         "OPENBLAS_NUM_THREADS",
    "GOTO_NUM_THREADS", "OPENBLAS_MAIN_FREE",      "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE", "OPENBLAS_THREAD_TIMEOUT", NULL,
};

int harness_variables_text(char *buf, size_t size)
{
    int n = 0;
    size_t at = 0;
    buf[0] = '\0';
    for (const char *const *v = harness_variables; *v; v++) {
        const char *value = getenv(*v);
        if (!value || at >= size)
            continue;
        int len = snprintf(buf + at, size - at, "%s%s=%s", n ? ", " : "", *v, value);
        at += len > 0 ? (size_t)len : 0;
        n++;
    }
    return n;
}
