/* `loaderbench trial`: this program as a subject of the trial protocol. */
#include <unistd.h>

#include "bench/command.h"
#include "harness/trial.h"

/* What plug-ins and libraries print to standard output must not get between the answers. */
static int take_output(void)
{
    int own = dup(STDOUT_FILENO);
    if (own >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return own;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    (void)settings;
    (void)io;
    int out = take_output(), in = dup(STDIN_FILENO);
    if (out < 0 || in < 0) {
        err_set(err, -1, "standard input and output are needed: they carry the trial protocol");
        return BENCH_EXIT_USAGE;
    }
    return harness_trial_run(in, out, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_trial = {
    .name = "trial",
    .summary = "Be the subject of one trial: JSON lines on standard input and output",
    .details = "Started by tune, run and gate, once for each arm and invocation. The first line in is the "
               "spec, each further "
               "line a turn; the protocol's schema is results/schema/protocol.schema.json. An adapter that "
               "speaks it makes "
               "another loader a subject.",
    .run = run,
};
