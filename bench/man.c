/* `loaderbench man`: the manual page loaderbench.1, from the tables of all subcommands. */
#include <string.h>

#include "bench/command.h"
#include "export.h"

/* Text as roff takes it literally: no escape, no request at the start of a line. */
static void add_plain(struct text *out, const char *s)
{
    bool start = true;
    for (; *s; s++) {
        if (start && (*s == '.' || *s == '\''))
            text_add(out, "\\&");
        if (*s == '\\')
            text_add(out, "\\e");
        else if (*s == '-')
            text_add(out, "\\-");
        else if (*s == '\'')
            text_add(out, "\\(aq");
        else
            text_add_bytes(out, s, 1);
        start = *s == '\n';
    }
}

/* Paragraphs parted by empty lines; lines that begin with blanks are an example, set as they are. */
static void add_paragraphs(struct text *out, const char *s)
{
    bool example = false;
    while (*s) {
        size_t n = strcspn(s, "\n");
        bool indented = *s == ' ' && n;
        if (indented != example)
            text_add(out, indented ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
        example = indented;
        struct text line = {0};
        text_add_bytes(&line, s + (indented ? 2 : 0), n - (indented ? 2 : 0));
        if (n)
            add_plain(out, text_get(&line));
        text_add(out, n ? "\n" : example ? "" : ".PP\n");
        text_fini(&line);
        s += n + (s[n] == '\n');
    }
    if (example)
        text_add(out, ".fi\n.RE\n");
}

static void add_option(struct text *out, const struct bench_option *o)
{
    struct text flags = {0}, limits = {0};
    bench_option_flags(o, &flags);
    bench_option_limits(o, &limits);
    text_add(out, ".TP\n\\fB");
    add_plain(out, text_get(&flags));
    text_add(out, "\\fR");
    const char *argument = bench_option_argument(o);
    if (*argument) {
        text_add(out, " \\fI");
        add_plain(out, argument);
        text_add(out, "\\fR");
    }
    text_add(out, "\n");
    add_plain(out, o->help);
    if (limits.len) {
        text_add(out, " (");
        add_plain(out, text_get(&limits));
        text_add(out, ")");
    }
    text_add(out, ".\n");
    text_fini(&flags);
    text_fini(&limits);
}

static void add_command(struct text *out, const struct bench_command *c)
{
    text_add(out, ".SS \"loaderbench ");
    text_addf(out, "%s [OPTION...]%s%s\"\n", c->name, c->operands ? " " : "", c->operands ? c->operands : "");
    add_plain(out, c->summary);
    text_add(out, strchr(c->summary, '?') ? "\n" : ".\n");
    if (c->details) {
        text_add(out, ".PP\n");
        add_paragraphs(out, c->details);
    }
    for (size_t i = 0; i < c->options.n; i++)
        if (!c->options.item[i].hidden)
            add_option(out, &c->options.item[i]);
}

static const char description[] =
    "loaderbench measures what a sample costs in a data loader under a controlled number of workers, of "
    "threads in each, and of placements on the CPUs. The settings take turns of milliseconds on the same "
    "CPUs, "
    "afresh in every invocation, until an interval is narrow enough to decide or the budget is used up. It "
    "then says which setting is the smallest that is as good as the best, with a stated confidence.\n"
    "\n"
    "Standard output is the result only; progress and warnings go to standard error. Lists sweep:\n"
    "\n"
    "  loaderbench tune --workers 0,1,2,4 --threads 1,all\n"
    "\n"
    "A list takes numbers and ranges: 0-4 is 0 to 4, 0-16:4 every fourth. Durations are typed as 500ms, 60s "
    "or "
    "2m (a bare number is seconds), ratios as 5% or 0.05, sizes as 64KiB (1024) or 64kB (1000). A long "
    "option "
    "may be shortened as long as it stays unique, and takes its value as --name value or --name=value.";

struct item {
    const char *term, *about;
};

static const struct item exit_status[] = {
    {"0", "Done, or the gate passed."},
    {"1", "A regression."},
    {"2", "Wrong usage or configuration; nothing was measured."},
    {"3", "Inconclusive: the budget did not decide."},
    {"4", "The machine is unfit, or results cannot be compared."},
    {"5", "A measurement failed, a row is missing, or output could not be written."},
    {"124", "A time-out."},
    {"130", "Interrupted; what was measured is saved."},
};

static const char files[] =
    "Results are JSON lines, one file a session, by default under loaderbench-results/ in the working "
    "directory and named after the date and the time; pictures, with the gnuplot script and the data each "
    "was "
    "drawn from, lie in a folder of the same name beside the file.";

static const char examples[] =
    "How many workers, how many threads in each, for products of 768 x 768 matrices on this machine?\n"
    "\n"
    "  loaderbench tune\n"
    "\n"
    "The same for a folder of pictures, in batches of 32, in random order, for two minutes at most:\n"
    "\n"
    "  loaderbench tune --data images:photos --transform decode,resize=224,normalize \\\n"
    "      --batch-size 32 --shuffle --budget 2min -o photos.jsonl\n"
    "\n"
    "Does it matter where the workers are bound?\n"
    "\n"
    "  loaderbench tune --workers 2,4 --threads 1 --affinity none,compact,scatter\n"
    "\n"
    "The main picture of a result, in the terminal:\n"
    "\n"
    "  loaderbench plot --terminal photos.jsonl";

static void add_items(struct text *out, const char *heading, const struct item *items, size_t n)
{
    text_addf(out, ".SH %s\n", heading);
    for (size_t i = 0; i < n; i++) {
        text_addf(out, ".TP\n.B %s\n", items[i].term);
        add_plain(out, items[i].about);
        text_add(out, "\n");
    }
}

static void add_section(struct text *out, const char *heading, const char *s)
{
    text_addf(out, ".SH %s\n", heading);
    add_paragraphs(out, s);
}

void bench_manual(struct text *out)
{
    text_addf(out, ".TH LOADERBENCH 1 \"\" \"loaderbench %s\" \"User Commands\"\n.SH NAME\n", bench_version);
    text_add(out, "loaderbench \\- how many data\\-loader workers, how many threads in each, pinned where\n");
    text_add(out, ".SH SYNOPSIS\n\\fBloaderbench\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
                  "\\fBloaderbench help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBloaderbench \\-\\-version\\fR\n");
    add_section(out, "DESCRIPTION", description);
    text_add(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < bench_ncommands; i++)
        if (!bench_commands[i]->hidden)
            add_command(out, bench_commands[i]);
    add_items(out, "EXIT STATUS", exit_status, sizeof exit_status / sizeof *exit_status);
    add_section(out, "FILES", files);
    add_section(out, "EXAMPLES", examples);
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    (void)settings;
    struct text out = {0};
    bench_manual(&out);
    return export_print_take(&out, io->out, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_man = {
    .name = "man",
    .summary = "The manual page, as roff",
    .hidden = true,
    .run = run,
};
