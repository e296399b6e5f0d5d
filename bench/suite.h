/* Suites: sessions written down as YAML, read by tables of keys (libyaml). See bench/suites/ for examples. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "results/record.h"

/* What the arms are made of. Owner: suite_free. */
struct suite;

/* Every value is checked, whether the command that reads it needs it or not: what is wrong is found before anything is
 * measured. Errors: -ENOENT and others of the file; -EINVAL, -ERANGE with file, line and key, the value and what is
 * allowed. A suite without arms is an error: nothing measured is not a result. */
int suite_read(const char *path, struct suite **out, struct err *err);

/* The same from an open file, which stays the caller's; name is what messages call it. */
int suite_read_stream(FILE *from, const char *name, struct suite **out, struct err *err);
void suite_free(struct suite *s);

/* Its own budget, margin (a time and a ratio within limits); NULL when it does not say. Borrowed. */
const char *suite_budget(const struct suite *s);
const char *suite_margin(const struct suite *s);

/* The margin of arm `index` of the narms that suite_add_arms added: its own, else the suite's; NULL = neither. */
const char *suite_arm_margin(const struct suite *s, size_t index, size_t narms);

/* Where the main process runs, whatever the suite says: with `main:` in it, or on the command line. */
enum suite_main { SUITE_MAIN_OWN, SUITE_MAIN_SHARE, SUITE_MAIN_RESERVE };
extern const char *const suite_main_words[]; /* by that enum, for an option; ends with NULL */
void suite_set_main(struct suite *s, enum suite_main main);

/* Adds its arms to the result; cpu_budget stands for "all" threads. Errors: -EEXIST two arms of one name, with the place;
 * -ENOMEM. */
int suite_add_arms(const struct suite *s, int cpu_budget, struct result *r, struct err *err);

#endif
