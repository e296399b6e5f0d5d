/* Private: the threads of a process as the kernel tells them. */
#ifndef HARNESS_TRIAL_THREADS_H
#define HARNESS_TRIAL_THREADS_H

#include <jansson.h>
#include <sys/types.h>

/* {"tid", "allowed", "cpu" (where it ran last), "migrations" (to another CPU, since it began)} of each thread of a process;
 * only != 0: of that one. What is not told is null; migrations then have their reason in "unavailable". New reference. */
json_t *trial_threads_json(pid_t pid, pid_t only);

#endif
