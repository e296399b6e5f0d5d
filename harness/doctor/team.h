/* Private: threads bound to a CPU each that do the same work at the same time. */
#ifndef HARNESS_DOCTOR_TEAM_H
#define HARNESS_DOCTOR_TEAM_H

#include "doctor.h"

/* One member's work. arg is shared by the team, index is from 0. */
typedef void team_work(void *arg, int index);

/* Runs `work` on the first n CPUs of the order at once, from one starting line; ns[i] is how long member i took.
 * order: positions. false: threads or bindings are missing. */
bool team_run(const struct doctor *d, const int *order, int n, team_work *work, void *arg, double *ns);

#endif
