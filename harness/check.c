/* Checks before a session: the workload itself, and the memory that all arms take together. */
#include "harness/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/consumer.h"
#include "kernels/blas.h"
#include "workload.h"

/* In a child: the chain on one sample of zeros. */
static void rehearse_chain(void *arg)
{
    struct workload_run run;
    struct kernel_chain *chain;
    if (workload_open(&run, arg, true, NULL))
        return; /* the parent will say why */
    kernel_blas_set_threads(1);
    struct tensor in = {run.info->shape, calloc(1, tensor_bytes(&run.info->shape))};
    struct tensor out = {run.output, aligned_alloc(64, (tensor_bytes(&run.output) + 63) / 64 * 64)};
    struct counter_rng rng;
    counter_rng_init(&rng, 0, 0, 0);
    if (in.data && out.data && !kernel_chain_create(run.info->transform, &in.shape, &chain, NULL)) {
        kernel_chain_run(chain, &in, &out, &rng, NULL);
        kernel_chain_destroy(chain);
    }
    free(in.data);
    free(out.data);
    workload_close(&run);
}

/* A transform of the user's own is foreign code: it is tried before this process calls it. */
static int rehearse_transforms(struct trial_spec *spec, struct err *err)
{
    static const char named[] = "plugin=";
    const char *step = spec->workload.transform;
    char file[PATH_MAX];
    while (step && strncmp(step, named, sizeof named - 1) != 0)
        step = strchr(step, ',') ? strchr(step, ',') + 1 : NULL;
    if (!step)
        return 0;
    step += sizeof named - 1;
    snprintf(file, sizeof file, "%.*s", (int)strcspn(step, ":,"), step);
    return plugin_survives(file, "its transform is tried", rehearse_chain, spec, err);
}

int harness_workload_check(const struct workload *w, uint64_t seed, struct harness_workload_facts *out,
                           struct err *err)
{
    *out = (struct harness_workload_facts){0};
    struct trial_spec spec = {
        .workload = *w, .setting = {.threads = 1, .backend = (char *)"inline"}, .seed = seed};
    struct workload_run run;
    struct consumer consumer;
    int rc = consumer_parse(w->consumer, &consumer, err);
    rc = rc ? rc : rehearse_transforms(&spec, err);
    rc = rc ? rc : workload_open(&run, &spec, true, err);
    if (rc)
        return rc;
    rc = consumer_rehearse(&consumer, &run.output, w->batch_size, err);
    *out = (struct harness_workload_facts){.work_flops = run.work.flops,
                                           .work_bytes = run.work.bytes,
                                           .sample_bytes = run.dataset.sample_bytes_max,
                                           .samples = run.info->samples,
                                           .varies = run.info->varies,
                                           .in = run.info->shape,
                                           .out = run.output};
    data_source_stamp(run.source, out->files);
    workload_close(&run);
    return rc;
}

static double slots_bytes(const struct arm *a, size_t sample_bytes)
{
    double slots = (double)a->setting.workers * a->setting.prefetch_factor + 1;
    return slots * (double)a->workload.batch_size * (double)sample_bytes;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

int harness_together(const struct result *r, size_t sample_bytes, double bytes, double *need, struct err *err)
{
    double *each = calloc(r->narms + 1, sizeof *each), sum = 0;
    if (!each)
        return err_set(err, -ENOMEM, "out of memory for %zu arms", r->narms);
    for (size_t i = 0; i < r->narms; i++)
        each[i] = slots_bytes(&r->arms[i], sample_bytes);
    qsort(each, r->narms, sizeof *each, descending);
    int n = 0;
    *need = 0;
    for (size_t i = 0; i < r->narms; i++) {
        sum += each[i];
        n += sum <= bytes;
        *need = i < 2 ? sum : *need;
    }
    free(each);
    return n;
}

double harness_available_bytes(void)
{
    char line[256];
    double kib = NAN;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && isnan(kib) && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) != 1)
            kib = NAN;
    if (f)
        fclose(f);
    return kib * 1024;
}
