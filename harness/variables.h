/* Private: environment variables that override threads or placement of a BLAS or an OpenMP runtime. They are facts of
 * the process, recorded and told; nothing here acts on them. */
#ifndef HARNESS_VARIABLES_H
#define HARNESS_VARIABLES_H

#include <stddef.h>

extern const char *const harness_variables[]; /* ends with NULL */

/* "OMP_PROC_BIND=TRUE, OMP_PLACES=cores": those that are set, "" for none. Returns how many. */
int harness_variables_text(char *buf, size_t size);

#endif
