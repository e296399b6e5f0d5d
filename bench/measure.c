/* Running a session for people: files, progress, table, pictures, exit code. */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unit.h"
#include "calibration.h"
#include "commit.h"
#include "counter_table.h"
#include "export.h"
#include "harness/fingerprint.h"
#include "harness/placement.h"
#include "harness/session.h"
#include "harness/topology_file.h"
#include "pictures.h"
#include "plots/plot.h"
#include "results/json.h"
#include "resume.h"
#include "table.h"
#include "when.h"

static const char default_folder[] = "loaderbench-results";

char *measure_command_line(const struct bench_io *io)
{
    struct text t = {0};
    for (int i = 0; i < io->argc; i++) {
        text_add(&t, i ? " " : "");
        text_add(&t, io->argv[i]);
    }
    return text_take(&t);
}

/* What is said of how many invocations, and of how much is told, must go together. */
static int check_settings(const struct measure_settings *set, struct err *err)
{
    int64_t least = set->min_runs, most = set->max_runs;
    if (set->runs && (least || most))
        return err_set(err, -EINVAL,
                       "--runs %" PRId64 " is an exact number: --%s-runs %" PRId64 " does not go with it",
                       set->runs, least ? "min" : "max", least ? least : most);
    if (set->quiet && set->verbose)
        return err_set(err, -EINVAL, "--quiet and --verbose: only one of them");
    if (most && least > most)
        return err_set(err, -EINVAL, "--min-runs %" PRId64 " is more than --max-runs %" PRId64, least, most);
    return 0;
}

int measure_set_budget(struct measure *m, double usual_ns, bool given, struct err *err)
{
    const char *kind = m->set.fast ? "--fast" : "--rigorous";
    if (m->set.fast && m->set.rigorous)
        return err_set(err, -EINVAL, "--fast and --rigorous are two budgets: only one of them");
    if (given && (m->set.fast || m->set.rigorous)) {
        char text[UNIT_TEXT];
        return err_set(err, -EINVAL, "%s is a budget of its own: --budget %s does not go with it", kind,
                       unit_format_ns(text, usual_ns, 3));
    }
    m->result.budget_ns = m->set.fast ? usual_ns / 3 : m->set.rigorous ? usual_ns * 5 : usual_ns;
    return 0;
}

int measure_look_around(struct measure *m, char **environment, struct err *err)
{
    int rc = check_settings(&m->set, err);
    rc = rc ? rc : harness_topology_load(&m->topology, err);
    if (rc)
        return rc;
    harness_budget_read("", 0, &m->budget);
    return harness_fingerprint(&m->topology, &m->budget, m->set.record_host, environment, err);
}

int measure_open(struct measure *m, const struct bench_io *io, struct err *err)
{
    struct result *r = &m->result;
    int rc = measure_look_around(m, &r->environment, err);
    if (rc)
        return rc;
    r->schema = RESULT_SCHEMA;
    r->warmup_blocks = (int)m->set.warmup;
    r->cpu_budget = m->budget.cpus;
    r->cpu_budget_text = strdup(m->budget.text);
    r->command = measure_command_line(io);
    r->started = when_now();
    r->commit = commit_now();
    if (asprintf(&r->tool, "loaderbench %s", bench_version) < 0)
        r->tool = NULL;
    if (!rc && (!r->cpu_budget_text || !r->command || !r->started || !r->tool))
        rc = err_set(err, -ENOMEM, "out of memory");
    return rc;
}

void measure_close(struct measure *m)
{
    result_writer_close(m->writer);
    result_fini(&m->result);
    json_decref(m->data);
    harness_topology_fini(&m->topology);
    free(m->path);
    free(m->pictures);
}

/* As many arms at once as fit into what may be used of the memory; fewer than all come in groups. */
static int choose_together(struct measure *m, size_t sample_bytes, struct err *err)
{
    char needed[UNIT_TEXT], there[UNIT_TEXT];
    double need, have = m->set.memory_bytes ? (double)m->set.memory_bytes : 0.8 * harness_available_bytes();
    int most = harness_together(&m->result, sample_bytes, have, &need, err);
    if (most < 0)
        return most;
    if (most < 2 && need > have)
        return err_set(err, -ENOMEM,
                       "the slots of %s take %s; %s may be used (fewer --workers, a smaller --batch-size, or "
                       "more --memory)",
                       m->result.narms > 1 ? "the two largest settings together" : "the setting",
                       unit_format_bytes(needed, need, 3), unit_format_bytes(there, have, 3));
    m->result.together_max = (size_t)most < m->result.narms ? most : 0;
    return 0;
}

/* Which arm it was, where it could be another. */
static void name_arm(const struct result *r, size_t at, struct err *err)
{
    size_t i = 0;
    while (i < r->narms && result_same_stream(&r->arms[i].workload, &r->arms[at].workload))
        i++;
    if (i < r->narms)
        err_prefix(err, "'%s'", r->arms[at].name);
}

/* CPUs that are not there are told before anything is made. */
static int check_placement(const struct measure *m, const struct setting *s, struct err *err)
{
    const struct harness_placement_ask ask = {.affinity = s->affinity,
                                              .workers = s->workers,
                                              .threads = s->threads,
                                              .reserve_main = s->reserve_main};
    struct harness_placement plan;
    int rc = harness_placement_plan(&m->topology, &ask, &plan, err);
    harness_placement_fini(&plan);
    return rc ? err_prefix(err, "affinity") : 0;
}

/* Settings get through different numbers of samples. Where those differ, the same first ones each time would make a
 * difference that no interval knows of. */
static void remark_order(FILE *messages, const struct workload *w, const struct harness_workload_facts *facts)
{
    if (!messages || !facts->varies || facts->samples < 0 || strcmp(w->sampler, "sequential") != 0)
        return;
    export_sayf(
        messages,
        "loaderbench: samples of '%s' differ, and unshuffled every invocation begins with the same ones: "
        "shuffle them (--shuffle, in a suite 'shuffle: yes')\n",
        w->data);
}

/* What a session that goes on later must find again. */
static void note_data(struct measure *m, const struct workload *w, const struct harness_workload_facts *facts)
{
    m->data = m->data ? m->data : json_array();
    json_array_append_new(m->data, json_pack("{s:o, s:I, s:I, s:s}", "data", result_json_text(w->data),
                                             "samples", (json_int_t)facts->samples, "sample_bytes",
                                             (json_int_t)facts->sample_bytes, "files", facts->files));
}

int measure_check(struct measure *m, FILE *messages, struct err *err)
{
    struct result *r = &m->result;
    const struct workload *checked = NULL;
    size_t largest = 0;
    for (size_t i = 0; i < r->narms; i++) {
        int rc = check_placement(m, &r->arms[i].setting, err);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < r->narms; i++) {
        if ((checked && result_same_stream(&r->arms[i].workload, checked)) ||
            strcmp(r->arms[i].subject, "core"))
            continue; /* an adapter checks its own data */
        checked = &r->arms[i].workload;
        struct harness_workload_facts facts;
        int rc = harness_workload_check(&r->arms[i].workload, r->seed, &facts, err);
        if (rc) {
            name_arm(r, i, err);
            return rc;
        }
        note_data(m, checked, &facts);
        remark_order(m->set.quiet ? NULL : messages, &r->arms[i].workload, &facts);
        largest = facts.sample_bytes > largest ? facts.sample_bytes : largest;
    }
    return choose_together(m, largest, err);
}

/* ---- where the result goes ---- */

static int default_path(struct measure *m, struct err *err)
{
    if (mkdir(default_folder, 0777) && errno != EEXIST)
        return err_set_errno(err, -errno, "cannot make the folder '%s' (-o FILE says where else)",
                             default_folder);
    return when_new_path(default_folder, &m->path, err);
}

int measure_name(struct measure *m, const char *path, struct err *err)
{
    if (path)
        m->path = strdup(path);
    m->pictures = m->path ? pictures_folder(m->path) : NULL;
    return m->pictures ? 0 : err_set(err, -ENOMEM, "out of memory for a path");
}

static int choose_paths(struct measure *m, struct err *err)
{
    int rc = m->set.output ? 0 : default_path(m, err);
    return rc ? rc : measure_name(m, m->set.output, err);
}

/* Beside a file that is one: a device has no room beside it. */
static int keep_topology(const struct measure *m, struct err *err)
{
    struct stat st;
    bool is_file = !stat(m->path, &st) && S_ISREG(st.st_mode);
    return is_file ? harness_topology_keep(&m->topology, m->path, err) : 0;
}

int measure_create_file(struct measure *m, struct result_writer **out, struct err *err)
{
    int rc = choose_paths(m, err);
    rc = rc ? rc : result_writer_open(m->path, &m->result, out, err);
    if (!rc && (rc = keep_topology(m, err))) {
        result_writer_close(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- what comes out ---- */

static void print_head(const struct measure *m, const struct summary *s, FILE *out)
{
    const struct workload *w = &m->result.arms[0].workload;
    export_sayf(out, "CPU budget: %s\n", m->result.cpu_budget_text);
    export_sayf(out, "Workload: %s of %s, batches of %" PRId64 "\n",
                *w->transform ? w->transform : "no transform", w->data, w->batch_size);
    export_sayf(out, "Measured: %d invocations of %zu settings", s->invocations_valid, m->result.narms);
    if (m->result.together_max)
        export_sayf(out, " in groups of at most %d that share one", m->result.together_max);
    export_sayf(out, ", seed %" PRIu64 "\n\n", m->result.seed);
}

/* out NULL: nothing is printed, and m->unfit is found all the same. */
static int print_result(struct measure *m, const struct summary *s, FILE *out, struct err *err)
{
    struct text t = {0};
    table_add(&t, s, m->eliminate);
    text_add(&t, "\n");
    int rc = m->set.show_counters ? counter_table_add(&t, &m->result, err) : 0;
    table_add_ratio(&t, s);
    if (m->eliminate)
        table_add_choice(&t, s);
    table_add_bound(&t, s, m->eliminate);
    table_add_items(&t, s, m->eliminate);
    table_add_effort(&t, s, m->eliminate);
    table_add_pilot(&t, &m->result);
    table_add_spared(&t, s);
    table_add_caveats(&t, s);
    rc = rc ? rc : table_add_checks(&t, &m->result, &m->unfit, err);
    if (m->eliminate)
        calibration_quote_races(&t, m->result.environment);
    if (!out) {
        text_fini(&t);
        return rc;
    }
    print_head(m, s, out);
    int printed = export_print_take(&t, out, err);
    return rc ? rc : printed;
}

/* A picture that cannot be drawn does not undo the measurement: it is said, and the exit code tells. */
static int draw(const struct measure *m, const struct summary *s, FILE *out, struct err *err)
{
    const struct plot *kinds[64] = {NULL};
    bool drawn[64] = {false};
    size_t n = 0, made = 0;
    for (; plot_list[n] && n < 64; n++)
        kinds[n] = plot_list[n];
    const struct plot_options options = {.dir = m->pictures};
    int rc = plot_draw_many(kinds, n, &s, 1, &options, drawn, err);
    for (size_t i = 0; i < n; i++)
        made += drawn[i];
    if (made && out)
        export_sayf(
            out,
            "Pictures: %s/ (%zu, each as .svg and .png with its gnuplot script and data; %s.svg first)\n",
            m->pictures, made, plot_list[0]->name);
    return rc;
}

static int exit_code(const struct measure *m, int rc)
{
    if (rc == -EINTR)
        return BENCH_EXIT_INTERRUPTED;
    if (rc == -EXDEV)
        return BENCH_EXIT_UNFIT;
    for (size_t i = 0; i < m->result.narms; i++)
        if (m->result.arms[i].failure)
            rc = rc ? rc : -EIO;
    if (!rc && m->unfit && !m->set.unfit_ok)
        return BENCH_EXIT_UNFIT;
    return rc ? BENCH_EXIT_FAILED : BENCH_EXIT_DONE;
}

/* Table and pictures; out NULL: no table. */
static int show(struct measure *m, const struct summary *s, FILE *out, struct err *err)
{
    int rc = print_result(m, s, out, err);
    bool pictures = !rc && !m->set.no_plots && s->invocations_valid;
    if (out)
        export_sayf(out, "Result: %s\n", m->path);
    if (!pictures || !m->result.interrupted)
        return pictures ? draw(m, s, out, err) : rc;
    if (out) /* who pressed Ctrl-C does not wait for pictures */
        export_sayf(out, "Pictures: not drawn ('loaderbench plot %s' does it)\n", m->path);
    return rc;
}

/* rc: how measuring ended, told in err when it is not 0. An export to "-" takes the place of what is for people. */
static int conclude(struct measure *m, const struct bench_io *io, int rc, struct err *err)
{
    struct summary *s;
    struct err ended = *err;
    int shown = summary_create(&m->result, 1 - m->result.alpha, &s, err);
    if (shown)
        return exit_code(m, rc ? rc : shown);
    shown = show(m, s, outcome_takes_output(&m->set.exports) ? NULL : io->out, err);
    rc = rc ? rc : shown;
    const struct outcome o = {.summary = s,
                              .path = m->path,
                              .failure = ended.code ? ended.text : NULL,
                              .exit = exit_code(m, rc),
                              .race = m->eliminate};
    int exported = outcome_export(&o, &m->set.exports, io->out, err);
    summary_destroy(s);
    return exit_code(m, rc ? rc : exported);
}

static struct session_config session_of(struct measure *m)
{
    return (struct session_config){.result = &m->result,
                                   .topology = &m->topology,
                                   .core = "/proc/self/exe",
                                   .launcher = m->set.launcher,
                                   .counters = m->set.counters,
                                   .turn_ns = m->set.turn_ns,
                                   .timeout_ns = (uint64_t)m->set.timeout_ns,
                                   .invocations = (int)m->set.runs,
                                   .least = (int)m->set.min_runs,
                                   .most = (int)m->set.max_runs,
                                   .blocks = (int)m->set.blocks,
                                   .timeline = true,
                                   .eliminate = m->eliminate};
}

static int measure_arms(struct measure *m, const struct bench_io *io, struct result_writer *writer,
                        struct err *err)
{
    struct progress progress;
    progress_init(&progress, io->err, (enum progress_mode)m->set.progress, m->set.quiet, &m->result);
    struct session_config cfg = session_of(m);
    if (m->set.verbose)
        progress_explain(&progress, &m->result, m->eliminate);
    cfg.writer = writer;
    cfg.resume = m->set.resume;
    cfg.stop = io->stop;
    cfg.progress = progress_step;
    cfg.warn = progress_warn;
    cfg.arg = &progress;
    int rc = session_run(&cfg, err);
    progress_end(&progress);
    return rc;
}

static void print_plan(const struct measure *m, FILE *out)
{
    export_sayf(out, "CPU budget: %s\n", m->result.cpu_budget_text);
    for (size_t i = 0; i < m->result.narms; i++) {
        const struct arm *a = &m->result.arms[i];
        int budget = m->result.cpu_budget;
        export_sayf(out, "%s: %s of %s, batches of %" PRId64 ", affinity %s, %d of %d CPUs", a->name,
                    a->workload.transform, a->workload.data, a->workload.batch_size, a->setting.affinity,
                    a->cpus_asked, budget);
        if (a->setting.reserve_main)
            fputs(", main reserved", out);
        if (a->cpus_asked > budget)
            export_sayf(out, ": oversubscribed %.3g times", (double)a->cpus_asked / budget);
        fputc('\n', out);
    }
}

int measure_run(struct measure *m, const struct bench_io *io, struct err *err)
{
    if (m->set.dry_run && outcome_any(&m->set.exports)) {
        err_set(err, -EINVAL, "--dry-run measures nothing that could be exported");
        return BENCH_EXIT_USAGE;
    }
    if (m->set.dry_run) {
        print_plan(m, io->out);
        return BENCH_EXIT_DONE;
    }
    if (!m->writer) {
        struct session_config cfg = session_of(m);
        m->result.looks_planned = session_looks(&cfg);
        m->result.session = resume_session_text(m, io);
        if (measure_create_file(m, &m->writer, err))
            return BENCH_EXIT_USAGE;
    }
    int rc = measure_arms(m, io, m->writer, err);
    result_writer_close(m->writer);
    m->writer = NULL;
    if (rc == -EPROTO)
        return BENCH_EXIT_UNFIT;
    if (rc && rc != -ENODATA && rc != -EXDEV) /* else it would end there again */
        resume_hint(m->path, io, err);
    return conclude(m, io, rc, err);
}
