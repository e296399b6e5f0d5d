/* Reading result files back, whatever happened to the program that wrote them: a last line that was cut, a
 * session that was killed inside an invocation, values no writer of ours would write. */
#include "results/io.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io_fields.h"
#include "io_open.h"
#include "results/json.h"

struct reader {
    const char *path;
    size_t line;
    struct result *r;
    struct trial *pending; /* trials whose invocation line has not come yet */
    size_t npending;
    size_t cap;
    struct io_tail tail;
};

static int bad(struct reader *rd, struct err *err, const char *what)
{
    return err_set(err, -EINVAL, "%s:%zu: %s", rd->path, rd->line, what);
}

static int no_memory(struct reader *rd, struct err *err)
{
    return err_set(err, -ENOMEM, "%s:%zu: out of memory", rd->path, rd->line);
}

static int64_t get_int(const json_t *o, const char *key, int64_t absent)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? json_integer_value(v) : absent;
}

static bool is_text(const json_t *o, const char *key, const char *text)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s && !strcmp(s, text);
}

static int get_arm(struct reader *rd, const json_t *o, struct arm *a, struct err *err)
{
    const json_t *w = json_object_get(o, "workload"), *s = json_object_get(o, "setting");
    *a = (struct arm){
        .name = result_json_get_text(o, "name"),
        .subject = result_json_get_text(o, "subject"),
        .workload = {.data = result_json_get_text(w, "data"),
                     .transform = result_json_get_text(w, "transform"),
                     .sampler = result_json_get_text(w, "sampler"),
                     .batch_size = get_int(w, "batch_size", 0),
                     .consumer = result_json_get_text(w, "consumer"),
                     .on_error = result_json_get_text(w, "on_error"),
                     .cache = result_json_get_text(w, "cache")},
        .setting = {.workers = (int)get_int(s, "workers", -1),
                    .threads = (int)get_int(s, "threads", -1),
                    .prefetch_factor = (int)get_int(s, "prefetch_factor", 0),
                    .affinity = result_json_get_text(s, "affinity"),
                    .backend = result_json_get_text(s, "backend"),
                    .reserve_main = is_text(s, "main", "reserve")},
        .cpus_asked = (int)get_int(o, "cpus_asked", 0),
    };
    if (!a->name || a->setting.workers < 0 || a->setting.threads < 1)
        return bad(rd, err, "an arm without name, workers or threads");
    return 0;
}

static int get_header(struct reader *rd, const json_t *o, struct err *err)
{
    struct result *r = rd->r;
    r->schema = (int)get_int(o, "schema", 0);
    if (r->schema != RESULT_SCHEMA)
        return err_set(err, -EPROTO, "%s: schema version %d; this program reads version %d", rd->path,
                       r->schema, RESULT_SCHEMA);
    r->tool = result_json_get_text(o, "tool");
    r->command = result_json_get_text(o, "command");
    r->started = result_json_get_text(o, "started");
    r->commit = result_json_get_text(o, "commit");
    r->seed = (uint64_t)get_int(o, "seed", 0);
    r->alpha = result_json_get_real(o, "alpha");
    r->margin = result_json_get_real(o, "margin");
    r->looks_planned = (int)get_int(o, "looks_planned", 0);
    r->warmup_blocks = (int)get_int(o, "warmup_blocks", 0);
    r->together_max = (int)get_int(o, "together_max", 0);
    r->max_stall = fmax(0, result_json_get_real(o, "max_stall"));
    r->budget_ns = result_json_get_real(o, "budget_ns");
    r->cpu_budget = (int)get_int(o, "cpu_budget", 0);
    r->cpu_budget_text = result_json_get_text(o, "cpu_budget_text");
    r->environment = result_json_get_object(o, "environment");
    r->session = result_json_get_object(o, "session");
    const json_t *arms = json_object_get(o, "arms");
    size_t n = json_array_size(arms);
    if (!n)
        return bad(rd, err, "a header without arms");
    r->arms = calloc(n, sizeof *r->arms);
    r->dropped_at_look = calloc(n, sizeof *r->dropped_at_look);
    if (!r->arms || !r->dropped_at_look)
        return no_memory(rd, err);
    for (size_t i = 0; i < n; i++) {
        r->narms = i + 1;
        int rc = get_arm(rd, json_array_get(arms, i), &r->arms[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

static void get_turn(const json_t *o, struct turn *t)
{
    *t = result_turn_unknown();
    t->block = (int)get_int(o, "block", 0);
    t->slot = (int)get_int(o, "slot", 0);
    t->batches = get_int(o, "batches", 0);
    t->samples = get_int(o, "samples", 0);
    io_get_fields(o, t, io_turn_fields, io_turn_nfields);
    const json_t *waits = json_object_get(o, "wait_ns");
    for (int i = 0; i < RESULT_WAIT_CAUSES; i++)
        t->wait_ns[i] = result_json_get_real(waits, result_wait_names[i]);
    t->items = result_json_get_histogram(json_object_get(o, "items"));
    t->void_reason = result_json_get_text(o, "void");
    t->extra = result_json_get_object(o, "extra");
}

static int get_trial(struct reader *rd, const json_t *o, struct err *err)
{
    if (rd->npending == rd->cap) {
        size_t cap = rd->cap ? 2 * rd->cap : 16;
        struct trial *more = realloc(rd->pending, cap * sizeof *more);
        if (!more)
            return no_memory(rd, err);
        rd->pending = more;
        rd->cap = cap;
    }
    struct trial *t = &rd->pending[rd->npending++];
    *t = (struct trial){.arm = (int)get_int(o, "arm", -1),
                        .order_hash = result_json_get_text(o, "order_hash"),
                        .set_hash = result_json_get_text(o, "set_hash"),
                        .placement = result_json_get_object(o, "placement"),
                        .placement_text = result_json_get_text(o, "placement_mismatch"),
                        .extra = result_json_get_object(o, "extra")};
    io_get_fields(o, t, io_trial_fields, io_trial_nfields);
    if (t->arm < 0 || (size_t)t->arm >= rd->r->narms)
        return bad(rd, err, "a trial of an arm that the header does not have");
    int rc = result_json_get_counters(json_object_get(o, "counters"), t);
    if (rc)
        return rc == -EINVAL ? bad(rd, err, "a counter without a name") : no_memory(rd, err);
    rc = result_json_get_timeline(json_object_get(o, "timeline"), &t->timeline, &t->ntimeline, err);
    const json_t *turns = json_object_get(o, "turns");
    size_t n = json_array_size(turns);
    if (rc || !n)
        return rc;
    t->turns = calloc(n, sizeof *t->turns);
    if (!t->turns)
        return no_memory(rd, err);
    for (size_t i = 0; i < n; i++)
        get_turn(json_array_get(turns, i), &t->turns[i]);
    t->nturns = n;
    return 0;
}

static void note_spent(struct result *r, double ns)
{
    if (ns > r->spent_ns)
        r->spent_ns = ns;
}

static int get_invocation(struct reader *rd, const json_t *o, struct err *err)
{
    struct result *r = rd->r;
    struct invocation *all = realloc(r->invocations, (r->ninvocations + 1) * sizeof *all);
    if (!all)
        return no_memory(rd, err);
    r->invocations = all;
    struct invocation *inv = &all[r->ninvocations++];
    *inv = (struct invocation){.index = (int)get_int(o, "invocation", -1),
                               .look = (int)get_int(o, "look", 0),
                               .blocks = (int)get_int(o, "blocks", 0),
                               .look_at = (int)get_int(o, "look_at", 0),
                               .void_reason = result_json_get_text(o, "void"),
                               .void_arm = (int)get_int(o, "void_arm", -1),
                               .trials = rd->pending,
                               .ntrials = rd->npending};
    io_get_fields(o, inv, io_invocation_fields, io_invocation_nfields);
    note_spent(r, inv->ended_ns);
    rd->pending = NULL;
    rd->npending = rd->cap = 0;
    const json_t *cpus = json_object_get(o, "cpus");
    inv->cpus = calloc(json_array_size(cpus) + 1, sizeof *inv->cpus);
    if (!inv->cpus)
        return no_memory(rd, err);
    inv->ncpus = json_array_size(cpus);
    for (size_t i = 0; i < inv->ncpus; i++)
        inv->cpus[i] = (int)json_integer_value(json_array_get(cpus, i));
    return 0;
}

static void get_look(struct reader *rd, const json_t *o)
{
    int look = (int)get_int(o, "look", 0);
    rd->r->looks_taken = look;
    rd->r->decided = json_is_true(json_object_get(o, "decided"));
    size_t i;
    json_t *arm;
    json_array_foreach (json_object_get(o, "dropped"), i, arm) {
        json_int_t a = json_integer_value(arm);
        if (a >= 0 && (size_t)a < rd->r->narms && !rd->r->dropped_at_look[a])
            rd->r->dropped_at_look[a] = look;
    }
}

static void get_pilot(struct reader *rd, const json_t *o)
{
    struct pilot *p = &rd->r->pilot;
    *p = (struct pilot){.invocations = (int)get_int(o, "invocations", 0),
                        .blocks = (int)get_int(o, "blocks", 0)};
    io_get_fields(o, p, io_pilot_fields, io_pilot_nfields);
}

/* The first failure of an arm is the one it was taken out for. */
static int get_failure(struct reader *rd, const json_t *o, struct err *err)
{
    int64_t arm = get_int(o, "arm", -1);
    if (arm < 0 || (size_t)arm >= rd->r->narms)
        return bad(rd, err, "a failure of an arm that the header does not have");
    if (!rd->r->arms[arm].failure)
        rd->r->arms[arm].failure = result_json_get_text(o, "error");
    return 0;
}

static void get_footer(struct reader *rd, const json_t *o)
{
    rd->r->complete = true;
    rd->r->interrupted = json_is_true(json_object_get(o, "interrupted"));
    note_spent(rd->r, result_json_get_real(o, "ended_ns"));
}

/* The session was not over after all. */
static int get_resumed(struct reader *rd, const json_t *o, struct err *err)
{
    struct result *r = rd->r;
    struct pause *all = realloc(r->pauses, (r->npauses + 1) * sizeof *all);
    if (!all)
        return no_memory(rd, err);
    r->pauses = all;
    struct pause *p = &all[r->npauses++];
    *p = (struct pause){.date = result_json_get_text(o, "date"),
                        .command = result_json_get_text(o, "command"),
                        .pause_ns = result_json_get_real(o, "pause_ns"),
                        .spent_ns = result_json_get_real(o, "spent_ns"),
                        .budget_ns = result_json_get_real(o, "budget_ns"),
                        .invocations = get_int(o, "invocations", 0)};
    r->budget_ns = p->budget_ns;
    r->complete = r->interrupted = false;
    return 0;
}

static int get_record(struct reader *rd, const json_t *o, struct err *err)
{
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type)
        return bad(rd, err, "not a record of a result file (no \"type\")");
    if (!strcmp(type, "header"))
        return rd->r->arms ? bad(rd, err, "a second header") : get_header(rd, o, err);
    if (!rd->r->arms)
        return bad(rd, err, "a record before the header");
    if (!strcmp(type, "trial"))
        return get_trial(rd, o, err);
    if (!strcmp(type, "invocation"))
        return get_invocation(rd, o, err);
    if (!strcmp(type, "failure"))
        return get_failure(rd, o, err);
    if (!strcmp(type, "resumed"))
        return get_resumed(rd, o, err);
    if (!strcmp(type, "look"))
        get_look(rd, o);
    if (!strcmp(type, "pilot"))
        get_pilot(rd, o);
    if (!strcmp(type, "footer"))
        get_footer(rd, o);
    return 0; /* other types belong to later versions of the schema and do no harm */
}

/* Trials, and what took an arm out, count with the invocation whose line comes after them. */
static bool belongs_to_next(const json_t *o)
{
    return is_text(o, "type", "trial") || is_text(o, "type", "failure");
}

/* A line without its newline at the end of the file was cut: it is told and left out, unless it is whole
 * JSON. */
static int get_line(struct reader *rd, const char *line, size_t n, bool cut, struct err *err)
{
    json_error_t why;
    json_t *o = json_loadb(line, n, JSON_REJECT_DUPLICATES, &why);
    if (!o && cut) {
        free(rd->r->damage);
        if (asprintf(&rd->r->damage, "line %zu was cut off and is left out", rd->line) < 0)
            rd->r->damage = NULL;
        return rd->r->damage ? 0 : no_memory(rd, err);
    }
    if (!o)
        return err_set(err, -EINVAL, "%s:%zu: not JSON: %s", rd->path, rd->line, why.text);
    int rc = get_record(rd, o, err);
    if (!belongs_to_next(o))
        rd->tail = (struct io_tail){.whole = rd->tail.bytes, .bytes = rd->tail.bytes, .open_line = cut};
    json_decref(o);
    return rc;
}

static int note_damage(struct reader *rd, struct err *err)
{
    struct result *r = rd->r;
    if (!rd->npending && r->complete)
        return 0;
    char *text = NULL;
    const char *tail = r->complete ? "" : "the session did not come to its end (no footer)";
    const char *trials = rd->npending ? "; trials of an unfinished invocation are left out" : "";
    const char *old = r->damage ? r->damage : "";
    if (asprintf(&text, "%s%s%s%s", old, *old && *tail ? "; " : "", tail, trials) < 0)
        return no_memory(rd, err);
    free(r->damage);
    r->damage = text;
    return 0;
}

/* Trials that never got their invocation line are freed with the result, as an invocation that is not
 * counted. */
static void drop_pending(struct reader *rd)
{
    struct result orphans = {0};
    struct invocation inv = {.trials = rd->pending, .ntrials = rd->npending};
    orphans.invocations = malloc(sizeof inv);
    if (!orphans.invocations)
        return;
    orphans.invocations[0] = inv;
    orphans.ninvocations = 1;
    result_fini(&orphans);
}

static int no_header(const struct reader *rd, struct err *err)
{
    return rd->r->damage && rd->line == 1
               ? err_set(err, -EINVAL, "%s: no header: not a result file, or its first line was cut off",
                         rd->path)
               : err_set(err, -EINVAL, "%s: no header: not a result file", rd->path);
}

int io_read_stream(FILE *f, const char *path, struct result *out, struct io_tail *tail, struct err *err)
{
    *out = (struct result){0};
    struct reader rd = {.path = path, .r = out};
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int rc = 0;
    while (!rc && (n = getline(&line, &cap, f)) > 0) {
        rd.line++;
        rd.tail.bytes += n;
        bool cut = line[n - 1] != '\n';
        if (n > 1 || cut)
            rc = get_line(&rd, line, (size_t)n, cut, err);
    }
    if (!rc && ferror(f))
        rc = err_set_errno(err, -errno, "cannot read the result file '%s'", path);
    if (!rc && !out->arms)
        rc = no_header(&rd, err);
    if (!rc)
        rc = note_damage(&rd, err);
    *tail = rd.tail;
    free(line);
    drop_pending(&rd);
    if (rc)
        result_fini(out);
    return rc;
}

int result_read(const char *path, struct result *out, struct err *err)
{
    struct io_tail tail;
    *out = (struct result){0};
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set_errno(err, -errno, "cannot read the result file '%s'", path);
    int rc = io_read_stream(f, path, out, &tail, err);
    if (!rc)
        out->path = strdup(path);
    fclose(f);
    return rc;
}
