/* What a traced loader delivered, and what a newcomer should notice in it. */
#ifndef BENCH_TRACE_LOG_H
#define BENCH_TRACE_LOG_H

#include "base/text.h"
#include "loader/loader.h"
#include "loader/range.h"

struct trace_batch {
    int worker;
    int64_t number, worker_seed, samples;
    size_t at; /* its first sample in the log's arrays */
};

struct trace_epoch {
    size_t first, n; /* batches */
};

/* All-zero is empty; `failed` is set when memory ran out. */
struct trace_log {
    struct trace_epoch *epoch;
    struct trace_batch *batch;
    struct range_sample *sample;
    size_t nepochs, nbatches, nsamples;
    bool failed;
    bool pinned; /* the last epoch's iterator page-locked its slots */
};

void trace_log_begin_epoch(struct trace_log *log);
void trace_log_add(struct trace_log *log, const struct batch *b);
void trace_log_fini(struct trace_log *log);

/* The shape of the cases of tests/golden/loader_*.json; the hash is hex. */
void trace_write_json(const struct trace_log *log, const char *generator_sha256, struct text *out);
void trace_write_table(const struct trace_log *log, struct text *out);

/* What was run, as far as the words below the table need it. */
struct trace_about {
    const struct range_data *data;
    int workers;
    bool drop_last, persistent, pin_memory;
    bool part; /* of an epoch only: nothing is missing */
};

/* In words: samples repeated or missing and why, workers that gave nothing, equal streams, seeds over epochs. */
void trace_write_remarks(const struct trace_log *log, const struct trace_about *about, struct text *out);

#endif
