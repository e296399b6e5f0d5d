/* What a newcomer gets wrong, said in words below a trace's table. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/option.h"
#include "trace_log.h"

enum { INDENT = 2, WIDTH = 79 };

static void remark(struct text *out, const struct text *words)
{
    text_add(out, "- ");
    bench_wrap(out, text_get(words), INDENT, WIDTH);
    text_add(out, "\n");
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Over one epoch: how many of the dataset's samples came more than once, or never, and how often at most. */
struct tally {
    int64_t repeated, missing, most, delivered, total;
};

static struct tally tally_epoch(const struct trace_log *log, const struct trace_epoch *e,
                                const struct range_data *data)
{
    struct tally t = {.total = data->end - data->start};
    for (size_t b = 0; b < e->n; b++)
        t.delivered += log->batch[e->first + b].samples;
    int64_t *value = calloc((size_t)t.delivered + 1, sizeof *value), n = 0, distinct = 0;
    if (!value)
        return t;
    for (size_t b = 0; b < e->n; b++)
        for (int64_t i = 0; i < log->batch[e->first + b].samples; i++)
            value[n++] = log->sample[log->batch[e->first + b].at + (size_t)i].value;
    qsort(value, (size_t)n, sizeof *value, compare_values);
    for (int64_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && value[i + run] == value[i];)
            run++;
        distinct++;
        t.repeated += run > 1;
        t.most = run > t.most ? run : t.most;
    }
    t.missing = t.total - distinct;
    free(value);
    return t;
}

static void remark_on_repeats(const struct tally *t, const struct trace_about *about, struct text *out)
{
    struct text words = {0};
    if (!t->repeated)
        return;
    text_sayf(&words,
              "%" PRId64 " of %" PRId64 " samples came up to %" PRId64 " times in an epoch: ", t->repeated,
              t->total, t->most);
    text_sayf(
        &words,
        "the stream is not sharded, so each of the %d workers yields all of it. Let each worker take its "
        "share: range-iter:%" PRId64 ":%" PRId64 ":stride or range-iter:%" PRId64 ":%" PRId64 ":contiguous.",
        about->workers, about->data->start, about->data->end, about->data->start, about->data->end);
    remark(out, &words);
    text_fini(&words);
}

static void remark_on_missing(const struct tally *t, const struct trace_about *about, struct text *out)
{
    struct text words = {0};
    if (!t->missing || about->part)
        return;
    text_sayf(&words, "%" PRId64 " of %" PRId64 " samples never came in an epoch: ", t->missing, t->total);
    if (about->data->stream && about->workers > 1)
        text_add(&words,
                 "with drop_last each worker drops the short tail of its own share, so up to a batch less "
                 "one sample is lost for each worker.");
    else
        text_add(&words, "drop_last drops the last batch, which is short.");
    remark(out, &words);
    text_fini(&words);
}

/* What each worker gave in one epoch; [max(workers, 1)], the caller frees it. NULL when memory ran out. */
struct share {
    int64_t batches, seed;
};

static struct share *shares_of(const struct trace_log *log, const struct trace_epoch *e, int workers)
{
    struct share *share = calloc((size_t)workers + 1, sizeof *share);
    for (size_t i = 0; share && i < e->n; i++) {
        const struct trace_batch *b = &log->batch[e->first + i];
        if (b->worker < 0 || b->worker >= workers)
            continue;
        share[b->worker].batches++;
        share[b->worker].seed = b->worker_seed;
    }
    return share;
}

static void remark_on_idle(const struct share *share, const struct trace_about *about, struct text *out)
{
    struct text words = {0}, list = {0};
    int idle = 0;
    for (int w = 0; w < about->workers; w++)
        if (!share[w].batches)
            text_sayf(&list, "%s%d", idle++ ? ", " : "", w);
    if (!idle || about->part) {
        text_fini(&list);
        return;
    }
    text_sayf(&words, "Worker%s %s gave no batch in the first epoch: ", idle > 1 ? "s" : "", text_get(&list));
    text_fini(&list);
    if (about->data->stream && about->drop_last)
        text_add(&words, "the share is empty, or smaller than a batch and dropped.");
    else if (about->data->stream)
        text_add(&words, "the share is empty.");
    else
        text_add(
            &words,
            "there are fewer batches than workers, and batch i is made by worker i modulo their number.");
    remark(out, &words);
    text_fini(&words);
}

/* Two workers of one epoch whose streams are the same: the generator uses the low 32 bits of the seed only. */
static bool find_equal_streams(const struct share *share, int workers, int *a, int *b)
{
    for (*a = 0; *a < workers; ++*a)
        for (*b = *a + 1; *b < workers; ++*b)
            if (share[*a].batches && share[*b].batches &&
                (uint32_t)share[*a].seed == (uint32_t)share[*b].seed)
                return true;
    return false;
}

static void remark_on_equal_streams(const struct share *share, const struct trace_about *about,
                                    struct text *out)
{
    struct text words = {0};
    int a, b;
    if (!find_equal_streams(share, about->workers, &a, &b))
        return;
    text_sayf(&words,
              "Workers %d and %d draw the same numbers: only the low 32 bits of a seed decide, and theirs "
              "are equal.",
              a, b);
    remark(out, &words);
    text_fini(&words);
}

static void remark_on_seeds(const struct trace_about *about, size_t epochs, struct text *out)
{
    struct text words = {0};
    if (!about->workers)
        return;
    text_sayf(&words,
              "Another number of workers %s: each worker has streams of its own, seeded base seed + worker.",
              about->data->stream ? "changes the order and the draws"
                                  : "leaves the order as it is, but changes the draws");
    if (epochs > 1)
        text_add(&words,
                 about->persistent
                     ? " Persistent workers are not seeded anew: their streams go on from epoch to epoch."
                     : " Every epoch draws a new base seed and starts new workers.");
    remark(out, &words);
    text_fini(&words);
}

void trace_write_remarks(const struct trace_log *log, const struct trace_about *about, struct text *out)
{
    if (!log->nepochs)
        return;
    struct tally first = tally_epoch(log, &log->epoch[0], about->data);
    text_add(out, "\n");
    remark_on_repeats(&first, about, out);
    remark_on_missing(&first, about, out);
    struct share *share = shares_of(log, &log->epoch[0], about->workers);
    if (share) {
        remark_on_idle(share, about, out);
        remark_on_equal_streams(share, about, out);
    }
    free(share);
    remark_on_seeds(about, log->nepochs, out);
    if (about->pin_memory)
        text_sayf(out, "- pin_memory of the loader: true; of its iterator: %s.\n",
                  log->pinned ? "true" : "false");
    if (!first.repeated && !first.missing)
        text_sayf(out, "- Each of the %" PRId64 " samples came once in each epoch.\n", first.total);
}
