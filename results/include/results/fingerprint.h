/* Can two results be compared? What differs between the environments they were measured in. */
#ifndef RESULTS_FINGERPRINT_H
#define RESULTS_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct fingerprint_difference {
    char *path; /* "software.blas.core" */
    char *a,
        *b; /* the values as text, "nothing" where one lacks it; of long lists only the words the other lacks */
    bool decides; /* costs are not comparable across it; otherwise it is worth a line */
};

/* In the order of the first fingerprint. Owner: result_fingerprint_differences_fini. */
struct fingerprint_differences {
    struct fingerprint_difference *item;
    size_t n, ndecide;
};

/* Compares two fingerprints (struct result's environment, JSON objects as text) member by member. NULL counts as an
 * environment of which nothing is known: it differs from a known one, decisively.
 * Errors: -EINVAL one is no JSON object, -ENOMEM; out is empty then. */
int result_fingerprint_compare(const char *a, const char *b, struct fingerprint_differences *out,
                               struct err *err);
void result_fingerprint_differences_fini(struct fingerprint_differences *d);

/* One line a difference, those that decide first: "  cpu.model: 'AMD EPYC' against 'Intel Xeon'". */
void result_fingerprint_differences_text(const struct fingerprint_differences *d, struct text *out);

#endif
