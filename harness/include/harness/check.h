/* Looking at a workload before anything is measured: does the data open, do the transforms fit, what does a sample
 * cost in arithmetic and in room? */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "base/err.h"
#include "base/tensor.h"
#include "datasets/source.h"
#include "results/record.h"

struct harness_workload_facts {
    double work_flops, work_bytes; /* of one sample's transforms */
    size_t sample_bytes;           /* room of a transformed sample in a slot */
    int64_t samples;               /* of the data; -1 = not known beforehand */
    struct tensor_shape in, out;
    char files[DATA_STAMP]; /* behind the data, as data_source_stamp says them */
    bool varies;            /* samples differ in shape, or may: not all were looked at */
};

/* Opens it in this process and closes it again; makes no product.
 * Errors: as workload_open: -EINVAL with names and shapes, what the files say. */
int harness_workload_check(const struct workload *w, uint64_t seed, struct harness_workload_facts *out,
                           struct err *err);

/* How many arms may be alive together, whichever they are, so that their slots take no more than `bytes`. *need: what the
 * largest two take (or the only one), without which there is nothing to compare. Errors: -ENOMEM. */
int harness_together(const struct result *r, size_t sample_bytes, double bytes, double *need,
                     struct err *err);

/* What the machine has to give now (MemAvailable). */
double harness_available_bytes(void);

#endif
