/* Private: see trial_placement.c. */
#ifndef HARNESS_TRIAL_PLACEMENT_H
#define HARNESS_TRIAL_PLACEMENT_H

#include <jansson.h>

#include "workload.h"

/* What was found, as an object (new reference). `why` gets the first difference from what was asked, if any. Call it
 * after each maker made a sample: a BLAS starts its threads with the first product. */
json_t *trial_placement_json(const struct workload_run *w, struct err *why);

#endif
