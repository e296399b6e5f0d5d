/* The parts of the suite, each one title of the table. */
#ifndef COVERAGE_PARTS_H
#define COVERAGE_PARTS_H

#include "noise.h"
#include "report.h"

struct recordings {
    struct recorded_rounds rounds[3]; /* quiet, busy, loaded */
    struct recorded_turns same_cpu, any_cpu, slower;
};

void part_one_arm(struct suite *s, const struct recordings *r);
void part_too_narrow(struct suite *s, const struct recordings *r);
void part_ratio(struct suite *s, const struct recordings *r);
void part_checks(struct suite *s, const struct recordings *r);
void part_gate(struct suite *s, const struct recordings *r);
void part_stored(struct suite *s, const struct recordings *r);
void part_tune(struct suite *s, const struct recordings *r);
void part_stall(struct suite *s, const struct recordings *r);
void part_items(struct suite *s, const struct recordings *r);
void part_efficiency(struct suite *s, const struct recordings *r);

#endif
