/* The log of a trace and its two forms, table and JSON. */
#include "trace_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element behind n; doubles. */
static bool grow(void **array, size_t n, size_t size)
{
    if (n & (n - 1) || (n == 0 && *array))
        return true; /* between two powers of two there is room */
    void *more = realloc(*array, (n ? 2 * n : 1) * size);
    if (!more)
        return false;
    *array = more;
    return true;
}

void trace_log_begin_epoch(struct trace_log *log)
{
    log->failed = log->failed || !grow((void **)&log->epoch, log->nepochs, sizeof *log->epoch);
    if (!log->failed)
        log->epoch[log->nepochs++] = (struct trace_epoch){.first = log->nbatches};
}

void trace_log_add(struct trace_log *log, const struct batch *b)
{
    log->failed = log->failed || !grow((void **)&log->batch, log->nbatches, sizeof *log->batch);
    if (log->failed)
        return;
    log->batch[log->nbatches++] =
        (struct trace_batch){b->worker, b->number, b->worker_seed, b->samples, log->nsamples};
    log->epoch[log->nepochs - 1].n++;
    for (int64_t i = 0; i < b->samples; i++) {
        log->failed = log->failed || !grow((void **)&log->sample, log->nsamples, sizeof *log->sample);
        if (log->failed)
            return;
        memcpy(&log->sample[log->nsamples++], b->data + b->offset[i], sizeof *log->sample);
    }
}

void trace_log_fini(struct trace_log *log)
{
    free(log->epoch);
    free(log->batch);
    free(log->sample);
    *log = (struct trace_log){0};
}

static void add_batch(const struct trace_log *log, const struct trace_batch *b, struct text *out)
{
    text_addf(out, "{\"worker\": %d, \"worker_seed\": %" PRId64 ", \"samples\": [", b->worker,
              b->worker_seed);
    for (int64_t i = 0; i < b->samples; i++)
        text_addf(out, "%s%" PRId64, i ? ", " : "", log->sample[b->at + (size_t)i].value);
    text_add(out, "], \"rand_f32_hex\": [");
    for (int64_t i = 0; i < b->samples; i++) {
        uint32_t bits;
        memcpy(&bits, &log->sample[b->at + (size_t)i].rand, sizeof bits);
        text_addf(out, "%s\"%08" PRIx32 "\"", i ? ", " : "", bits);
    }
    text_add(out, "]}");
}

void trace_write_json(const struct trace_log *log, const char *generator_sha256, struct text *out)
{
    text_add(out, "{\"epochs\": [");
    for (size_t e = 0; e < log->nepochs; e++) {
        text_add(out, e ? ", [" : "[");
        for (size_t b = 0; b < log->epoch[e].n; b++) {
            text_add(out, b ? ", " : "");
            add_batch(log, &log->batch[log->epoch[e].first + b], out);
        }
        text_add(out, "]");
    }
    text_addf(out, "], \"generator_state_sha256\": \"%s\"}\n", generator_sha256);
}

/* Samples of a batch as "0 1 2", cut where the line would get too long; their first draw. */
static void add_samples(const struct trace_log *log, const struct trace_batch *b, size_t columns,
                        struct text *out)
{
    size_t start = out->len;
    for (int64_t i = 0; i < b->samples; i++) {
        if (out->len - start > columns) {
            text_addf(out, " ... (%" PRId64 ")", b->samples);
            return;
        }
        text_addf(out, "%s%" PRId64, i ? " " : "", log->sample[b->at + (size_t)i].value);
    }
}

enum { AT_WORKER = 7, AT_SAMPLES = 15, SAMPLES = 24, AT_DRAW = 44, AT_SEED = 56 };

static void add_row(const struct trace_log *log, const struct trace_batch *b, struct text *out)
{
    text_addf(out, "%5" PRId64, b->number);
    text_pad_to(out, AT_WORKER);
    if (b->worker < 0)
        text_add(out, "inline");
    else
        text_addf(out, "%6d", b->worker);
    text_pad_to(out, AT_SAMPLES);
    add_samples(log, b, SAMPLES - 8, out);
    text_pad_to(out, AT_DRAW);
    text_addf(out, "%.6f", (double)log->sample[b->at].rand);
    text_pad_to(out, AT_SEED);
    if (b->worker < 0)
        text_add(out, "-");
    else
        text_addf(out, "%" PRId64, b->worker_seed);
    text_add(out, "\n");
}

void trace_write_table(const struct trace_log *log, struct text *out)
{
    for (size_t e = 0; e < log->nepochs; e++) {
        text_addf(out, "%sepoch %zu\nbatch  worker  samples", e ? "\n" : "", e + 1);
        text_pad_to(out, AT_DRAW);
        text_add(out, "first draw");
        text_pad_to(out, AT_SEED);
        text_add(out, "worker's seed\n");
        for (size_t b = 0; b < log->epoch[e].n; b++)
            add_row(log, &log->batch[log->epoch[e].first + b], out);
        if (!log->epoch[e].n)
            text_add(out, "no batch\n");
    }
}
