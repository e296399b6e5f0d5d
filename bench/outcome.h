/* What a session of tune or run came to, for programs and pull requests: JSON, CSV, Markdown. */
#ifndef BENCH_OUTCOME_H
#define BENCH_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "results/summary.h"

/* All borrowed. */
struct outcome {
    const struct summary *summary;
    const char *path;    /* of the result file */
    const char *failure; /* why the session ended before its time; NULL = it did not */
    int exit;            /* what the program ends with */
    bool race;           /* one setting is recommended */
};

/* Where to, "-" = standard output; NULL = not at all. */
struct outcome_paths {
    const char *json, *csv, *markdown;
};

/* Was one asked for? */
bool outcome_any(const struct outcome_paths *paths);

/* Does one of them take the place of the table? */
bool outcome_takes_output(const struct outcome_paths *paths);

/* Writes those that were asked for. o->exit is what the JSON says: it is written last, and says BENCH_EXIT_FAILED when one
 * of the others could not be. Errors: -ENOMEM, of the files. */
int outcome_export(const struct outcome *o, const struct outcome_paths *paths, FILE *out, struct err *err);

/* One object: results/schema/outcome.schema.json. Errors: -ENOMEM. */
int outcome_json(const struct outcome *o, struct text *out, struct err *err);

/* A record a setting. What is not known is an empty field; the JSON says why. Errors: -ENOMEM. */
int outcome_csv(const struct outcome *o, struct text *out, struct err *err);

/* The answer, the table that `report` shows, and what speaks against it. Errors: -ENOMEM. */
int outcome_markdown(const struct outcome *o, struct text *out, struct err *err);

/* ---- of a setting, shared by the forms ---- */

/* "best" (the lowest cost), how the others stand against it (summary_standing_word), "measured" (nothing to compare with),
 * "failed". */
const char *outcome_state(const struct outcome *o, size_t arm);

bool outcome_recommends(const struct outcome *o, size_t arm);

/* Shares of the variance of ln(cost) between invocations, blocks and turns, and which of them to repeat ("invocations",
 * "blocks", "turns"); false = it cannot be told, and all are NaN and NULL then. Errors are told as that. */
struct outcome_shares {
    double invocation, block, turn;
    const char *repeat;
};
bool outcome_shares(const struct outcome *o, size_t arm, struct outcome_shares *out);

/* A figure of a setting. Its key is stem and unit, as everywhere: "cost" "_ns". */
struct outcome_figure {
    const char *stem, *unit;
    size_t offset;       /* in struct arm_summary: a struct estimate, or, with an interval, the value */
    size_t interval;     /* of the struct interval that goes with a value; 0 = it is an estimate */
    bool alone;          /* a value without an interval or a number of invocations */
    const char *missing; /* why a setting that was measured may lack it */
};

extern const struct outcome_figure outcome_figures[];
extern const size_t outcome_nfigures;

/* The figure of a setting; n = 0 where it is not known what it rests on. */
struct estimate outcome_value(const struct outcome *o, size_t arm, const struct outcome_figure *f);

/* Why there is no value, or none that means something; NULL = there is one. Borrowed. */
const char *outcome_missing(const struct outcome *o, size_t arm, const struct outcome_figure *f);

#endif
