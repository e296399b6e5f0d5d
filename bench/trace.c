/* `loaderbench trace`: which worker makes which batch, with which seed, and what goes wrong with it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command.h"
#include "common_options.h"
#include "export.h"
#include "loader/generator.h"
#include "loader/state.h"
#include "trace_log.h"

struct trace_settings {
    const char *data, *save_generator, *load_generator, *save_state, *load_state;
    int64_t batch_size, workers, prefetch, seed, epochs, stop_after;
    bool shuffle, drop_last, persistent, json, pin_memory;
    int backend, in_order;
};

static const char *const backends[] = {"process", "thread", NULL};
static const char *const yes_or_no[] = {"yes", "no", "true", "false", NULL}; /* odd ones say no */

#define AT(member) BENCH_AT(struct trace_settings, member)

static const struct bench_option options[] = {
    {.name = "data",
     .letter = 'd',
     .kind = BENCH_OPTION_TEXT,
     AT(data),
     .initial = "range-map:8",
     .arg = "RANGE",
     .help = "range-map:N, or range-iter:START:END:SHARD with SHARD none, stride or contiguous"},
    {OPTION_BATCH_SIZE, AT(batch_size), .max = 1 << 20, .help = "samples a batch"},
    {.name = "workers",
     .kind = BENCH_OPTION_INT,
     AT(workers),
     .max = WORKERS_MOST,
     .min = 0,
     .initial = "0",
     .help = "workers; 0 loads in the main process"},
    {.name = "shuffle", .kind = BENCH_OPTION_FLAG, AT(shuffle), .help = "visit a range-map in random order"},
    {.name = "drop-last",
     .kind = BENCH_OPTION_FLAG,
     AT(drop_last),
     .help = "drop a last batch that is short (a stream: of each worker)"},
    {.name = "persistent-workers",
     .kind = BENCH_OPTION_FLAG,
     AT(persistent),
     .help = "keep the workers from epoch to epoch"},
    {.name = "prefetch-factor",
     .kind = BENCH_OPTION_INT,
     AT(prefetch),
     .min = 0,
     .max = 4096,
     .initial = "0",
     .help = "batches under way for each worker; 0 = 2 with workers"},
    {OPTION_SEED_OWN_HELP, AT(seed), .letter = 's', .help = "seed of the generator and of the main process"},
    {.name = "epochs",
     .letter = 'e',
     .kind = BENCH_OPTION_INT,
     AT(epochs),
     .min = 1,
     .max = 1000,
     .initial = "1",
     .help = "epochs one after the other"},
    {.name = "backend",
     .kind = BENCH_OPTION_CHOICE,
     AT(backend),
     .choices = backends,
     .initial = "process",
     .help = "what workers are"},
    {.name = "in-order",
     .kind = BENCH_OPTION_CHOICE,
     AT(in_order),
     .choices = yes_or_no,
     .initial = "yes",
     .help = "deliver batches in the sampler's order, or as they get ready"},
    {.name = "pin-memory",
     .kind = BENCH_OPTION_FLAG,
     AT(pin_memory),
     .help = "page-lock the batches for an accelerator"},
    {.name = "json",
     .letter = 'j',
     .kind = BENCH_OPTION_FLAG,
     AT(json),
     .help = "print JSON instead of the table"},
    {.name = "save-generator",
     .kind = BENCH_OPTION_TEXT,
     AT(save_generator),
     .arg = "FILE",
     .file = BENCH_FILE_WRITTEN,
     .renews = "load-generator",
     .help = "write the generator's state after the last epoch: the 5,056 bytes of PyTorch's get_state()"},
    {.name = "load-generator",
     .kind = BENCH_OPTION_TEXT,
     AT(load_generator),
     .arg = "FILE",
     .file = BENCH_FILE_READ,
     .help = "start from such a state instead of the seed"},
    {.name = "stop-after",
     .kind = BENCH_OPTION_INT,
     AT(stop_after),
     .max = 1e9,
     .initial = "0",
     .arg = "BATCHES",
     .help = "stop in the middle of an epoch, after so many batches of it; 0 = run it to its end"},
    {.name = "save-state",
     .kind = BENCH_OPTION_TEXT,
     AT(save_state),
     .arg = "FILE",
     .file = BENCH_FILE_WRITTEN,
     .renews = "load-state",
     .help = "write where the loader stands at the end, for --load-state"},
    {.name = "load-state",
     .kind = BENCH_OPTION_TEXT,
     AT(load_state),
     .arg = "FILE",
     .file = BENCH_FILE_READ,
     .help = "go on where a run with --save-state stood"},
};

/* Reads a whole file of at most max bytes. Owner: the caller frees *out, which ends in a zero byte. */
static int read_file(const char *path, size_t max, char **out, size_t *n, struct err *err)
{
    *n = 0;
    *out = malloc(max + 2);
    int fd = *out ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return err_set_errno(err, *out ? -errno : -ENOMEM, "cannot open '%s'", path);
    ssize_t got = 1;
    while (got > 0 && *n <= max) {
        got = read(fd, *out + *n, max + 1 - *n);
        *n += got > 0 ? (size_t)got : 0;
    }
    int rc = got < 0 ? err_set_errno(err, -errno, "cannot read '%s'", path) : 0;
    close(fd);
    (*out)[*n] = '\0';
    return !rc && *n > max ? err_set(err, -EINVAL, "'%s' has more than %zu bytes", path, max) : rc;
}

static int write_file(const char *path, const void *bytes, size_t n, struct err *err)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return err_set_errno(err, -errno, "cannot write '%s'", path);
    size_t written = fwrite(bytes, 1, n, f);
    if (fclose(f) || written != n)
        return err_set_errno(err, errno ? -errno : -EIO, "cannot write '%s'", path);
    return 0;
}

static int load_generator(const char *path, struct generator *g, struct err *err)
{
    char *bytes;
    size_t n;
    int rc = read_file(path, GENERATOR_STATE_BYTES, &bytes, &n, err);
    if (!rc && (rc = generator_load(g, (unsigned char *)bytes, n, err)))
        err_prefix(err, "'%s'", path);
    free(bytes);
    if (rc)
        err_prefix(err, "--load-generator");
    return rc;
}

static int load_state(const char *path, struct loader *l, struct err *err)
{
    enum { MOST_BYTES = 1 << 24 };
    char *text;
    size_t n;
    int rc = read_file(path, MOST_BYTES, &text, &n, err);
    if (!rc && (rc = loader_restore(l, text, err)))
        err_prefix(err, "'%s'", path);
    free(text);
    if (rc)
        err_prefix(err, "--load-state");
    return rc;
}

/* In the middle of an epoch (it), or after it (it NULL). */
static int save_state(const char *path, struct loader *l, struct loader_iter *it, struct err *err)
{
    char *text;
    int rc = it ? loader_iter_save(it, &text, err) : loader_save(l, &text, err);
    if (!rc)
        rc = write_file(path, text, strlen(text), err);
    free(text);
    return rc;
}

/* 0: the epoch's end, or stop_after batches. */
static int trace_batches(struct loader_iter *it, const struct trace_settings *s, struct trace_log *log,
                         const struct bench_io *io, struct err *err)
{
    const struct batch *b;
    int rc = 0;
    for (int64_t n = 0; !rc && !(s->stop_after && n == s->stop_after); n++) {
        rc = loader_next(it, &b, err);
        if (rc)
            return rc == -ENODATA ? 0 : rc;
        trace_log_add(log, b);
        loader_release(it, b);
        if (log->failed)
            rc = err_set(err, -ENOMEM, "no memory for a trace so long");
        else if (*io->stop)
            rc = err_set(err, -EINTR, "interrupted");
    }
    return rc;
}

static int trace_epoch(struct loader *l, const struct trace_settings *s, struct trace_log *log,
                       const struct bench_io *io, struct err *err)
{
    struct loader_iter *it;
    int rc = loader_iter_open(l, &it, err);
    if (rc)
        return rc;
    trace_log_begin_epoch(log);
    log->pinned = loader_iter_pin_memory(it);
    rc = trace_batches(it, s, log, io, err);
    if (!rc && s->stop_after && s->save_state)
        rc = save_state(s->save_state, l, it, err);
    loader_iter_close(it);
    return rc;
}

static int trace_epochs(struct loader *l, const struct trace_settings *s, struct trace_log *log,
                        const struct bench_io *io, struct err *err)
{
    int rc = 0;
    for (int64_t e = 0; !rc && e < s->epochs; e++)
        rc = trace_epoch(l, s, log, io, err);
    return !rc && s->save_state && !s->stop_after ? save_state(s->save_state, l, NULL, err) : rc;
}

static void tell_warning(void *arg, const char *text)
{
    export_sayf(arg, "loaderbench: %s\n", text);
}

static int print(const struct trace_settings *s, const struct trace_log *log, const struct range_data *data,
                 const struct generator *g, const struct bench_io *io, struct err *err)
{
    unsigned char state[GENERATOR_STATE_BYTES];
    char hex[SHA256_DIGEST_STRING_LENGTH];
    struct text out = {0};
    generator_save(g, state);
    int rc = s->save_generator ? write_file(s->save_generator, state, sizeof state, err) : 0;
    if (rc)
        return rc;
    if (s->json) {
        trace_write_json(log, SHA256Data(state, sizeof state, hex), &out);
    } else {
        struct trace_about about = {data,          (int)s->workers, s->drop_last,
                                    s->persistent, s->pin_memory,   s->stop_after || s->load_state};
        trace_write_table(log, &out);
        trace_write_remarks(log, &about, &out);
    }
    if (out.failed)
        rc = err_set(err, -ENOMEM, "no memory for a trace so long");
    else
        fwrite(text_get(&out), 1, out.len, io->out);
    text_fini(&out);
    return rc;
}

/* prefetch 2 without workers is what the option means by itself, so it is no contradiction. */
static int prefetch_of(const struct trace_settings *s)
{
    return !s->workers && s->prefetch == 2 ? 0 : (int)s->prefetch;
}

static int trace(const struct trace_settings *s, const struct range_data *data, const struct bench_io *io,
                 struct err *err)
{
    struct generator g;
    struct loader *l = NULL;
    struct trace_log log = {0};
    struct loader_config cfg = {.dataset = &data->dataset,
                                .num_workers = (int)s->workers,
                                .batch_size = s->batch_size,
                                .shuffle = s->shuffle,
                                .drop_last = s->drop_last,
                                .generator = &g,
                                .seed = (uint64_t)s->seed,
                                .prefetch_factor = prefetch_of(s),
                                .persistent_workers = s->persistent,
                                .out_of_order = s->in_order % 2,
                                .pin_memory = s->pin_memory,
                                .backend = s->backend ? LOADER_BACKEND_THREAD : LOADER_BACKEND_PROCESS,
                                .warn = tell_warning,
                                .warn_arg = io->err};
    generator_seed(&g, cfg.seed);
    int rc = s->load_generator ? load_generator(s->load_generator, &g, err) : 0;
    if (!rc)
        rc = loader_create(&cfg, &l, err);
    if (!rc && s->load_state)
        rc = load_state(s->load_state, l, err);
    int usage = rc;
    if (!rc)
        rc = trace_epochs(l, s, &log, io, err);
    if (!rc)
        rc = print(s, &log, data, &g, io, err);
    loader_destroy(l);
    trace_log_fini(&log);
    return usage          ? BENCH_EXIT_USAGE
           : rc == -EINTR ? BENCH_EXIT_INTERRUPTED
           : rc           ? BENCH_EXIT_FAILED
                          : BENCH_EXIT_DONE;
}

static int run_trace(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct trace_settings *s = settings;
    struct range_data data;
    if (range_data_init(&data, s->data, err)) {
        err_prefix(err, "--data");
        return BENCH_EXIT_USAGE;
    }
    return trace(s, &data, io, err);
}

const struct bench_command command_trace = {
    .name = "trace",
    .summary = "Show what a loader does: which worker makes which batch, with which seed",
    .details =
        "Runs a loader over a range of numbers and prints each batch in the order delivered: who made it, "
        "its "
        "samples, the first number drawn for it, and the worker's seed. Below that it says what a newcomer "
        "gets wrong: samples that come twice or never, workers that gave nothing, seeds.\n\n"
        "Orders, seeds and draws are those of PyTorch's DataLoader with the same settings, bit for bit. With "
        "--json the output has the shape of the recorded runs in tests/golden.",
    .options = {options, sizeof options / sizeof *options},
    .settings_size = sizeof(struct trace_settings),
    .run = run_trace,
};
