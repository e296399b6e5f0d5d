/* `loaderbench doctor`: what of this machine makes loaders slow, worst first. */
#include <errno.h>
#include <string.h>

#include "bench/command.h"
#include "common_options.h"
#include "export.h"
#include "harness/doctor.h"

enum { COLUMN = 7, WIDTH = 79 };

struct doctor_settings {
    bool json, quiet;
    const char *only;
};

#define AT(member) BENCH_AT(struct doctor_settings, member)

static const struct bench_option options[] = {
    {.name = "json", .kind = BENCH_OPTION_FLAG, AT(json), .help = "findings and figures as one JSON object"},
    {.name = "check",
     .kind = BENCH_OPTION_TEXT,
     AT(only),
     .arg = "NAME",
     .help = "only this check; 'loaderbench list checks' shows them"},
    {OPTION_QUIET, AT(quiet), .help = "no progress"},
};

static void step(void *arg, const char *check)
{
    const struct bench_io *io = arg;
    fprintf(io->err, "loaderbench: looking at %s\n", check);
}

/* A text with lines of its own (a matrix) is not wrapped. */
static void add_finding(struct text *out, const struct doctor_finding *f)
{
    text_add(out, harness_doctor_level(f->level));
    text_pad_to(out, COLUMN);
    if (strchr(f->text, '\n'))
        for (const char *p = f->text; *p; p++) {
            text_add_bytes(out, p, 1);
            if (*p == '\n')
                text_sayf(out, "%*s", COLUMN, "");
        }
    else
        bench_wrap(out, f->text, COLUMN, WIDTH);
    text_add(out, "\n");
    if (f->advice) {
        text_sayf(out, "%*s-> ", COLUMN, "");
        bench_wrap(out, f->advice, COLUMN + 3, WIDTH);
        text_add(out, "\n");
    }
}

static int print(const struct doctor_report *r, bool as_json, FILE *out, struct err *err)
{
    struct text t = {0};
    int rc = 0;
    if (as_json)
        rc = export_json_take(&t, harness_doctor_json(r), JSON_INDENT(2) | JSON_REAL_PRECISION(6), err);
    for (size_t i = 0; !as_json && i < r->n; i++)
        add_finding(&t, &r->item[i]);
    int printed = export_print_take(&t, out, err);
    return rc ? rc : printed;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct doctor_settings *s = settings;
    struct doctor_config cfg = {.program = "/proc/self/exe",
                                .root = "",
                                .only = s->only,
                                .stop = io->stop,
                                .step = s->quiet ? NULL : step,
                                .arg = (void *)io};
    struct doctor_report report;
    int rc = harness_doctor(&cfg, &report, err);
    if (rc)
        return rc == -EINTR ? BENCH_EXIT_INTERRUPTED : rc == -EINVAL ? BENCH_EXIT_USAGE : BENCH_EXIT_FAILED;
    rc = print(&report, s->json, io->out, err);
    harness_doctor_fini(&report);
    return rc ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_doctor = {
    .name = "doctor",
    .summary = "What of this machine makes loaders slow, worst first, and what to do",
    .details = "Looks and measures for some 10 seconds: how many CPUs there really are, memory bandwidth, "
               "the cost of "
               "a hand-off, the clock, the BLAS's kernels and its pool of threads, variables that override "
               "placement, "
               "limits. It reads only: no setting of the machine is changed.",
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct doctor_settings),
    .run = run,
};
