/* The list of affinity policies: one word each, the file is harness/policy/<word>.c. */
#ifndef HARNESS_POLICIES_H
#define HARNESS_POLICIES_H

#define HARNESS_POLICIES(X) X(none) X(compact) X(scatter) X(core) X(l3) X(numa)

#endif
