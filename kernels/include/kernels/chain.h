/* Transforms by name, one after another: "resize=224,color=ycbcr,normalize". */
#ifndef KERNELS_CHAIN_H
#define KERNELS_CHAIN_H

#include "base/counter_rng.h"
#include "base/err.h"
#include "base/tensor.h"
#include "kernels/kernel.h"

struct kernel_chain;

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

/* The input shape a chain asks for when no dataset gives one ("gemm=768": 768x768:f32).
 * Errors: -ENODATA the first kernel has no shape of its own; -EINVAL, -ERANGE it is no chain, as above. */
int kernel_chain_default_input(const char *text, struct tensor_shape *out, struct err *err);

/* Runs the chain on one sample and sets out->shape. in and out do not overlap; out->data has room for
 * kernel_chain_output. `rng` is the sample's own stream. A sample of another shape than the one before makes
 * the chain prepare anew, in this call, unless it had that shape lately: photos differ in size. Errors: what a kernel says of this sample;
 * -ENOBUFS its result is larger than kernel_chain_output. */
int kernel_chain_run(struct kernel_chain *c, const struct tensor *in, struct tensor *out,
                     struct counter_rng *rng, struct err *err);

#endif
