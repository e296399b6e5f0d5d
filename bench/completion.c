/* `loaderbench completion`: the completion for bash, from the tables of all subcommands. */
#include "bench/command.h"
#include "export.h"

/* What may follow an option: its choices, its words, a file, or nothing that is known beforehand. */
static void add_argument_case(struct text *out, const struct bench_option *o)
{
    text_addf(out, "        --%s", o->name);
    if (o->letter)
        text_addf(out, "|-%c", o->letter);
    text_add(out, ") words='");
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        text_addf(out, "%s%s", i ? " " : "", o->choices[i]);
    for (const struct bench_word *w = o->words; w && w->name; w++)
        text_addf(out, "%s%s", w == o->words ? "" : " ", w->name);
    bool list = o->kind == BENCH_OPTION_INTS || o->kind == BENCH_OPTION_WORDS;
    text_addf(out, "'; files=%d; list=%d ;;\n", o->kind == BENCH_OPTION_TEXT, list);
}

static void add_command_case(struct text *out, const struct bench_command *c)
{
    text_addf(out, "    %s)\n        options='--help", c->name);
    for (size_t i = 0; i < c->options.n; i++)
        if (!c->options.item[i].hidden)
            text_addf(out, " --%s", c->options.item[i].name);
    text_addf(out, "'\n        files=%d\n        case $previous in\n", c->operands != NULL);
    for (size_t i = 0; i < c->options.n; i++)
        if (!c->options.item[i].hidden && *bench_option_argument(&c->options.item[i]))
            add_argument_case(out, &c->options.item[i]);
    text_add(out, "        *) words=$options ;;\n        esac ;;\n");
}

void bench_completion(struct text *out)
{
    text_add(out, "# Completion of loaderbench for bash.\n"
                  "_loaderbench()\n{\n"
                  "    local current=$2 previous=$3 command=${COMP_WORDS[1]} words='' options='' files=0 "
                  "list=0 head=''\n"
                  "    COMPREPLY=()\n"
                  "    # bash parts --name=value at the '='.\n"
                  "    if [ \"$current\" = = ]; then\n"
                  "        current=''\n"
                  "    elif [ \"$previous\" = = ]; then\n"
                  "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                  "    fi\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 "
                  "]; }; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < bench_ncommands; i++)
        if (!bench_commands[i]->hidden)
            text_addf(out, "%s ", bench_commands[i]->name);
    text_add(out, "help --help --version' -- \"$current\")\n        return\n    fi\n"
                  "    case $command in\n");
    for (size_t i = 0; i < bench_ncommands; i++)
        if (!bench_commands[i]->hidden)
            add_command_case(out, bench_commands[i]);
    text_add(out, "    esac\n"
                  "    # In a list it is the last word that is completed.\n"
                  "    if [ \"$list\" = 1 ] && [[ $current = *,* ]]; then\n"
                  "        head=${current%,*},\n"
                  "        current=${current##*,}\n"
                  "    fi\n"
                  "    mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"$current\")\n"
                  "    if [ \"$files\" = 1 ] && [ \"${#COMPREPLY[@]}\" -eq 0 ]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                  "    fi\n}\n"
                  "complete -o filenames -F _loaderbench loaderbench\n");
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    (void)settings;
    struct text out = {0};
    bench_completion(&out);
    return export_print_take(&out, io->out, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_completion = {
    .name = "completion",
    .summary = "The completion for bash",
    .hidden = true,
    .run = run,
};
