/* A workload made real: source -> chain -> slot. */
#include "workload.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/affinity.h"
#include "harness/placement.h"
#include "kernels/blas.h"

static int makers(const struct workload_run *w)
{
    return w->spec->setting.workers ? w->spec->setting.workers : 1;
}

static int is_thread_backend(const struct workload_run *w)
{
    return !strcmp(w->spec->setting.backend, "thread");
}

static void note_cpu(struct worker_probe *p)
{
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= 64 * PROBE_CPU_WORDS)
        return;
    uint64_t bit = UINT64_C(1) << (cpu % 64);
    _Atomic uint64_t *word = &p->cpus_seen[cpu / 64];
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

static int self_id(void)
{
    const struct worker_info *info = loader_worker_info();
    return info ? info->id : 0;
}

static int transform(struct workload_run *w, int id, const struct tensor *view, int64_t index,
                     struct sample *out, struct err *err)
{
    struct counter_rng rng;
    counter_rng_init(&rng, w->spec->seed, 0, (uint64_t)index);
    struct tensor result = {.shape = w->output, .data = out->data};
    int rc = kernel_chain_run(w->worker[id].chain, view, &result, &rng, err);
    rc = rc ? rc : data_reader_whole(w->worker[id].reader, err); /* the chain was the one to read it */
    out->bytes = rc ? 0 : tensor_bytes(&result.shape);
    note_cpu(&w->probe[id]);
    return rc;
}

static int64_t map_len(void *self)
{
    const struct workload_run *w = self;
    return w->info->samples;
}

static int map_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    struct workload_run *w = self;
    int id = self_id();
    struct tensor view;
    int rc = data_reader_get(w->worker[id].reader, index, &view, err);
    return rc ? rc : transform(w, id, &view, index, out, err);
}

/* A replica is the worker's place in its stream. */
struct replica {
    struct workload_run *w;
    int id;
    int64_t count;
    int64_t since_start; /* of the stream, which starts again where it ends */
};

static int stream_open(void *self, const struct worker_info *info, void **replica, struct err *err)
{
    struct replica *r = *replica = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "out of memory for a stream");
    r->w = self;
    r->id = info && info->id >= 0 ? info->id : 0; /* the consumer itself says -1 */
    return 0;
}

static int restart_stream(struct replica *r, struct err *err)
{
    struct data_reader **reader = &r->w->worker[r->id].reader;
    data_reader_close(*reader);
    *reader = NULL;
    r->since_start = 0;
    return data_reader_open(r->w->source, r->id, makers(r->w), reader, err);
}

/* Endless, as the sampler of map-style data is: a share without a single sample does end. */
static int next_view(struct replica *r, struct tensor *view, struct err *err)
{
    int rc = data_reader_next(r->w->worker[r->id].reader, view, err);
    if (rc == 0 && r->since_start) {
        rc = restart_stream(r, err);
        rc = rc ? rc : data_reader_next(r->w->worker[r->id].reader, view, err);
    }
    r->since_start += rc > 0;
    return rc;
}

static int stream_next(void *replica, struct sample *out, struct err *err)
{
    struct replica *r = replica;
    struct tensor view;
    int rc = next_view(r, &view, err);
    if (rc <= 0)
        return rc;
    out->index = r->count++ * makers(r->w) + r->id;
    rc = transform(r->w, r->id, &view, out->index, out, err);
    return rc ? rc : 1;
}

static void set_dataset(struct workload_run *w)
{
    w->dataset = (struct dataset){
        .name = w->spec->workload.data, .self = w, .sample_bytes_max = tensor_bytes(&w->output)};
    if (w->info->iterable) {
        w->dataset.open = stream_open;
        w->dataset.next = stream_next;
        w->dataset.close = free;
    } else {
        w->dataset.len = map_len;
        w->dataset.get = map_get;
    }
}

static int set_sampler(struct workload_run *w, struct err *err)
{
    struct sampler_params params = {.n = w->info->samples, .dataset = &w->dataset};
    if (w->info->iterable)
        return 0;
    if (w->info->samples < 1)
        return err_set(err, -EINVAL, "%s: no samples", w->spec->workload.data);
    int rc = sampler_create(w->spec->workload.sampler, &params, &w->inner, err);
    if (!rc)
        workload_endless_sampler(&w->sampler, w->inner);
    return rc;
}

/* The chain is made once here, for its shapes and its errors; each worker makes its own. */
static int check_chain(struct workload_run *w, struct err *err)
{
    struct kernel_chain *chain;
    int rc = kernel_chain_create(w->info->transform, &w->info->shape, &chain, err);
    if (rc)
        return rc;
    w->output = *kernel_chain_output(chain);
    w->work = kernel_chain_work(chain);
    kernel_chain_destroy(chain);
    return 0;
}

static int set_on_error(const char *word, enum data_on_error *out, struct err *err)
{
    if (word && !strcmp(word, "skip"))
        *out = DATA_ON_ERROR_SKIP;
    else if (word && strcmp(word, "fail") != 0)
        return err_set(err, -EINVAL, "on_error: '%s' is neither fail nor skip", word);
    return 0;
}

/* Opens the data. A transform that is none is the failure to tell, not that it names no shape for the data
 * ("decode" at its front is the source's own). */
static int open_source(struct workload_run *w, bool describe_only, struct err *err)
{
    const char *transform = w->spec->workload.transform;
    struct tensor_shape shape;
    struct err no_chain = {0}, no_source = {0};
    int no_default = kernel_chain_default_input(transform, &shape, &no_chain);
    struct data_config cfg = {.spec = w->spec->workload.data,
                              .transform = transform,
                              .default_shape = no_default ? NULL : &shape,
                              .seed = w->spec->seed,
                              .describe_only = describe_only};
    if (set_on_error(w->spec->workload.on_error, &cfg.on_error, err))
        return -EINVAL;
    int rc = data_source_open(&cfg, &w->source, &no_source);
    if (rc && no_default && no_default != -ENODATA && strncmp(transform, "decode", 6) != 0)
        return err_set(err, no_default, "%s", no_chain.text);
    return rc ? err_set(err, rc, "%s", no_source.text) : 0;
}

int workload_open(struct workload_run *w, const struct trial_spec *spec, bool describe_only, struct err *err)
{
    *w = (struct workload_run){.spec = spec};
    int rc = open_source(w, describe_only, err);
    if (rc)
        return rc;
    w->info = data_source_info(w->source);
    rc = check_chain(w, err);
    if (!rc) {
        size_t n = (size_t)makers(w);
        w->worker = calloc(n, sizeof *w->worker);
        w->probe =
            mmap(NULL, n * sizeof *w->probe, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (w->probe == MAP_FAILED)
            w->probe = NULL;
        if (!w->worker || !w->probe)
            rc = err_set(err, -ENOMEM, "out of memory for %zu workers", n);
    }
    set_dataset(w);
    rc = rc ? rc : set_sampler(w, err);
    if (rc)
        workload_close(w);
    return rc;
}

void workload_close(struct workload_run *w)
{
    for (int i = 0; w->worker && i < makers(w); i++) {
        data_reader_close(w->worker[i].reader);
        kernel_chain_destroy(w->worker[i].chain);
    }
    free(w->worker);
    if (w->probe)
        munmap(w->probe, (size_t)makers(w) * sizeof *w->probe);
    sampler_destroy(w->inner);
    data_source_close(w->source);
    *w = (struct workload_run){0};
}

static int bind_worker(const struct workload_run *w, int id, struct err *err)
{
    const char *cpus = w->spec->setting.workers ? w->spec->worker_cpus[id] : w->spec->main_cpus;
    if (!w->spec->bound)
        return 0;
    if (is_thread_backend(w))
        return harness_affinity_bind_thread(cpus, err);
    return harness_affinity_bind(cpus, err);
}

/* Where memory cannot be bound, first touch still takes it from the node of the CPUs a worker is bound to: the record
 * says which of both it was. */
static void bind_memory(const struct workload_run *w, int id)
{
    const struct harness_policy *policy;
    const char *cpus = w->spec->setting.workers ? w->spec->worker_cpus[id] : w->spec->main_cpus;
    struct err why = {0};
    char *nodes = NULL, *note = w->probe[id].memory;
    if (!w->spec->bound || harness_policy_find(w->spec->setting.affinity, &policy, NULL) ||
        !policy->bind_memory)
        return;
    if (harness_affinity_bind_memory(cpus, &why) || harness_affinity_read_memory(&nodes, &why))
        snprintf(note, sizeof w->probe[id].memory, "first touch: %.45s", why.text);
    else
        snprintf(note, sizeof w->probe[id].memory, *nodes ? "node %.50s" : "one node%.0s", nodes);
    free(nodes);
}

int workload_init_worker(void *workload, const struct worker_info *info, struct err *err)
{
    struct workload_run *w = workload;
    int id = info ? info->id : 0;
    int rc = bind_worker(w, id, err);
    if (rc)
        return rc;
    bind_memory(w, id);
    kernel_blas_set_threads(w->spec->setting.threads); /* after binding: a new pool inherits the affinity */
    struct kernel_blas_info blas;
    kernel_blas_info(&blas);
    w->probe[id].tid = gettid();
    w->probe[id].blas_threads = blas.threads;
    rc = data_reader_open(w->source, id, makers(w), &w->worker[id].reader, err);
    if (!rc)
        rc = kernel_chain_create(w->info->transform, &w->info->shape, &w->worker[id].chain, err);
    return rc;
}
