/* What reading the clock costs and how fine it is: every item is timed with it. */
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "doctor.h"

extern const struct doctor_check doctor_check_clock;

enum { READINGS = 20000, BATCHES = 9 };

static void look(struct doctor *d)
{
    double cost[BATCHES], step = INFINITY;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t from = clock_now_ns(), last = from;
        for (int i = 0; i < READINGS; i++) {
            uint64_t now = clock_now_ns();
            if (now > last)
                step = fmin(step, (double)(now - last));
            last = now;
        }
        cost[b] = (double)(last - from) / READINGS;
    }
    double ns = doctor_median(cost, BATCHES);
    char source[64];
    if (!doctor_file(d, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                     sizeof source))
        source[0] = '\0';
    doctor_figure(d, "cost_ns", json_real(ns));
    doctor_figure(d, "smallest_step_ns", isfinite(step) ? json_real(step) : json_null());
    doctor_figure(d, "source", json_string(source));
    bool slow = ns > 250;
    doctor_find(
        d, slow ? DOCTOR_COSTS : DOCTOR_FINE,
        slow ? "boot with clocksource=tsc (or kvm-clock) if the machine allows it; items shorter than some "
               "microseconds are mostly clock until then"
             : NULL,
        "clock: reading it costs %.0f ns, the smallest step seen is %.0f ns (source %s)", ns, step,
        source[0] ? source : "not told");
}

const struct doctor_check doctor_check_clock = {
    .name = "clock",
    .summary = "what reading the clock costs, and how fine it is",
    .look = look,
};
