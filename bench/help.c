/* The help of the program and of each subcommand, from the tables. */
#include <string.h>

#include "bench/command.h"

enum { WIDTH = 79, COLUMN = 14 };

static void program_help(struct text *out)
{
    text_add(out, "Usage: loaderbench COMMAND [OPTION...]\n\n");
    bench_wrap(
        out,
        "Measures what a sample costs in a data loader under a controlled number of workers, threads and "
        "placement, and says which setting is the smallest that is as good as the best.",
        0, WIDTH);
    text_add(out, "\n\nCommands:\n");
    for (size_t i = 0; i < bench_ncommands; i++) {
        if (bench_commands[i]->hidden)
            continue;
        text_addf(out, "  %s", bench_commands[i]->name);
        text_pad_to(out, COLUMN);
        bench_wrap(out, bench_commands[i]->summary, COLUMN, WIDTH);
        text_add(out, "\n");
    }
    text_add(out, "  help        this text, or that of a command (help COMMAND, COMMAND --help)\n");
    text_add(out, "\nOptions:\n  -V, --version  the version\n  -h, --help     this text\n");
    text_add(out, "\nExit status: 0 done, 1 regression, 2 wrong usage, 3 inconclusive, 4 unfit\n"
                  "machine or not comparable, 5 failed, 124 time-out, 130 interrupted.\n");
}

static void command_help(const struct bench_command *c, struct text *out)
{
    text_addf(out, "Usage: loaderbench %s [OPTION...]%s%s\n\n", c->name, c->operands ? " " : "",
              c->operands ? c->operands : "");
    bench_wrap(out, c->summary, 0, WIDTH);
    text_add(out, strchr(c->summary, '?') ? "\n" : ".\n");
    if (c->details) {
        text_add(out, "\n");
        bench_wrap(out, c->details, 0, WIDTH);
        text_add(out, "\n");
    }
    text_add(out, "\n");
    bench_options_help(c->options, out);
}

void bench_help(const struct bench_command *command, struct text *out)
{
    if (command)
        command_help(command, out);
    else
        program_help(out);
}
