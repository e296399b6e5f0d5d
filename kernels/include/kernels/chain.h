/* Transforms by name, one after another: "resize=224,color=ycbcr,normalize". */
#ifndef KERNELS_CHAIN_H
#define KERNELS_CHAIN_H

#include "base/counter_rng.h"
#include "base/err.h"
#include "kernels/tensor.h"

struct kernel_chain;

/* What one sample costs in arithmetic and in memory traffic that cannot be avoided (inputs read + outputs
 * written). */
struct kernel_work {
    double flops, bytes;
};

/* Parses the names and arguments, lets the shape flow through, and prepares what does not depend on the
 * sample (weights, scratch memory). Owner:   the caller, until kernel_chain_destroy. An empty text is a chain
 * that copies. Errors:  -EINVAL unknown kernel (with the nearest name), bad argument, or a shape mismatch
 * that names both shapes. Threads: a chain has scratch memory: one for each thread. A forked child may use
 * its parent's. */
int kernel_chain_create(const char *text, const struct tensor_shape *in, struct kernel_chain **out,
                        struct err *err);
void kernel_chain_destroy(struct kernel_chain *c);

const struct tensor_shape *kernel_chain_output(const struct kernel_chain *c);
struct kernel_work kernel_chain_work(const struct kernel_chain *c);

/* The input shape a chain asks for when no dataset gives one ("gemm=768": 768x768:f32); -EINVAL when the
 * first kernel has no shape of its own. */
int kernel_chain_default_input(const char *text, struct tensor_shape *out, struct err *err);

/* Runs the chain on one sample. in and out do not overlap; out->data has room for kernel_chain_output. `rng`
 * is the sample's own stream. Errors: what a kernel says of this sample. */
int kernel_chain_run(struct kernel_chain *c, const struct tensor *in, struct tensor *out,
                     struct counter_rng *rng, struct err *err);

#endif
