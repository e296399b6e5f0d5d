/* `loaderbench verify`: does the BLAS on this machine compute what it should? Every kernel against its plain reference,
 * with one thread and with all. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench/command.h"
#include "common_options.h"
#include "kernels/blas.h"
#include "kernels/verify.h"

enum { COLUMN_SHAPES = 14, COLUMN_ERROR = 23, COLUMN_VERDICT = 34 };

struct verify_settings {
    int64_t seed, rounds, threads;
};

static const struct bench_word all_threads[] = {{"all", 0}, {NULL, 0}};

#define AT(member) BENCH_AT(struct verify_settings, member)

static const struct bench_option options[] = {
    {OPTION_SEED_OWN_HELP, AT(seed), .letter = 's', .help = "draws the random shapes and values"},
    {"rounds", 'r', BENCH_OPTION_INT, AT(rounds), .min = 1, .max = 10000, .initial = "8",
     .help = "how often each case with random sizes is run"},
    {"threads", 't', BENCH_OPTION_INT, AT(threads), .min = 1, .max = THREADS_MOST, .words = all_threads,
     .initial = "all", .help = "threads of the BLAS, besides a first run with one"},
};

static void add_heading(struct text *out)
{
    struct kernel_blas_info blas;
    kernel_blas_info(&blas);
    text_sayf(out, "%s\nkernels for %s, %s threads: %d\n\nkernel", blas.config, blas.core, blas.threading,
              blas.threads);
    text_pad_to(out, COLUMN_SHAPES);
    text_add(out, "shapes");
    text_pad_to(out, COLUMN_ERROR);
    text_add(out, "of bound");
    text_pad_to(out, COLUMN_VERDICT);
    text_add(out, "verdict\n");
}

static void add_row(struct text *out, const struct kernel_verdict *v)
{
    text_add(out, v->kernel);
    text_pad_to(out, COLUMN_SHAPES);
    text_sayf(out, "%6d", v->shapes);
    text_pad_to(out, COLUMN_ERROR);
    if (isfinite(v->ratio))
        text_sayf(out, "%6.1f %%", v->ratio * 100);
    else
        text_add(out, "     inf");
    text_pad_to(out, COLUMN_VERDICT);
    text_sayf(out, "%s\n", v->wrong ? "WRONG" : "ok");
    if (v->wrong)
        text_sayf(out, "  %s (error %.3g, bound %.3g)\n", v->where, v->error, v->tolerance);
}

/* With one thread, then with `threads`; the worse of the two. */
static int verify_both(const struct kernel *k, const struct verify_settings *set, int threads,
                       struct kernel_verdict *worst, struct err *err)
{
    struct kernel_verify_options opt = {.seed = (uint64_t)set->seed, .rounds = (int)set->rounds};
    kernel_blas_set_threads(1);
    int rc = kernel_verify(k, &opt, worst, err);
    if (rc || threads == 1)
        return rc;
    struct kernel_verdict v;
    kernel_blas_set_threads(threads);
    rc = kernel_verify(k, &opt, &v, err);
    int shapes = worst->shapes + v.shapes;
    if (v.wrong > worst->wrong || (v.wrong == worst->wrong && v.ratio > worst->ratio))
        *worst = v;
    worst->shapes = shapes;
    return rc;
}

static int verify_one(const struct kernel *k, const struct verify_settings *set, int threads,
                      const struct bench_io *io, int *wrong, struct err *err)
{
    struct kernel_verdict v;
    int rc = verify_both(k, set, threads, &v, err);
    if (rc)
        return rc;
    struct text row = {0};
    add_row(&row, &v);
    fputs(text_get(&row), io->out);
    fflush(io->out);
    *wrong += v.wrong;
    int failed = row.failed;
    text_fini(&row);
    return failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int verify_all(const struct verify_settings *set, int threads, const struct bench_io *io, int *wrong,
                      struct err *err)
{
    int rc = 0;
    for (int i = 0; i < kernel_list_n && !rc && !*io->stop; i++) {
        bool named = io->parsed->noperands == 0;
        for (size_t j = 0; j < io->parsed->noperands; j++)
            named = named || !strcmp(io->parsed->operands[j], kernel_list[i]->name);
        if (named && kernel_list[i]->reference)
            rc = verify_one(kernel_list[i], set, threads, io, wrong, err);
    }
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct verify_settings *set = settings;
    for (size_t j = 0; j < io->parsed->noperands; j++) {
        const struct kernel *k;
        if (kernel_find(io->parsed->operands[j], &k, err))
            return BENCH_EXIT_USAGE;
        if (!k->reference) {
            err_set(err, -EINVAL, "%s has no reference to compare it with", k->name);
            return BENCH_EXIT_USAGE;
        }
    }
    int threads = set->threads ? (int)set->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    kernel_blas_set_threads(threads);
    struct text heading = {0};
    add_heading(&heading);
    fputs(text_get(&heading), io->out);
    text_fini(&heading);
    int wrong = 0;
    if (verify_all(set, threads, io, &wrong, err))
        return BENCH_EXIT_FAILED;
    if (*io->stop)
        return BENCH_EXIT_INTERRUPTED;
    if (wrong) {
        err_set(err, -EBADMSG, "%d kernel%s wrong results on this machine: measurements of them mean nothing",
                wrong, wrong == 1 ? " has" : "s have");
        return BENCH_EXIT_FAILED;
    }
    return BENCH_EXIT_DONE;
}

const struct bench_command command_verify = {
    .name = "verify",
    .summary = "Every kernel against a plain reference: does the BLAS compute right here",
    .details = "Runs each kernel on edge shapes (1, primes, not multiples of a vector) and on random ones, "
               "and compares "
               "each element with a reference in plain loops and double precision. The bound of an element "
               "follows from "
               "the rounding of its operations; the largest error is shown as a share of its bound, so up to "
               "100 % is "
               "right.\n\n"
               "Exit status 5 when a result is wrong.",
    .operands = "[KERNEL...]",
    .operands_max = 64,
    .options = {options, sizeof options / sizeof *options},
    .settings_size = sizeof(struct verify_settings),
    .run = run,
};
