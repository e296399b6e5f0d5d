/* A session: invocations in which all arms are alive and take turns, looks at which arms drop out, and an end that a
 * budget bounds. The heart of the matter; see docs/method.md for why it measures the way it does. */
#ifndef HARNESS_SESSION_H
#define HARNESS_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "harness/topology.h"
#include "results/io.h"
#include "results/record.h"
#include "results/summary.h"

/* Where a session stands, told before each turn and at each step. */
struct session_progress {
    const char *step;             /* "start", "turn", "invocation" (one ended), "look" */
    const char *arm;              /* whose step it is; "" when nobody's */
    int look, looks;              /* from 1 */
    int invocation, planned;      /* from 1; planned until the next look */
    int block, blocks;            /* from 0, the warm-up */
    int in_race;                  /* arms */
    double elapsed_ns, budget_ns; /* of the session */
    double eta_ns;                /* until it ends at the latest; NaN before the first invocation */
};

struct session_config {
    struct result *result; /* arms are set, looks_planned (0 = 3), warmup_blocks; invocations are appended */
    struct result_writer *writer; /* NULL = nothing is written */
    bool
        resume; /* session_run: the result was read from the file of a session that was stopped, and it goes on; its
                  * last pause is written before anything else */
    const struct harness_topology *topology;
    const char *core;     /* the program whose `trial` is the subject "core" */
    const char *counters; /* further events by name, joined by commas; NULL = none */
    const char *launcher; /* words put before a subject's command ("mpirun -n 4"), NULL = none */
    double turn_ns;       /* length a turn aims at; 0 = 25 ms */
    uint64_t timeout_ns;  /* for each answer of a trial; 0 = 60 s */
    int invocations;      /* > 0: exactly so many, one look, whatever the budget */
    int least, most;      /* > 0: at least so many that count, whatever the budget; never more than that */
    int blocks;           /* > 0: so many beside the warm-up; 0 = chosen by the pilot */
    bool timeline;        /* the first invocation that counts ends with the timelines of its trials */
    bool builds;    /* arms of one stream are builds of one program: where the first tells what it delivered,
                           * one that does not has failed */
    bool eliminate; /* arms that are surely worse stop being measured; the session ends when the
                                              choice is made */
    const volatile sig_atomic_t
        *stop; /* set: everything is ended and what was measured is kept; NULL = never */
    void (*progress)(void *arg, const struct session_progress *p); /* optional */
    void (*warn)(void *arg, const char *text);                     /* optional */
    void *arg;
};

/* Looks that a session is planned with: those of the result, or three, or as many fewer as find room within cfg->most, each
 * at twice the invocations of the one before. It belongs into the header, which is written before session_open sets it,
 * and rests on nothing that is measured: the level of each look is settled beforehand. */
int session_looks(const struct session_config *cfg);

/* Runs it to its end: all arms, until the choice is made or the budget is spent. The result holds whatever was
 * measured, also after an error.
 * Errors: -EINTR stopped, -ENODATA no arm could be measured (its first failure is in r->arms[].failure),
 *         -EXDEV invocations kept being void (with the rule), -EPROTO what is to be gone on with is not what this
 *         session would have done, and those of the system. */
int session_run(const struct session_config *cfg, struct err *err);

/* The same in parts, for those who decide themselves when it is enough: a gate, a calibration.
 * Owner: the caller, until session_close, which writes the footer; `rc` is how it went until then, and is returned
 * unless closing fails. */
struct session;
int session_open(const struct session_config *cfg, struct session **out, struct err *err);
int session_close(struct session *s, int rc, struct err *err);

/* What is measured at a time. */
struct session_share {
    int valid;       /* invocations that count */
    int look;        /* goes into the record */
    double until_ns; /* of session_elapsed_ns: no invocation begins that would end later; 0 = no limit */
};

/* Adds invocations in which only the given arms take part. Returns how many count.
 * Errors: as session_run; -ENODATA when one of the arms was taken out, named with its failure; -ETIMEDOUT when that was
 *         because it did not answer in time. */
int session_measure(struct session *s, const int *arms, size_t narms, const struct session_share *share,
                    struct err *err);

/* Time since it was opened. */
double session_elapsed_ns(const struct session *s);

#endif
