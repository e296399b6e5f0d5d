/* Binding this process, and reading back what really holds. */
#ifndef HARNESS_AFFINITY_H
#define HARNESS_AFFINITY_H

#include "base/err.h"

/* Binds every thread of the calling process to a list of the operating system's CPUs ("0-1,4"): a BLAS may
 * already have started threads, and those would stay where they were.
 * Errors: -EINVAL not such a list, or a
 * CPU this process may not use. */
int harness_affinity_bind(const char *list, struct err *err);

/* As above, but the calling thread only. */
int harness_affinity_bind_thread(const char *list, struct err *err);

/* What the threads of a process are allowed, as one list. *same: all threads have the same. *out is the
 * caller's.
 * Errors: -ESRCH it ended. */
int harness_affinity_read(int pid, char **out, int *threads, int *same, struct err *err);

/* As above for one thread of any process, by its id. */
int harness_affinity_read_thread(int tid, char **out, struct err *err);

/* Memory that the calling process touches first from now on comes from the NUMA nodes of these CPUs, and from nowhere
 * else. On a machine with one node nothing is done.
 * Errors: -ENOTSUP the kernel or the container's seccomp filter does not allow it; -EINVAL not such a list. */
int harness_affinity_bind_memory(const char *list, struct err *err);

/* The nodes memory is bound to, as a list; "" = no binding. *out is the caller's. Errors: -ENOTSUP as above. */
int harness_affinity_read_memory(char **out, struct err *err);

/* Do two lists name the same CPUs ("0,1" and "0-1")? */
int harness_affinity_equal(const char *a, const char *b);

#endif
