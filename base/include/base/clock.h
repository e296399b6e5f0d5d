/* The one clock everything is timed with. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds of CLOCK_MONOTONIC_RAW: not slewed, the same for all processes, counts on while a process is
 * stopped. */
uint64_t clock_now_ns(void);

/* CPU time (user + system, all its threads, those that ended too) of a process, in ns; 0 = the caller.
 * Errors: -ESRCH when there is no such process; *out is 0 then. */
int clock_cpu_ns(pid_t pid, uint64_t *out);

/* Sleeps for ns nanoseconds, or until a signal handler ran. */
void clock_sleep_ns(uint64_t ns);

#endif
