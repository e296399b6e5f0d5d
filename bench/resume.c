/* A session goes on as it was begun: options, workload and settings come from its header. What would make it another
 * session (build, machine, data) is looked at before its file is touched. */
#include "resume.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "build_id.h"
#include "export.h"
#include "results/fingerprint.h"
#include "results/json.h"
#include "when.h"

char *resume_session_text(const struct measure *m, const struct bench_io *io)
{
    char build[BUILD_ID_TEXT], *kept = bench_options_kept(io->command->options, NULL, m->settings);
    json_t *options = kept ? json_loads(kept, 0, NULL) : NULL;
    json_object_set_new(options, "margin",
                        result_json_real(m->result.margin)); /* of the suite, where it says */
    json_t *o = json_pack("{s:s, s:o, s:o, s:o}", "command", io->command->name, "build",
                          result_json_text(*build_id(build) ? build : NULL), "options", options, "data",
                          m->data ? json_incref(m->data) : json_array());
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    free(kept);
    return text;
}

/* ---- the command line against the header ---- */

static bool same_value(const json_t *a, const json_t *b)
{
    if (!json_is_number(a) || !json_is_number(b))
        return json_equal((json_t *)a, (json_t *)b);
    double x = json_number_value(a), y = json_number_value(b);
    return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)); /* ten digits are written */
}

static int contradiction(const struct measure *m, const char *key, const json_t *here, const json_t *there,
                         struct err *err)
{
    char *a = json_dumps(here, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10)),
         *b = there ? json_dumps(there, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10)) : NULL;
    int rc = err_set(err, -EINVAL, "'%s' goes on as it was begun: %s is %s there, and cannot be %s",
                     m->set.resume, key, b ? b : "not set", a ? a : "that");
    free(a);
    free(b);
    return rc;
}

static int check_given(const struct measure *m, const struct bench_io *io, const json_t *options,
                       struct err *err)
{
    char *given = bench_options_kept(io->command->options, io->parsed, m->settings);
    json_t *all = given ? json_loads(given, 0, NULL) : NULL, *value;
    const char *key;
    int rc = all ? 0 : err_set(err, -ENOMEM, "out of memory for the options");
    json_object_foreach (all, key, value) {
        const json_t *there = json_object_get(options, key);
        if (!rc && !same_value(value, there))
            rc = contradiction(m, key, value, there, err);
    }
    json_decref(all);
    free(given);
    if (!rc && m->set.output)
        rc = err_set(err, -EINVAL, "--output '%s': '%s' goes on in its own file", m->set.output,
                     m->set.resume);
    if (!rc && io->parsed->noperands)
        rc = err_set(err, -EINVAL, "'%s': the session of '%s' has its suite already", io->parsed->operands[0],
                     m->set.resume);
    return rc;
}

static int check_command(const struct measure *m, const struct bench_io *io, const json_t *session,
                         struct err *err)
{
    const char *command = json_string_value(json_object_get(session, "command"));
    if (command && !strcmp(command, io->command->name))
        return 0;
    return err_set(err, -EINVAL, "'%s' was begun by '%s': loaderbench %s --resume goes on with it",
                   m->set.resume, command ? command : "another command", command ? command : "COMMAND");
}

/* What the session measures with; texts stay those of `session`. */
static void take_options(struct measure *m, const json_t *o)
{
    m->set.runs = json_integer_value(json_object_get(o, "runs"));
    m->set.min_runs = json_integer_value(json_object_get(o, "min_runs"));
    m->set.max_runs = json_integer_value(json_object_get(o, "max_runs"));
    m->set.blocks = json_integer_value(json_object_get(o, "blocks"));
    m->set.memory_bytes = json_integer_value(json_object_get(o, "memory_bytes"));
    m->set.turn_ns = json_number_value(json_object_get(o, "turn_ns"));
    m->set.timeout_ns = json_number_value(json_object_get(o, "timeout_ns"));
    m->set.counters = json_string_value(json_object_get(o, "counters"));
    m->set.launcher = json_string_value(json_object_get(o, "launcher"));
    m->eliminate = m->eliminate || json_is_true(json_object_get(o, "race"));
}

static int take_budget(struct measure *m, const struct bench_io *io, struct err *err)
{
    struct bench_options table = io->command->options;
    char asked[UNIT_TEXT], spent[UNIT_TEXT];
    double budget;
    if (!bench_option_given(table, io->parsed, "budget"))
        return 0;
    char *echo = bench_options_echo(table, m->settings);
    json_t *all = echo ? json_loads(echo, 0, NULL) : NULL;
    budget = json_number_value(json_object_get(all, "budget_ns"));
    json_decref(all);
    free(echo);
    if (budget <= m->result.spent_ns)
        return err_set(err, -ERANGE, "--budget %s: the session of '%s' has taken %s already",
                       unit_format_ns_short(asked, budget), m->set.resume,
                       unit_format_ns(spent, m->result.spent_ns, 3));
    m->result.budget_ns = budget;
    return 0;
}

/* ---- here against where it was begun ---- */

static int check_build(const struct measure *m, const json_t *session, struct err *err)
{
    char here[BUILD_ID_TEXT];
    const char *there = json_string_value(json_object_get(session, "build")), *tool = m->result.tool;
    static const char name[] = "loaderbench ";
    if (!tool || strncmp(tool, name, sizeof name - 1) || strcmp(tool + sizeof name - 1, bench_version))
        return err_set(err, -EXDEV, "'%s' was begun by %s, and this is loaderbench %s", m->set.resume,
                       tool ? tool : "an unknown version", bench_version);
    build_id(here);
    if (!strcmp(here, there ? there : ""))
        return 0;
    return err_set(err, -EXDEV, "'%s' was begun by another build: %.12s, and this is %.12s", m->set.resume,
                   there ? there : "unknown", *here ? here : "unknown");
}

/* Within one session, other software is another subject. */
static bool parts_sessions(const struct fingerprint_difference *d)
{
    static const char software[] = "software.";
    return d->decides || !strncmp(d->path, software, sizeof software - 1) ||
           !strcmp(d->path, "transparent_hugepages");
}

static int check_machine(const struct measure *m, const char *here, struct err *err)
{
    struct fingerprint_differences d;
    int rc = result_fingerprint_compare(m->result.environment, here, &d, err);
    for (size_t i = 0; !rc && i < d.n; i++)
        if (parts_sessions(&d.item[i]))
            rc = err_set(err, -EXDEV, "'%s' was begun where %s was '%s'; it is '%s' here", m->set.resume,
                         d.item[i].path, d.item[i].a, d.item[i].b);
    result_fingerprint_differences_fini(&d);
    return rc;
}

static int check_data(const struct measure *m, const json_t *session, struct err *err)
{
    const json_t *before = json_object_get(session, "data");
    size_t n = json_array_size(m->data);
    if (json_array_size(before) != n)
        return err_set(err, -EXDEV, "'%s' was begun with %zu kinds of data, and has %zu here", m->set.resume,
                       json_array_size(before), n);
    for (size_t i = 0; i < n; i++) {
        json_t *a = json_array_get(before, i), *b = json_array_get(m->data, i), *value;
        const char *key;
        json_object_foreach (b, key, value) {
            json_t *was = json_object_get(a, key);
            if (json_equal(was, value))
                continue;
            char *x = was ? json_dumps(was, JSON_ENCODE_ANY) : NULL, *y = json_dumps(value, JSON_ENCODE_ANY);
            int rc = err_set(err, -EXDEV, "the data '%s' of '%s' changed: %s was %s, and is %s now",
                             json_string_value(json_object_get(b, "data")), m->set.resume, key,
                             x ? x : "not known", y ? y : "not known");
            free(x);
            free(y);
            return rc;
        }
    }
    return 0;
}

/* As many settings at once as before: groups are part of the plan. */
static int check_workload(struct measure *m, struct err *err)
{
    int before = m->result.together_max;
    int rc = measure_check(m, NULL, err), now = m->result.together_max;
    m->result.together_max = before;
    if (!rc && now && (!before || now < before))
        rc = err_set(err, -ENOMEM, "'%s' has %d settings alive at once, and only %d fit into memory now",
                     m->set.resume, before ? before : (int)m->result.narms, now);
    return rc;
}

/* ---- going on ---- */

static int note_pause(struct measure *m, const struct bench_io *io, struct err *err)
{
    struct result *r = &m->result;
    struct pause *all = realloc(r->pauses, (r->npauses + 1) * sizeof *all);
    if (!all)
        return err_set(err, -ENOMEM, "out of memory for a pause");
    r->pauses = all;
    char *now = when_now(), *command = measure_command_line(io);
    double pause_ns = now ? result_pause_ns(r, now) : NAN;
    all[r->npauses++] = (struct pause){.date = now,
                                       .command = command,
                                       .pause_ns = pause_ns,
                                       .spent_ns = r->spent_ns,
                                       .budget_ns = r->budget_ns,
                                       .invocations = (int64_t)r->ninvocations};
    return now && command ? 0 : err_set(err, -ENOMEM, "out of memory for a pause");
}

static void announce(const struct measure *m, FILE *messages)
{
    const struct result *r = &m->result;
    char spent[UNIT_TEXT], pause[UNIT_TEXT];
    if (m->set.quiet)
        return;
    export_sayf(messages,
                "loaderbench: '%s' goes on after %zu invocations (%s of measuring) and a pause of %s\n",
                m->set.resume, r->ninvocations, unit_format_ns(spent, r->spent_ns, 2),
                unit_format_ns(pause, fmax(r->pauses[r->npauses - 1].pause_ns, 1e9), 2));
    int64_t cut = result_writer_cut_bytes(m->writer);
    if (cut)
        export_sayf(messages,
                    "loaderbench: its last %" PRId64
                    " bytes, of an invocation that was not finished, are cut off\n",
                    cut);
}

static int check_usage(struct measure *m, const struct bench_io *io, const json_t *session, struct err *err)
{
    const json_t *options = json_object_get(session, "options");
    int rc = check_command(m, io, session, err);
    rc = rc ? rc : check_given(m, io, options, err);
    take_options(m, options);
    return rc ? rc : take_budget(m, io, err);
}

/* Errors: -EXDEV it is not where it was begun. */
static int check_place(struct measure *m, const json_t *session, struct err *err)
{
    char *here = NULL;
    int rc = measure_look_around(m, &here, err);
    rc = rc ? rc : check_build(m, session, err);
    rc = rc ? rc : check_machine(m, here, err);
    rc = rc ? rc : check_workload(m, err);
    free(here);
    return rc ? rc : check_data(m, session, err);
}

static int go_on(struct measure *m, const struct bench_io *io, const json_t *session, struct err *err)
{
    int rc = check_usage(m, io, session, err);
    rc = rc ? rc : check_place(m, session, err);
    rc = rc ? rc : note_pause(m, io, err);
    if (rc)
        return rc == -EXDEV ? BENCH_EXIT_UNFIT : BENCH_EXIT_USAGE;
    if (!m->set.dry_run)
        announce(m, io->err);
    return measure_run(m, io, err);
}

int resume_run(struct measure *m, const struct bench_io *io, struct err *err)
{
    int code = BENCH_EXIT_USAGE;
    json_t *session = NULL;
    int rc = result_writer_reopen(m->set.resume, &m->result, &m->writer, err);
    rc = rc ? rc : measure_name(m, m->set.resume, err);
    if (!rc) {
        session = json_loads(m->result.session, 0, NULL);
        code = go_on(m, io, session, err);
    }
    measure_close(m);
    json_decref(session);
    return code;
}

static void add_word(struct text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,=@%";
    bool is_plain = *word && !word[strspn(word, plain)];
    (is_plain ? text_add : text_add_shell)(t, word);
}

void resume_hint(const char *path, const struct bench_io *io, struct err *err)
{
    if (!err || !err->code)
        return;
    struct text t = {0};
    text_sayf(&t, "%s; go on with: loaderbench %s --resume ", err->text, io->command->name);
    add_word(&t, path);
    int code = err->code;
    *err = (struct err){0};
    err_set(err, code, "%s", text_get(&t));
    text_fini(&t);
}
