/* Private: a workload made real. Ties a source of samples and a chain of transforms into the dataset that the loader
 * asks, and notes in shared memory where each worker really ran. */
#ifndef HARNESS_WORKLOAD_H
#define HARNESS_WORKLOAD_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "datasets/source.h"
#include "harness/protocol.h"
#include "kernels/chain.h"
#include "loader/loader.h"
#include "loader/sampler.h"

enum { PROBE_CPU_WORDS = 32 }; /* room for 2,048 CPUs */

/* What a worker says of itself. In memory that all processes of the trial share. */
struct worker_probe {
    pid_t tid;
    int blas_threads;
    char memory[64]; /* what came of binding memory: nodes, or why not; "" = it was not asked for */
    _Atomic uint64_t cpus_seen[PROBE_CPU_WORDS]; /* a bit for each CPU a sample was made on */
};

struct workload_worker {
    struct data_reader *reader;
    struct kernel_chain *chain;
};

struct workload_run {
    const struct trial_spec *spec;
    struct data_source *source;
    const struct data_info *info;
    struct tensor_shape output;
    struct kernel_work work; /* of one sample */
    struct dataset dataset;
    struct workload_worker *worker; /* [max(1, workers)], each opened by its worker */
    struct worker_probe *probe;     /* [max(1, workers)] */
    struct sampler sampler;         /* epoch after epoch without an end (map-style) */
    struct sampler *inner;
};

/* Opens the data and checks that the transforms fit it. Makes no product yet: workers set their threads first. With
 * describe_only no sample will be asked for.
 * Owner:  the caller, until workload_close; spec must outlive it.
 * Errors: -EINVAL with the names and shapes, what the files say, -ENOMEM. */
int workload_open(struct workload_run *w, const struct trial_spec *spec, bool describe_only, struct err *err);
void workload_close(struct workload_run *w);

/* In the process or thread that makes samples, before the first: affinity, BLAS threads, reader and chain.
 * The signature of loader_config.worker_init; info is NULL in the consumer. */
int workload_init_worker(void *workload, const struct worker_info *info, struct err *err);

/* A sampler that begins the next epoch of `inner` where one ends, off the same generator: a steady state does not
 * start again. `out` borrows inner. */
void workload_endless_sampler(struct sampler *out, struct sampler *inner);

#endif
