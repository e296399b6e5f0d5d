/* Time and CPU time, in nanoseconds. */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

static uint64_t read_ns(clockid_t id)
{
    struct timespec ts = {0};
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC_RAW);
}

int clock_cpu_ns(pid_t pid, uint64_t *out)
{
    *out = 0;
    clockid_t id;
    int rc = pid ? clock_getcpuclockid(pid, &id) : 0;
    if (rc)
        return -rc;
    struct timespec ts;
    if (clock_gettime(pid ? id : CLOCK_PROCESS_CPUTIME_ID, &ts))
        return -ESRCH; /* it ended between the two calls */
    *out = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
    return 0;
}

void clock_sleep_ns(uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    nanosleep(&ts, NULL);
}
