/* Writing result files: append-only JSON lines, each written whole by one write(2), so that a reader (or the
 * next session after a kill) never sees half a record but at the very end. */
#include "results/io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io_fields.h"
#include "io_open.h"
#include "results/json.h"

/* Text that holds a JSON object; null when there is none. */
static json_t *object_or_null(const char *text)
{
    json_t *v = text ? json_loads(text, 0, NULL) : NULL;
    return v ? v : json_null();
}

static int write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t done = write(fd, data, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -errno;
        data += done;
        n -= (size_t)done;
    }
    return 0;
}

/* Takes the reference to `line`. */
static int put_line(struct result_writer *w, json_t *line, struct err *err)
{
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(line);
    if (!text)
        return err_set(err, -ENOMEM, "%s: out of memory for a record", w->path);
    size_t n = strlen(text);
    char *with_newline = realloc(text, n + 2);
    if (!with_newline) {
        free(text);
        return err_set(err, -ENOMEM, "%s: out of memory for a record of %zu bytes", w->path, n);
    }
    memcpy(with_newline + n, "\n", 2);
    int rc = write_all(w->fd, with_newline, n + 1);
    free(with_newline);
    return rc ? err_set_errno(err, rc, "%s: cannot write a record of %zu bytes", w->path, n + 1) : 0;
}

static json_t *arms_json(const struct result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->narms; i++) {
        const struct arm *a = &r->arms[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:i}", "name", result_json_text(a->name),
                                              "subject", result_json_text(a->subject), "workload",
                                              result_json_workload(&a->workload), "setting",
                                              result_json_setting(&a->setting), "cpus_asked", a->cpus_asked));
    }
    return list;
}

static json_t *header_json(const struct result *r)
{
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:f, s:i, s:i, s:i, s:o, s:i, s:o, s:o, s:o, s:o}",
        "type", "header", "schema", RESULT_SCHEMA, "tool", result_json_text(r->tool), "command",
        result_json_text(r->command), "started", result_json_text(r->started), "commit",
        result_json_text(r->commit), "seed", (json_int_t)r->seed, "alpha", result_json_real(r->alpha),
        "margin", result_json_real(r->margin), "max_stall", r->max_stall, "looks_planned", r->looks_planned,
        "warmup_blocks", r->warmup_blocks, "together_max", r->together_max, "budget_ns",
        result_json_real(r->budget_ns), "cpu_budget", r->cpu_budget, "cpu_budget_text",
        result_json_text(r->cpu_budget_text), "environment", object_or_null(r->environment), "session",
        object_or_null(r->session), "arms", arms_json(r));
}

int result_writer_open(const char *path, const struct result *r, struct result_writer **out, struct err *err)
{
    *out = NULL;
    struct result_writer *w = io_writer_create(path, err);
    if (!w)
        return -ENOMEM;
    int rc = 0;
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (w->fd < 0)
        rc = err_set_errno(err, -errno, "cannot create the result file '%s'", path);
    rc = rc ? rc : io_lock(w, err);
    rc = rc ? rc : put_line(w, header_json(r), err);
    if (rc)
        result_writer_close(w);
    else
        *out = w;
    return rc;
}

static json_t *turn_json(const struct turn *t)
{
    json_t *o = json_pack("{s:i, s:i, s:I, s:I}", "block", t->block, "slot", t->slot, "batches",
                          (json_int_t)t->batches, "samples", (json_int_t)t->samples);
    io_put_fields(o, t, io_turn_fields, io_turn_nfields);
    json_t *waits = json_object();
    for (int i = 0; i < RESULT_WAIT_CAUSES; i++)
        json_object_set_new(waits, result_wait_names[i], result_json_real(t->wait_ns[i]));
    json_object_set_new(o, "wait_ns", waits);
    json_object_set_new(o, "items", result_json_histogram(t->items));
    if (t->void_reason)
        json_object_set_new(o, "void", result_json_text(t->void_reason));
    if (t->extra)
        json_object_set_new(o, "extra", object_or_null(t->extra));
    return o;
}

static json_t *trial_json(const struct invocation *inv, const struct trial *t)
{
    json_t *o = json_pack("{s:s, s:i, s:i}", "type", "trial", "invocation", inv->index, "arm", t->arm);
    io_put_fields(o, t, io_trial_fields, io_trial_nfields);
    json_object_set_new(o, "order_hash", result_json_text(t->order_hash));
    json_object_set_new(o, "set_hash", result_json_text(t->set_hash));
    json_object_set_new(o, "placement", object_or_null(t->placement));
    json_object_set_new(o, "placement_mismatch", result_json_text(t->placement_text));
    json_object_set_new(o, "counters", result_json_counters(t));
    if (t->extra)
        json_object_set_new(o, "extra", object_or_null(t->extra));
    json_t *turns = json_array();
    for (size_t i = 0; i < t->nturns; i++)
        json_array_append_new(turns, turn_json(&t->turns[i]));
    json_object_set_new(o, "turns", turns);
    if (t->ntimeline)
        json_object_set_new(o, "timeline", result_json_timeline(t->timeline, t->ntimeline));
    return o;
}

static json_t *invocation_json(const struct invocation *inv)
{
    json_t *cpus = json_array();
    for (size_t i = 0; i < inv->ncpus; i++)
        json_array_append_new(cpus, json_integer(inv->cpus[i]));
    json_t *o = json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o}", "type", "invocation", "invocation",
                          inv->index, "look", inv->look, "look_at", inv->look_at, "blocks", inv->blocks,
                          "void", result_json_text(inv->void_reason), "cpus", cpus);
    if (inv->void_reason && inv->void_arm >= 0)
        json_object_set_new(o, "void_arm", json_integer(inv->void_arm));
    io_put_fields(o, inv, io_invocation_fields, io_invocation_nfields);
    return o;
}

int result_writer_invocation(struct result_writer *w, const struct invocation *inv, struct err *err)
{
    for (size_t i = 0; i < inv->ntrials; i++) {
        int rc = put_line(w, trial_json(inv, &inv->trials[i]), err);
        if (rc)
            return rc;
    }
    return put_line(w, invocation_json(inv), err);
}

int result_writer_look(struct result_writer *w, int look, bool decided, const bool *dropped, size_t narms,
                       struct err *err)
{
    json_t *list = json_array();
    for (size_t i = 0; i < narms; i++)
        if (dropped[i])
            json_array_append_new(list, json_integer((json_int_t)i));
    return put_line(
        w,
        json_pack("{s:s, s:i, s:b, s:o}", "type", "look", "look", look, "decided", decided, "dropped", list),
        err);
}

int result_writer_failure(struct result_writer *w, int invocation, int arm, const char *why, struct err *err)
{
    return put_line(w,
                    json_pack("{s:s, s:i, s:i, s:o}", "type", "failure", "invocation", invocation, "arm", arm,
                              "error", result_json_text(why)),
                    err);
}

int result_writer_pilot(struct result_writer *w, const struct pilot *p, struct err *err)
{
    json_t *o =
        json_pack("{s:s, s:i, s:i}", "type", "pilot", "invocations", p->invocations, "blocks", p->blocks);
    io_put_fields(o, p, io_pilot_fields, io_pilot_nfields);
    return put_line(w, o, err);
}

int result_writer_footer(struct result_writer *w, const struct result *r, struct err *err)
{
    return put_line(w,
                    json_pack("{s:s, s:b, s:I, s:o}", "type", "footer", "interrupted", r->interrupted,
                              "invocations", (json_int_t)r->ninvocations, "ended_ns",
                              result_json_real(r->spent_ns)),
                    err);
}

static json_t *resumed_json(const struct pause *p)
{
    return json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o}", "type", "resumed", "date",
                     result_json_text(p->date), "command", result_json_text(p->command), "invocations",
                     (json_int_t)p->invocations, "pause_ns", result_json_real(p->pause_ns), "spent_ns",
                     result_json_real(p->spent_ns), "budget_ns", result_json_real(p->budget_ns));
}

/* What counts nowhere goes first: the next record must not stand behind the trials of another invocation. */
int result_writer_resumed(struct result_writer *w, const struct pause *p, struct err *err)
{
    if (ftruncate(w->fd, w->tail.whole))
        return err_set_errno(err, -errno, "%s: cannot cut off %lld bytes at its end", w->path,
                             (long long)(w->tail.bytes - w->tail.whole));
    int rc = w->tail.open_line ? write_all(w->fd, "\n", 1) : 0;
    return rc ? err_set_errno(err, rc, "%s: cannot write to it", w->path) : put_line(w, resumed_json(p), err);
}

void result_writer_close(struct result_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w);
}
