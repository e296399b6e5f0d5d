/* Preloaded by a test: binding to CPUs is answered with success and does nothing, as some runtimes and containers do. */
#include <sched.h>

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
{
    (void)pid;
    (void)size;
    (void)mask;
    return 0;
}
