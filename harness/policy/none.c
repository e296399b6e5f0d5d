/* No binding: the scheduler decides, as it does for most training jobs. */
#include "harness/placement.h"

extern const struct harness_policy harness_policy_none;

const struct harness_policy harness_policy_none = {
    .name = "none",
    .summary = "no binding: the scheduler places workers",
};
