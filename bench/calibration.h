/* What `calibrate` found on a machine, kept in a file so that later verdicts can quote it. */
#ifndef BENCH_CALIBRATION_H
#define BENCH_CALIBRATION_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Repeats of one comparison: how many, in how many a REGRESSION was called, a PASS, how many intervals missed 1
 * (which says something of equal arms only), and how long they took. */
struct calibration_row {
    double slowdown; /* as injected, a fraction; 0 = two equal arms */
    size_t n, regressions, passes, intervals_wrong;
    double seconds; /* median of one comparison */
};

/* Sessions of tune whose outcome is known (known_race.h): how many, in how many it was sure of what is not so (wrong: the
 * slower setting recommended, or one of the equal ones out), and in how many it found what is so. */
struct calibration_races {
    double slowdown, margin;
    size_t n, wrong, wrong_choices, equal_out, slower_out, decided;
    double seconds; /* median of one session */
};

enum { CALIBRATION_ROWS_MAX = 16 };

struct calibration {
    char fingerprint[32]; /* of the environment it holds for */
    char workload[128];
    double alpha, margin;
    struct calibration_row row[CALIBRATION_ROWS_MAX];
    size_t nrows;
    struct calibration_races races;
};

/* A short name for an environment (the JSON text of a result's header). */
void calibration_fingerprint(const char *environment, char out[32]);

/* Where it is kept; written whole or not at all. Errors: -EACCES, -ENOSPC, ... with the path. */
extern const char calibration_path[];
int calibration_write(const struct calibration *c, struct err *err);

/* Errors: -ENOENT there is none, -EINVAL it is none. */
int calibration_read(struct calibration *out, struct err *err);

/* The rows as a table; and the sessions of tune, nothing when there were none. */
void calibration_table(struct text *out, const struct calibration *c);
void calibration_races_table(struct text *out, const struct calibration_races *c);

/* One or two sentences for under a verdict, or one that says that this machine was not calibrated. */
void calibration_quote(struct text *out, const char *environment);

/* The same of tune's recommendation; nothing when this machine was not calibrated for it. */
void calibration_quote_races(struct text *out, const char *environment);

#endif
