/* What the ways of a gate share: two builds in one session (gate.c), stored results (gate_stored.c), the gate on itself
 * (gate_selftest.c). */
#ifndef BENCH_GATE_H
#define BENCH_GATE_H

#include "duel.h"
#include "gate_report.h"
#include "measure.h"
#include "progress.h"
#include "suite.h"

struct gate_settings {
    const char *baseline_exe, *candidate_exe, *baseline, *candidate, *save, *folder, *output, *filter;
    const char *json, *csv, *markdown, *junit, *summary, *plot;
    struct bench_words metric;
    int64_t seed, runs, warmup;
    double margin, alpha, effect, budget_ns, timeout_ns, turn_ns, across;
    int rule, inconclusive, main;
    bool quiet, verbose, any_machine, annotations, selftest, margin_given, budget_given;
};

/* A gate in hand. */
struct gate {
    const struct gate_settings *settings;
    const struct bench_io *io;
    struct measure m;
    struct suite *suite;          /* NULL = none was named */
    struct result_figure *figure; /* [nfigures] */
    size_t nfigures;
    struct text counters; /* those among the figures, joined by commas */
    struct gate_report report;
};

extern const char *const gate_rule_words[];

/* The margin of a row: the command line, else the suite's, else the default. narms: of the whole suite, before any
 * filter. Errors: -EINVAL, -ERANGE. */
int gate_margin(const struct gate *g, size_t index, size_t narms, double *out, struct err *err);

/* Does the filter let an arm of that name through? */
bool gate_wants(const struct gate_settings *s, const char *name);

/* A session of the gate's result, as the settings say. Progress is shown in *progress, which this initialises. */
struct session_config gate_session(struct gate *g, struct result_writer *writer, struct progress *progress);

enum bench_exit gate_inconclusive_exit(const struct gate_settings *s);

/* Stored results against stored ones or against a session that is measured now; and that session alone, saved as a
 * baseline. They fill the report. Errors: 0 the report holds the outcome; -EINVAL, -ENOENT, ... usage. */
int gate_stored(struct gate *g, struct err *err);
int gate_save(struct gate *g, struct err *err);

/* Runs gates of this program whose outcome is known, through the real path; prints a line each. Returns an exit code. */
int gate_selftest(const struct gate_settings *s, const struct bench_io *io, struct err *err);

#endif
