/* The core's own subject: this loader under the trial protocol (protocol.h). */
#ifndef HARNESS_TRIAL_H
#define HARNESS_TRIAL_H

#include "base/err.h"

/* Speaks the protocol on two descriptors until it is told to stop or its input ends.
 * Errors: what made it end otherwise; it was told to the other side as {"error": ...} too. */
int harness_trial_run(int in, int out, struct err *err);

#endif
