/* `loaderbench probe`: the child that loads the BLAS afresh, for doctor. */
#include <stdio.h>
#include <stdlib.h>

#include "base/unit.h"
#include "bench/command.h"
#include "common_options.h"
#include "harness/probe.h"

static int read_request(const struct bench_parsed *p, struct probe_request *out, struct err *err)
{
    int64_t threads = 1, size = 768;
    char *const *word = p->operands;
    int rc = p->noperands > 0 ? unit_parse_int("THREADS", word[0], 1, THREADS_MOST, &threads, err) : 0;
    rc = !rc && p->noperands > 1 ? unit_parse_int("SIZE", word[1], 1, 8192, &size, err) : rc;
    rc = !rc && p->noperands > 2 ? unit_parse_real("WORK_NS", word[2], 1, 1e10, &out->work_ns, err) : rc;
    out->threads = (int)threads;
    out->size = (int)size;
    return rc;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    (void)settings;
    struct probe_request request = {0};
    struct probe found;
    if (read_request(io->parsed, &request, err))
        return BENCH_EXIT_USAGE;
    int rc = harness_probe_self(&request, &found, err);
    char *line = rc ? NULL : harness_probe_line(&found);
    if (line)
        fprintf(io->out, "%s\n", line);
    free(line);
    harness_probe_fini(&found);
    return line ? BENCH_EXIT_DONE : BENCH_EXIT_FAILED;
}

const struct bench_command command_probe = {
    .name = "probe",
    .summary = "Says in one line what the BLAS does in a fresh process",
    .details =
        "Started by doctor, with the environment variables it tries: what a BLAS decides while it is loaded "
        "can only be seen in another process.",
    .operands = "[THREADS [SIZE [WORK_NS]]]",
    .operands_max = 3,
    .hidden = true,
    .run = run,
};
