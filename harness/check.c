/* Checks before a session: the workload itself, and the memory that all arms take together. */
#include "harness/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/consumer.h"
#include "workload.h"

int harness_workload_check(const struct workload *w, uint64_t seed, struct harness_workload_facts *out,
                           struct err *err)
{
    *out = (struct harness_workload_facts){0};
    struct trial_spec spec = {
        .workload = *w, .setting = {.threads = 1, .backend = (char *)"inline"}, .seed = seed};
    struct workload_run run;
    struct consumer consumer;
    int rc = consumer_parse(w->consumer, &consumer, err);
    rc = rc ? rc : workload_open(&run, &spec, err);
    if (rc)
        return rc;
    rc = consumer_rehearse(&consumer, &run.output, w->batch_size, err);
    *out = (struct harness_workload_facts){.work_flops = run.work.flops,
                                           .work_bytes = run.work.bytes,
                                           .sample_bytes = run.dataset.sample_bytes_max,
                                           .samples = run.info->samples,
                                           .in = run.info->shape,
                                           .out = run.output};
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
