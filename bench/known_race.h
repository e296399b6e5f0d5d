/* Sessions of tune whose outcome is known: three settings that are one, and one that is slower by twice the margin. */
#ifndef BENCH_KNOWN_RACE_H
#define BENCH_KNOWN_RACE_H

#include <jansson.h>
#include <signal.h>

#include "calibrate_arm.h"
#include "calibration.h"
#include "harness/topology.h"
#include "progress.h"

struct known_race {
    const struct calibrate_work *work;
    const struct harness_topology *topology;
    int cpu_budget;
    double margin, turn_ns, budget_ns;
    const volatile sig_atomic_t *stop;
    struct progress *progress;
};

/* How one ended. What is "sure" is what tune says at its level (decided or tied). */
struct known_race_end {
    bool sure_of_the_slower; /* a wrong choice */
    bool equal_out;          /* one of the three was called surely worse */
    bool slower_out;         /* the slower one was found */
    bool decided;
    double seconds;
};

/* The slowdown of the slower one. */
double known_race_slowdown(double margin);

/* What a session of these arms (the last is the slower one) says of them, at 95 %. Errors: -ENOMEM. */
int known_race_judge(const struct result *r, struct known_race_end *end, struct err *err);

/* Runs one, through the code of tune. Errors: those of session_run, -ENOMEM. */
int known_race_run(const struct known_race *race, uint64_t seed, struct known_race_end *end, struct err *err);

/* Adds it to the counts; the caller keeps the times. */
void known_race_count(struct calibration_races *counts, const struct known_race_end *end);

/* A line of the raw file, and back. Owner: the caller, a new reference; NULL without memory. */
json_t *known_race_key(const struct known_race *race);
json_t *known_race_line(const struct known_race *race, uint64_t seed, const struct known_race_end *end);
void known_race_read(const json_t *line, struct known_race_end *end);

#endif
