/* `loaderbench list`: what can be named on a command line. A further kind of thing is one entry of sections.
 */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "base/unit.h"
#include "bench/command.h"
#include "datasets/source.h"
#include "harness/doctor.h"
#include "harness/placement.h"
#include "kernels/chain.h"
#include "plots/plot.h"

enum { COLUMN = 16, WIDTH = 79 };

static void add_row(struct text *out, const char *name, const char *about)
{
    text_addf(out, "  %s", name);
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
    text_addf(about, "; %s flop and %s for %s", unit_format_real(flops, work.flops, 4),
              unit_format_bytes(bytes, work.bytes, 3), tensor_shape_format(shape, &in));
    kernel_chain_destroy(c);
}

static void list_kernels(struct text *out)
{
    for (int i = 0; i < kernel_list_n; i++) {
        const struct kernel *k = kernel_list[i];
        add_row(out, k->name, k->help);
        struct text about = {0};
        text_addf(&about, "%s -> %s", k->takes, k->gives);
        add_work(&about, k);
        add_row(out, "", text_get(&about));
        text_fini(&about);
        for (int j = 0; j < k->args_n; j++) {
            const struct kernel_arg *a = &k->args[j];
            text_addf(&about, "%s: %s", a->name, a->help);
            if (a->def && *a->def)
                text_addf(&about, " (default %s)", a->def);
            add_row(out, "", text_get(&about));
            text_fini(&about);
        }
        text_addf(&about, "BLAS: %s", k->blas);
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
    {"affinity", "Affinity policies (--affinity NAME,...)", list_affinity},
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

static int run(const void *settings, const struct bench_io *io, struct err *err)
{
    (void)settings;
    const struct section *only = NULL;
    if (io->parsed->noperands && !(only = find_section(io->parsed->operands[0], err)))
        return BENCH_EXIT_USAGE;
    struct text out = {0};
    for (size_t i = 0; i < SECTIONS; i++) {
        if (only && only != &sections[i])
            continue;
        text_addf(&out, "%s%s:\n", out.len ? "\n" : "", sections[i].heading);
        sections[i].list(&out);
    }
    int rc = out.failed ? err_set(err, -ENOMEM, "out of memory") : 0;
    fputs(text_get(&out), io->out);
    text_fini(&out);
    return rc ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

const struct bench_command command_list = {
    .name = "list",
    .summary = "What can be named in options: kernels, policies and the like",
    .details = "Without WHAT everything is listed.",
    .operands = "[WHAT]",
    .operands_max = 1,
    .run = run,
};
