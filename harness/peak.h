/* Private: what one core could compute at most, as its flags and its clock tell. */
#ifndef HARNESS_PEAK_H
#define HARNESS_PEAK_H

#include <jansson.h>

/* Single precision: lanes of the widest vectors x 2 (multiply and add) x 2 units, times the clock. An upper bound: some
 * cores have one unit of the widest kind; a turbo clock above the one told makes it too low.
 *     {"flop_per_cycle", "clock_hz", "gflop_per_s", "from"}, or {"gflop_per_s": null, "unavailable"}.
 * flags: as /proc/cpuinfo lists them; clock_hz: NaN = not known. New reference. */
json_t *harness_peak_json(const char *flags, double clock_hz);

/* The highest clock that this machine tells: cpufreq's, else the model's name, else the clock now, rounded to 100 MHz. NaN
 * where nothing does. root: as in budget.h. */
double harness_clock_hz(const char *root);

#endif
