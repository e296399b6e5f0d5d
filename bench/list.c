/* `loaderbench list`: what can be named on a command line. A further kind of thing is one entry of sections.
 */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "base/unit.h"
#include "bench/command.h"
#include "common_options.h"
#include "datasets/source.h"
#include "export.h"
#include "harness/doctor.h"
#include "harness/placement.h"
#include "kernels/chain.h"
#include "layout.h"
#include "plots/plot.h"

enum { COLUMN = 19, WIDTH = 79 };

static void add_row(struct text *out, const char *name, const char *about)
{
    text_sayf(out, "  %s", name);
    text_pad_to(out, COLUMN - 1);
    text_add(out, " ");
    bench_wrap(out, about, COLUMN, WIDTH);
    text_add(out, "\n");
}

static void list_commands(struct text *out)
{
    for (size_t i = 0; i < bench_ncommands; i++)
        if (!bench_commands[i]->hidden)
            add_row(out, bench_commands[i]->name, bench_commands[i]->summary);
}

/* Flops and bytes of a sample, where a kernel asks for a shape of its own. */
static void add_work(struct text *about, const struct kernel *k)
{
    struct tensor_shape in;
    struct kernel_chain *c;
    char flops[UNIT_TEXT], bytes[UNIT_TEXT], shape[TENSOR_TEXT];
    if (!k->default_input || kernel_chain_default_input(k->name, &in, NULL) ||
        kernel_chain_create(k->name, &in, &c, NULL))
        return;
    struct kernel_work work = kernel_chain_work(c);
    text_sayf(about, "; %s flop and %s for %s", unit_format_real(flops, work.flops, 4),
              unit_format_bytes(bytes, work.bytes, 3), tensor_shape_format(shape, &in));
    kernel_chain_destroy(c);
}

static void list_kernels(struct text *out)
{
    for (int i = 0; i < kernel_list_n; i++) {
        const struct kernel *k = kernel_list[i];
        add_row(out, k->name, k->help);
        struct text about = {0};
        text_sayf(&about, "%s -> %s", k->takes, k->gives);
        add_work(&about, k);
        add_row(out, "", text_get(&about));
        text_fini(&about);
        for (int j = 0; j < k->args_n; j++) {
            const struct kernel_arg *a = &k->args[j];
            text_sayf(&about, "%s: %s", a->name, a->help);
            if (a->def && *a->def)
                text_sayf(&about, " (default %s)", a->def);
            add_row(out, "", text_get(&about));
            text_fini(&about);
        }
        text_sayf(&about, "BLAS: %s", k->blas);
        add_row(out, "", text_get(&about));
        text_fini(&about);
    }
}

static void list_datasets(struct text *out)
{
    for (int i = 0; i < data_format_count(); i++) {
        struct data_format_help f = data_format_at(i);
        add_row(out, f.name, f.usage);
        add_row(out, "", f.help);
    }
}

static void list_affinity(struct text *out)
{
    for (const struct harness_policy *const *p = harness_policies; *p; p++)
        add_row(out, (*p)->name, (*p)->summary);
}

static void list_plots(struct text *out)
{
    for (const struct plot *const *p = plot_list; *p; p++)
        add_row(out, (*p)->name, (*p)->question);
}

static void list_checks(struct text *out)
{
    struct doctor_about c;
    for (size_t i = 0; (c = harness_doctor_about(i)).name; i++)
        add_row(out, c.name, c.summary);
}

struct section {
    const char *name, *heading;
    void (*list)(struct text *out);
};

static const struct section sections[] = {
    {"commands", "Commands", list_commands},
    {"kernels", "Kernels (--transform NAME=ARGUMENTS,...)", list_kernels},
    {"datasets", "Datasets (--data NAME:...)", list_datasets},
    {"plots", "Pictures (plot --kind NAME,...)", list_plots},
    {"affinity", "Affinity policies (--affinity NAME,... or CPUs: 0,2,4-7 or S0:0-3)", list_affinity},
    {"checks", "Checks of the doctor (doctor --check NAME)", list_checks},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct section *find_section(const char *name, struct err *err)
{
    const char *names[SECTIONS];
    for (size_t i = 0; i < SECTIONS; i++) {
        names[i] = sections[i].name;
        if (!strcmp(name, names[i]))
            return &sections[i];
    }
    int near = name_nearest(name, names, SECTIONS);
    err_set(err, -EINVAL, "nothing to list under '%s'%s%s%s", name, near >= 0 ? " (did you mean '" : "",
            near >= 0 ? names[near] : "", near >= 0 ? "'?)" : "");
    return NULL;
}

struct list_settings {
    const char *topology, *allowed;
    struct bench_words affinity;
    int64_t workers, threads;
    int main;
};

static const char *const main_words[] = {"share", "reserve", NULL};

#define AT(member) BENCH_AT(struct list_settings, member)

static const struct bench_option options[] = {
    {OPTION_WORKERS, AT(workers), .help = "workers to place; 0 is the main process",
     .group = "Plans of 'list affinity', drawn without running"},
    {.name = "threads",
     .letter = 't',
     .kind = BENCH_OPTION_INT,
     AT(threads),
     .min = 1,
     .max = THREADS_MOST,
     .initial = "1",
     .help = "threads of each",
     .group = "Plans of 'list affinity', drawn without running"},
    {OPTION_AFFINITY, AT(affinity),
     .help = "policies to draw, or CPUs (0,2,4-7 or S0:0-3); default: every policy",
     .group = "Plans of 'list affinity', drawn without running"},
    {.name = "main",
     .kind = BENCH_OPTION_CHOICE,
     AT(main),
     .choices = main_words,
     .initial = "share",
     .help = "whether the main process has the first CPU for itself",
     .group = "Plans of 'list affinity', drawn without running"},
    {.name = "topology",
     .kind = BENCH_OPTION_TEXT,
     AT(topology),
     .arg = "TEXT|FILE.xml",
     .file = BENCH_FILE_READ,
     .help =
         "another machine than this one: hwloc's notation ('pack:2 numa:2 core:16 pu:2'), or NAME.xml that "
         "'lstopo NAME.xml' wrote there",
     .group = "Plans of 'list affinity', drawn without running"},
    {.name = "allowed",
     .kind = BENCH_OPTION_TEXT,
     AT(allowed),
     .arg = "CPUS",
     .help = "with --topology: only these CPUs of it (0-3,8)",
     .group = "Plans of 'list affinity', drawn without running"},
};

static bool asks_for_a_plan(const struct bench_parsed *p)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (bench_option_given(BENCH_OPTIONS(options), p, options[i].name))
            return true;
    return false;
}

static int draw_plan(const struct list_settings *s, const struct bench_io *io, struct err *err)
{
    struct text out = {0};
    const struct layout_ask ask = {.topology = s->topology,
                                   .allowed = s->allowed,
                                   .affinity = &s->affinity,
                                   .workers = (int)s->workers,
                                   .threads = (int)s->threads,
                                   .reserve_main = s->main == 1};
    int rc = layout_draw(&ask, &out, err);
    if (!rc && out.failed)
        rc = err_set(err, -ENOMEM, "out of memory");
    if (!rc)
        fputs(text_get(&out), io->out);
    text_fini(&out);
    return !rc ? BENCH_EXIT_DONE : rc == -ENOMEM ? BENCH_EXIT_FAILED : BENCH_EXIT_USAGE;
}

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    const struct section *only = NULL;
    if (io->parsed->noperands && !(only = find_section(io->parsed->operands[0], err)))
        return BENCH_EXIT_USAGE;
    if (asks_for_a_plan(io->parsed)) {
        if (only && only->list == list_affinity)
            return draw_plan(settings, io, err);
        err_set(err, -EINVAL, "these options draw the plan of 'list affinity'");
        return BENCH_EXIT_USAGE;
    }
    struct text out = {0};
    for (size_t i = 0; i < SECTIONS; i++) {
        if (only && only != &sections[i])
            continue;
        text_add(&out, out.len ? "\n" : "");
        text_sayf(&out, "%s:\n", sections[i].heading);
        sections[i].list(&out);
    }
    return export_print_take(&out, io->out, err) ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_list = {
    .name = "list",
    .summary = "What can be named in options: kernels, policies and the like",
    .details = "Without WHAT everything is listed.",
    .operands = "[WHAT]",
    .operands_max = 1,
    .options = BENCH_OPTIONS(options),
    .settings_size = sizeof(struct list_settings),
    .run = run,
};
