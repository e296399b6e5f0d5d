/* From a command line to a subcommand and its exit code. */
#include "bench/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "export.h"
#include "files.h"

#define COMMAND(name) extern const struct bench_command command_##name;
#include "commands.inc"
#undef COMMAND

const struct bench_command *const bench_commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.inc"
#undef COMMAND
};

const size_t bench_ncommands = sizeof bench_commands / sizeof *bench_commands;

const char bench_version[] = LB_VERSION;

const struct bench_command *bench_command_find(const char *name)
{
    for (size_t i = 0; i < bench_ncommands; i++)
        if (!strcmp(bench_commands[i]->name, name))
            return bench_commands[i];
    return NULL;
}

static int unknown_command(const char *name, struct err *err)
{
    const char *names[BENCH_OPTIONS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < bench_ncommands && n < BENCH_OPTIONS_MAX - 1; i++)
        if (!bench_commands[i]->hidden)
            names[n++] = bench_commands[i]->name;
    names[n++] = "help";
    int near = name_nearest(name, names, n);
    if (near >= 0)
        return err_set(err, -EINVAL, "unknown command '%s' (did you mean '%s'?)", name, names[near]);
    return err_set(err, -EINVAL, "unknown command '%s' ('loaderbench help' lists them)", name);
}

static int check_operands(const struct bench_command *c, const struct bench_parsed *parsed, struct err *err)
{
    size_t most = c->operands ? c->operands_max : 0;
    if (parsed->noperands > most)
        return err_set(err, -EINVAL, "unexpected '%s'", parsed->operands[most]);
    if (c->operands && parsed->noperands < c->operands_min)
        return err_set(err, -EINVAL, "%s is missing", c->operands);
    return 0;
}

static int print_help(const struct bench_command *c, FILE *out, struct err *err)
{
    struct text help = {0};
    bench_help(c, &help);
    return export_print_take(&help, out, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

static int run_with_settings(const struct bench_command *c, void *settings, int argc, char **argv,
                             struct bench_io *io, struct err *err)
{
    struct bench_parsed parsed;
    /* Parsing moves words about; the record gets the line as it was typed. */
    char **words = calloc((size_t)argc + 1, sizeof *words);
    if (!words || bench_options_init(c->options, settings, err)) {
        free(words);
        err_set(err, -ENOMEM, "out of memory");
        return BENCH_EXIT_FAILED;
    }
    memcpy(words, argv, (size_t)argc * sizeof *words);
    int code = BENCH_EXIT_USAGE;
    if (!bench_options_parse(c->options, argc - 1, words + 1, settings, &parsed, err)) {
        io->parsed = &parsed;
        if (parsed.help)
            code = print_help(c, io->out, err);
        else if (!check_operands(c, &parsed, err) && !files_check(c, settings, &parsed, err))
            code = c->run(settings, io, err);
    }
    free(words);
    return code;
}

static int run_command(const struct bench_command *c, int argc, char **argv, FILE *out, FILE *err_out,
                       struct err *err)
{
    struct bench_io io = {
        .out = out, .err = err_out, .command = c, .argc = argc, .argv = argv, .stop = bench_stop_flag()};
    void *settings = calloc(1, c->settings_size ? c->settings_size : 1);
    if (!settings) {
        err_set(err, -ENOMEM, "out of memory");
        return BENCH_EXIT_FAILED;
    }
    int code = run_with_settings(c, settings, argc, argv, &io, err);
    bench_options_fini(c->options, settings);
    free(settings);
    return code;
}

static int help_command(int argc, char **argv, FILE *out, struct err *err)
{
    if (argc > 3) {
        err_set(err, -EINVAL, "help: unexpected '%s'", argv[3]);
        return BENCH_EXIT_USAGE;
    }
    const struct bench_command *c = argc == 3 ? bench_command_find(argv[2]) : NULL;
    if (argc == 3 && !c) {
        unknown_command(argv[2], err);
        return BENCH_EXIT_USAGE;
    }
    return print_help(c, out, err);
}

static int find_and_run(int argc, char **argv, FILE *out, FILE *err_out, struct err *err)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        err_set(err, -EINVAL, "a command is missing ('loaderbench help' lists them)");
        return BENCH_EXIT_USAGE;
    }
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        fprintf(out, "loaderbench %s\n", bench_version);
        return BENCH_EXIT_DONE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return help_command(argc, argv, out, err);
    const struct bench_command *c = bench_command_find(word);
    if (c)
        return run_command(c, argc, argv, out, err_out, err);
    if (word[0] == '-')
        err_set(err, -EINVAL, "unknown option '%s' before a command ('loaderbench help' lists them)", word);
    else
        unknown_command(word, err);
    return BENCH_EXIT_USAGE;
}

/* Output that never reached its file is a failure, whatever the subcommand thought. A reader who left early
 * (| head) knows it himself: no line for him. */
static int close_output(FILE *out, int code, struct err *err)
{
    if (!fflush(out) && !ferror(out))
        return code;
    if (errno != EPIPE)
        err_set_errno(err, errno ? -errno : -EIO, "standard output could not be written");
    return code == BENCH_EXIT_DONE ? BENCH_EXIT_FAILED : code;
}

int bench_dispatch(int argc, char **argv, FILE *out, FILE *err_out)
{
    struct err err = {0};
    int code = find_and_run(argc, argv, out, err_out, &err);
    errno = 0;
    code = close_output(out, code, &err);
    if (!err.code)
        return code;
    const struct bench_command *c = argc > 1 ? bench_command_find(argv[1]) : NULL;
    fprintf(err_out, "loaderbench%s%s: %s\n", c ? " " : "", c ? c->name : "", err.text);
    return code == BENCH_EXIT_DONE ? BENCH_EXIT_FAILED : code;
}
