/* Rows of the table, and whether each keeps its word. */
#ifndef COVERAGE_REPORT_H
#define COVERAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suite {
    const char *noise_directory;
    size_t replications;
    uint64_t seed;
    bool
        is_short; /* fewer replications: a row fails only when the binomial distribution rules its promise out */
    bool failed;
    size_t rows;
};

/* What was counted over the replications of one row. */
struct tally {
    size_t n, hits;         /* replications that had an answer, and those in which it was right */
    size_t silent;          /* no answer: "no interval" */
    double widths, *misses; /* sum of widths; |estimate - truth| of each, misses[replications], or NULL */
};

/* Counts an interval, which may not be known. */
void tally_interval(struct tally *t, bool known, double low, double high, double value, double truth);
void tally_event(struct tally *t, bool hit);

enum row_rule { ROW_AT_LEAST, ROW_AT_MOST, ROW_SHOWN };

void report_title(const char *title, const char *hits);

/* One row: share of hits against `required`, and mean width over that of the narrowest interval of fixed width
 * that the same estimate could have had at the same coverage. */
void report_row(struct suite *s, const char *name, const char *what, double nominal, enum row_rule rule,
                double required, const struct tally *t);

#endif
