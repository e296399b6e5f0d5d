/* What a statement of confidence looks like everywhere in this project. */
#ifndef RESULTS_STATS_INTERVAL_H
#define RESULTS_STATS_INTERVAL_H

#include <stdbool.h>

/* known = false: too few invocations for any interval at this level ("n = 2: no interval"). */
struct interval {
    double low, high;
    double level; /* nominal, as shown: 0.95 */
    bool known;
};

#endif
