/* Series of known centre: the noise that every interval has to stand. */
#ifndef COVERAGE_NOISE_H
#define COVERAGE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/counter_rng.h"

enum noise_kind {
    NOISE_NORMAL,
    NOISE_LOGNORMAL,
    NOISE_PARETO,
    NOISE_BIMODAL,
    NOISE_TIES,
    NOISE_CONSTANT,
    NOISE_AR, /* strength: lag-1 */
    NOISE_DRIFT,
    NOISE_STEP,
    NOISE_RECORDED, /* a window of `series`, each value turned over or not */
    NOISE_REGIME,   /* the same, the window as a whole turned over or not */
};

struct noise {
    const char *name;
    enum noise_kind kind;
    double strength;
    const double *series; /* NOISE_RECORDED, NOISE_REGIME: logarithms about their median */
    size_t length;
};

/* x[n]: logarithms with median 0 (for a drift or a step: about the middle), of a size about 0.1. */
void noise_draw(const struct noise *noise, struct counter_rng *rng, double *x, size_t n);

bool noise_is_independent(const struct noise *noise);

/* The made ones; NULL-named end. */
extern const struct noise noise_made[];

enum { RECORDED_ROUNDS = 60, RECORDED_CONFIGURATIONS = 5, RECORDED_BLOCKS = 10, RECORDED_TURNS = 4 };

/* Recorded files: ln(item) of the five configurations by round, each about its median. */
struct recorded_rounds {
    const char *name;
    double ln[RECORDED_CONFIGURATIONS][RECORDED_ROUNDS];
};

/* ln(item) of a's and b's two turns in each block. */
struct recorded_turns {
    const char *name;
    double ln[RECORDED_ROUNDS][RECORDED_BLOCKS][2][2]; /* [invocation][block][arm][turn] */
    double ratio[RECORDED_ROUNDS];                     /* ln(b / a): median over blocks of the block's mean */
};

/* Reads `directory`/NAME.csv; false when that is not such a file. */
bool recorded_read_rounds(const char *directory, const char *name, struct recorded_rounds *out);
bool recorded_read_turns(const char *directory, const char *name, struct recorded_turns *out);

#endif
