/* What a gate says, and to whom: people, Markdown, JUnit, GitHub, programs. */
#ifndef BENCH_GATE_REPORT_H
#define BENCH_GATE_REPORT_H

#include <stddef.h>

#include "base/text.h"
#include "bench/command.h"
#include "results/stats/gate.h"

struct gate_row {
    char *name;         /* owned */
    const char *metric; /* borrowed */
    double margin;      /* a fraction */
    enum stats_verdict verdict;
    bool missing; /* the baseline has it and the candidate lacks it, or it could not be compared */
    bool is_new;  /* only the candidate has it: shown, not judged */
    double ratio, low,
        high; /* candidate over baseline, worse is above 1, with a 95 % interval; NaN = not known */
    double smallest_seen; /* a ratio that would have been called a regression; INFINITY = none */
    size_t n;             /* invocations, or sessions of both sides */
    const char *counts;   /* what n counts: "invocations" */
    char note[256];       /* "" = nothing to say */
};

struct gate_report {
    struct gate_row *row; /* [nrows], owned */
    size_t nrows;
    enum bench_exit exit;
    const char *word; /* the verdict: "PASS", "REGRESSION", "INCONCLUSIVE", "UNFIT", "FAILED", ... */
    const char *rule; /* "non-inferior", "detect" */
    double alpha, effect;
    int look, looks;
    struct text warnings; /* lines that go with any verdict: what differs between the sides */
    struct text machine;  /* how often the gate errs here, as calibrated */
    char failure[512];    /* why there is no verdict; "" = there is one */
    const char *path;     /* result file; NULL = none */
    double seconds;
};

/* Rows of the given number, all unknown. Owner: gate_report_fini. Errors: -ENOMEM. */
int gate_report_init(struct gate_report *g, size_t nrows, struct err *err);
void gate_report_fini(struct gate_report *g);

/* Exit code and word of a verdict and of how it was come by. */
void gate_report_conclude(struct gate_report *g, enum stats_verdict v, enum bench_exit if_inconclusive);

/* Exit code and word of a failure, and its text. */
void gate_report_fail(struct gate_report *g, int rc, const struct err *err);

/* For people: verdict first, a line a row, then what goes with it. */
void gate_report_text(const struct gate_report *g, struct text *out);

/* For a pull request: verdict, table, and the method in a part that is folded away. */
void gate_report_markdown(const struct gate_report *g, struct text *out);

/* A test case a row: a regression or a missing row is a failure, an inconclusive one is skipped. */
void gate_report_junit(const struct gate_report *g, struct text *out);

/* Workflow commands of GitHub Actions, one a row that did not pass. */
void gate_report_annotations(const struct gate_report *g, struct text *out);

/* One object; one record a row. */
int gate_report_json(const struct gate_report *g, struct text *out, struct err *err);
void gate_report_csv(const struct gate_report *g, struct text *out);

/* The last line: "loaderbench-gate: {...}", JSON in one line. */
int gate_report_last_line(const struct gate_report *g, struct text *out, struct err *err);

#endif
