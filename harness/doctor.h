/* Private: a check of the doctor. One file each in harness/doctor/, one word in harness/doctors.h. */
#ifndef HARNESS_DOCTOR_PRIVATE_H
#define HARNESS_DOCTOR_PRIVATE_H

#include <stdbool.h>

#include "harness/budget.h"
#include "harness/doctor.h"
#include "harness/topology.h"

struct doctor {
    const struct doctor_config *cfg;
    struct harness_topology topology; /* of this machine */
    struct harness_budget budget;
    struct doctor_report *report;
    const char *check; /* in hand */
    bool no_memory;
};

struct doctor_check {
    const char *name;               /* required */
    const char *summary;            /* required; one line */
    void (*look)(struct doctor *d); /* required: adds findings and figures */
};

enum { DOCTOR_TEXT = 1024 };

/* advice NULL = nothing to do. */
void doctor_find(struct doctor *d, enum doctor_level level, const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A figure of the check in hand. Takes the reference. */
void doctor_figure(struct doctor *d, const char *name, json_t *value);

/* A file below the root, at most size - 1 bytes, without its last newline. false: it cannot be read. */
bool doctor_file(const struct doctor *d, const char *path, char *buf, size_t size);

/* A whole number in a file below the root. */
bool doctor_number(const struct doctor *d, const char *path, long *out);

/* Does a line "key : words" of /proc/cpuinfo contain the word? */
bool doctor_cpu_flag(const struct doctor *d, const char *word);

/* CPU time since boot from /proc/stat, in ns, of all CPUs: of programs and kernel, and taken by the hypervisor. */
struct doctor_cpu_time {
    double busy_ns, steal_ns;
};
bool doctor_cpu_time(const struct doctor *d, struct doctor_cpu_time *out);

/* Binds the calling thread to one CPU of the topology; false: not allowed. */
bool doctor_bind(const struct doctor *d, int position);

double doctor_median(double *x, int n); /* sorts x; NaN of none */

/* Counts of CPUs to try: 1, 2, 4, ..., all. Returns how many. */
int doctor_counts(const struct doctor *d, int out[32]);

#endif
