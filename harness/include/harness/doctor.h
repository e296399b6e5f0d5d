/* What of this machine makes loaders slow, or measurements wrong: looks, measures for some seconds, explains. Changes
 * no setting. */
#ifndef HARNESS_DOCTOR_H
#define HARNESS_DOCTOR_H

#include <jansson.h>
#include <signal.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum doctor_level {
    DOCTOR_FINE,
    DOCTOR_NOTE,  /* worth knowing, or not to be seen from here */
    DOCTOR_COSTS, /* makes work slower than it need be */
    DOCTOR_BAD,   /* makes work much slower, measurements wrong, or runs fail */
};

struct doctor_finding {
    enum doctor_level level;
    const char *check; /* the check's name */
    char *text;        /* what is the case, with figures; owned */
    char *advice;      /* what to do, NULL = nothing; owned */
};

struct doctor_config {
    const char
        *program; /* what `probe` is started of ("/proc/self/exe"); NULL = checks that need it say so */
    const char
        *root; /* "" for this machine, or a folder with a recorded proc/ and sys/ for checks that only look */
    const char *only;                                /* name of the one check to run, NULL = all */
    const volatile sig_atomic_t *stop;               /* set: ends after the check in hand; NULL = never */
    void (*step)(void *arg, const char *check_name); /* optional: before each check */
    void *arg;
};

/* Findings worst first. Owner: harness_doctor_fini. */
struct doctor_report {
    struct doctor_finding *item;
    size_t n;
    json_t *measured; /* figures by check */
    double took_ns;
};

/* Errors: -ENOMEM, -EINVAL no such check, -EINTR; a check that fails is a finding, not an error. */
int harness_doctor(const struct doctor_config *cfg, struct doctor_report *out, struct err *err);
void harness_doctor_fini(struct doctor_report *r);

/* {"findings": [{"level", "check", "text", "advice"}], "measured": {...}, "took_ns"}. New reference. */
json_t *harness_doctor_json(const struct doctor_report *r);

const char *harness_doctor_level(enum doctor_level level); /* "fine", "note", "costs", "bad" */

/* Names and summaries of all checks; NULL name = no such index. */
struct doctor_about {
    const char *name, *summary;
};
struct doctor_about harness_doctor_about(size_t i);

#endif
