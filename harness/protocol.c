/* Coding and decoding of the trial protocol. */
#include "harness/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/json.h"

static const double QUANTITY_MOST = 9.2e18; /* of any unit: 292 years in ns; sums of such stay finite */
enum { MARKS_LEAST_MOST = 32 };             /* nobody has to tell more marks than this */
enum { COUNTERS_MOST = 1024, PARTS_MOST = 65537, OBJECT_BYTES_MOST = 4 << 20 };

json_t *harness_spec_json(const struct trial_spec *s)
{
    json_t *workers = json_array();
    for (int i = 0; s->worker_cpus && i < s->setting.workers; i++)
        json_array_append_new(workers, result_json_text(s->worker_cpus[i]));
    return json_pack("{s:{s:i, s:{s:o, s:o, s:o, s:I, s:o, s:o, s:o}, s:{s:i, s:i, s:i, s:o, s:o}, s:I, s:I, "
                     "s:o, s:{s:b, s:o, s:o}}}",
                     "spec", "protocol", HARNESS_PROTOCOL_VERSION, "workload", "data",
                     result_json_text(s->workload.data), "transform", result_json_text(s->workload.transform),
                     "sampler", result_json_text(s->workload.sampler), "batch_size",
                     (json_int_t)s->workload.batch_size, "consumer", result_json_text(s->workload.consumer),
                     "on_error", result_json_text(s->workload.on_error), "cache",
                     result_json_text(s->workload.cache), "setting", "workers", s->setting.workers, "threads",
                     s->setting.threads, "prefetch_factor", s->setting.prefetch_factor, "affinity",
                     result_json_text(s->setting.affinity), "backend", result_json_text(s->setting.backend),
                     "seed", (json_int_t)s->seed, "spawned_ns", (json_int_t)s->spawned_ns, "counters",
                     result_json_text(s->counters), "placement", "bound", s->bound, "main",
                     result_json_text(s->main_cpus), "workers", workers);
}

static int need_int(const json_t *o, const char *key, int64_t min, int64_t max, int64_t *out, struct err *err)
{
    const json_t *v = json_object_get(o, key);
    *out = json_integer_value(v);
    if (!json_is_integer(v))
        return err_set(err, -EINVAL, "spec: \"%s\" is missing or no whole number", key);
    if (*out < min || *out > max)
        return err_set(err, -EINVAL, "spec: \"%s\" is %lld, outside %lld to %lld", key, (long long)*out,
                       (long long)min, (long long)max);
    return 0;
}

static int need_text(const json_t *o, const char *key, char **out, struct err *err)
{
    *out = result_json_get_text(o, key);
    return *out ? 0 : err_set(err, -EINVAL, "spec: \"%s\" is missing or no text", key);
}

static int parse_worker_cpus(const json_t *list, struct trial_spec *out, struct err *err)
{
    out->worker_cpus = calloc((size_t)out->setting.workers + 1, sizeof *out->worker_cpus);
    if (!out->worker_cpus)
        return err_set(err, -ENOMEM, "spec: out of memory");
    for (int i = 0; i < out->setting.workers; i++) {
        const char *cpus = json_string_value(json_array_get(list, (size_t)i));
        out->worker_cpus[i] = cpus ? strdup(cpus) : NULL;
        if (!out->worker_cpus[i])
            return err_set(err, -EINVAL, "spec: placement of worker %d of %d is missing", i,
                           out->setting.workers);
    }
    return 0;
}

static int parse_setting(const json_t *o, struct setting *out, struct err *err)
{
    int64_t workers, threads, prefetch;
    int rc = need_int(o, "workers", 0, 65536, &workers, err);
    rc = rc ? rc : need_int(o, "threads", 1, 65536, &threads, err);
    rc = rc ? rc : need_int(o, "prefetch_factor", 0, 65536, &prefetch, err);
    if (rc)
        return rc;
    out->workers = (int)workers;
    out->threads = (int)threads;
    out->prefetch_factor = (int)prefetch;
    rc = need_text(o, "affinity", &out->affinity, err);
    return rc ? rc : need_text(o, "backend", &out->backend, err);
}

static int parse_spec(const json_t *o, struct trial_spec *out, struct err *err)
{
    int64_t version, seed = 0, spawned = 0;
    int rc = need_int(o, "protocol", INT32_MIN, INT32_MAX, &version, err);
    if (!rc && version != HARNESS_PROTOCOL_VERSION)
        rc = err_set(err, -EPROTO, "spec: protocol version %d; this subject speaks version %d", (int)version,
                     HARNESS_PROTOCOL_VERSION);
    const json_t *w = json_object_get(o, "workload"), *p = json_object_get(o, "placement");
    rc = rc ? rc : need_text(w, "data", &out->workload.data, err);
    rc = rc ? rc : need_text(w, "transform", &out->workload.transform, err);
    rc = rc ? rc : need_text(w, "sampler", &out->workload.sampler, err);
    rc = rc ? rc : need_int(w, "batch_size", 1, INT32_MAX, &out->workload.batch_size, err);
    out->workload.consumer = result_json_get_text(w, "consumer");
    out->workload.on_error = result_json_get_text(w, "on_error");
    out->workload.cache = result_json_get_text(w, "cache");
    rc = rc ? rc : parse_setting(json_object_get(o, "setting"), &out->setting, err);
    rc = rc ? rc : need_int(o, "seed", INT64_MIN, INT64_MAX, &seed, err);
    rc = rc ? rc : need_int(o, "spawned_ns", 0, INT64_MAX, &spawned, err);
    rc = rc ? rc : need_text(p, "main", &out->main_cpus, err);
    rc = rc ? rc : parse_worker_cpus(json_object_get(p, "workers"), out, err);
    out->seed = (uint64_t)seed;
    out->spawned_ns = (uint64_t)spawned;
    out->counters = result_json_get_text(o, "counters");
    out->bound = json_is_true(json_object_get(p, "bound"));
    return rc;
}

int harness_spec_parse(const json_t *line, struct trial_spec *out, struct err *err)
{
    *out = (struct trial_spec){0};
    const json_t *spec = json_object_get(line, "spec");
    if (!spec)
        return err_set(err, -EINVAL, "the first line is no spec: {\"spec\": {...}}");
    int rc = parse_spec(spec, out, err);
    if (rc)
        harness_spec_fini(out);
    return rc;
}

void harness_spec_fini(struct trial_spec *s)
{
    for (int i = 0; s->worker_cpus && i < s->setting.workers; i++)
        free(s->worker_cpus[i]);
    free(s->worker_cpus);
    result_workload_fini(&s->workload);
    result_setting_fini(&s->setting);
    free(s->main_cpus);
    free(s->counters);
    *s = (struct trial_spec){0};
}

/* ---- answers: what a subject says is held to what can be known without it ---- */

/* Time that a subject may tell when so much passed here: the rest is for a clock that ticks once a millisecond, or goes
 * a little faster than ours. */
static double tellable_ns(double waited_ns)
{
    return 1.01 * waited_ns + 1e6;
}

/* Time that may be missing from what a subject tells: the ways there and back, and coding of the answer. */
static double missable_ns(const struct harness_turn_bounds *b)
{
    return 5e6 + 0.05 * b->waited_ns + b->delayed_ns;
}

/* A number; NaN where it is missing or null. */
static int get_quantity(const json_t *o, const char *what, const char *key, double most, double *out,
                        struct err *err)
{
    const json_t *v = json_object_get(o, key);
    *out = NAN;
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_number(v))
        return err_set(err, -EPROTO, "%s: \"%s\" is no number", what, key);
    double value = json_number_value(v);
    if (!(value >= 0 && value <= most))
        return err_set(err, -EPROTO, "%s: \"%s\" is %.9g, outside 0 to %.9g", what, key, value, most);
    *out = value;
    return 0;
}

/* An object that is kept as it is. Errors: -EPROTO another kind, too large; -ENOMEM. */
static int keep_object(const json_t *o, const char *what, const char *key, char **out, struct err *err)
{
    const json_t *v = json_object_get(o, key);
    free(*out);
    *out = NULL;
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_object(v))
        return err_set(err, -EPROTO, "%s: \"%s\" is no object", what, key);
    size_t bytes = json_dumpb(v, NULL, 0, JSON_COMPACT);
    if (bytes > OBJECT_BYTES_MOST)
        return err_set(err, -EPROTO, "%s: \"%s\" has %zu bytes, at most %d", what, key, bytes,
                       OBJECT_BYTES_MOST);
    *out = result_json_get_object(o, key);
    return *out ? 0 : err_set(err, -ENOMEM, "out of memory for an answer");
}

static int need_whole(const json_t *o, const char *key, double *out, struct err *err)
{
    const json_t *v = json_object_get(o, key);
    *out = json_number_value(v);
    bool whole = json_is_number(v) && *out == floor(*out);
    return whole ? 0 : err_set(err, -EPROTO, "turn: \"%s\" is missing or no whole number", key);
}

/* How much was delivered, and how long it took. */
static int parse_amount(const json_t *o, const struct harness_turn_bounds *b, struct turn *out,
                        struct err *err)
{
    double batches, samples, asked = (double)b->batches, most = asked * (double)b->batch_size;
    int rc = need_whole(o, "batches", &batches, err);
    if (!rc && batches != asked)
        rc = err_set(err, -EPROTO, "turn: \"batches\" is %.17g where %.17g were asked for", batches, asked);
    rc = rc ? rc : need_whole(o, "samples", &samples, err);
    if (!rc && (samples < 1 || samples > most))
        rc = err_set(err, -EPROTO, "turn: \"samples\" is %.17g, outside 1 to %.17g", samples, most);
    double wall_ns;
    rc = rc ? rc : get_quantity(o, "turn", "wall_ns", tellable_ns(b->waited_ns), &wall_ns, err);
    if (!rc && !(wall_ns >= 1))
        rc = err_set(err, -EPROTO, "turn: \"wall_ns\" is missing or below 1: a turn takes time");
    if (rc)
        return rc;
    out->batches = (int64_t)batches;
    out->samples = (int64_t)samples;
    out->wall_ns = wall_ns;
    out->cost_ns = wall_ns / samples;
    return 0;
}

/* What was timed and what was not is all that passed, as far as the subject tells. */
static int parse_untimed(const json_t *o, const struct harness_turn_bounds *b, struct turn *out,
                         struct err *err)
{
    double most = tellable_ns(b->waited_ns);
    int rc = get_quantity(o, "turn", "untimed_ns", most, &out->untimed_ns, err);
    out->seen_ns = b->waited_ns;
    if (rc || isnan(out->untimed_ns))
        return rc;
    double told = out->wall_ns + out->untimed_ns;
    if (told > most)
        return err_set(
            err, -EPROTO,
            "turn: \"wall_ns\" and \"untimed_ns\" are %.9g together, more than the %.9g that passed", told,
            most);
    if (b->waited_ns - told > missable_ns(b) &&
        asprintf(&out->void_reason,
                 "turn: told %.3g ms timed and %.3g ms untimed for a turn that took %.3g ms from here",
                 out->wall_ns / 1e6, out->untimed_ns / 1e6, b->waited_ns / 1e6) < 0) {
        out->void_reason = NULL;
        return err_set(err, -ENOMEM, "out of memory for a turn");
    }
    return 0;
}

/* Totals that become means of a sample. */
static int parse_means(const json_t *o, struct turn *out, struct err *err)
{
    const struct {
        const char *key;
        double *to;
    } means[] = {{"item_ns", &out->item_ns},
                 {"cpu_ns", &out->cpu_ns},
                 {"overhead_ns", &out->overhead_ns},
                 {"voluntary_switches", &out->voluntary_switches},
                 {"involuntary_switches", &out->involuntary_switches},
                 {"migrations", &out->migrations},
                 {"page_faults", &out->page_faults}};
    const json_t *waits = json_object_get(o, "wait_ns");
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof means / sizeof *means; i++) {
        rc = get_quantity(o, "turn", means[i].key, QUANTITY_MOST, means[i].to, err);
        *means[i].to /= (double)out->samples;
    }
    for (int i = 0; !rc && i < RESULT_WAIT_CAUSES; i++) {
        rc = get_quantity(waits, "turn: \"wait_ns\"", result_wait_names[i], QUANTITY_MOST, &out->wait_ns[i],
                          err);
        out->wait_ns[i] /= (double)out->samples;
    }
    return rc ? rc : get_quantity(o, "turn", "stall_ratio", QUANTITY_MOST, &out->stall_ratio, err);
}

int harness_turn_parse(const json_t *answer, const struct harness_turn_bounds *bounds, struct turn *out,
                       struct err *err)
{
    struct turn t = result_turn_unknown();
    const json_t *o = json_object_get(answer, "turn");
    *out = result_turn_unknown();
    int rc = parse_amount(o, bounds, &t, err);
    rc = rc ? rc : parse_untimed(o, bounds, &t, err);
    rc = rc ? rc : parse_means(o, &t, err);
    if (rc)
        return rc;
    t.items = result_json_get_histogram(json_object_get(o, "items"));
    if (t.items && t.items->total != (uint64_t)t.samples) {
        rc = err_set(err, -EPROTO, "turn: \"items\" counts %llu samples where %lld were delivered",
                     (unsigned long long)t.items->total, (long long)t.samples);
        free(t.items);
        return rc;
    }
    rc = keep_object(o, "turn", "extra", &t.extra, err);
    if (rc)
        free(t.items);
    else
        *out = t;
    return rc;
}

int harness_timeline_parse(const json_t *answer, int64_t batches, struct trial *out, struct err *err)
{
    const json_t *turn = json_object_get(answer, "turn"), *list = json_object_get(turn, "timeline");
    size_t n = json_array_size(list);
    free(out->timeline);
    out->timeline = NULL;
    out->ntimeline = 0;
    if (!json_is_object(turn))
        return err_set(err, -EPROTO, "expected {\"turn\": {...}}");
    if (list && !json_is_null(list) && !json_is_array(list))
        return err_set(err, -EPROTO, "turn: \"timeline\" is no list");
    if (n > (uint64_t)batches)
        return err_set(err, -EPROTO, "turn: \"timeline\" has %zu batches where %lld were asked for", n,
                       (long long)batches);
    int rc = result_json_get_timeline(list, &out->timeline, &out->ntimeline, err);
    if (!rc && out->ntimeline < n)
        rc = err_set(
            err, -EPROTO,
            "turn: \"timeline\" has %zu batches that are none: each is six numbers, received after it was "
            "finished, finished after it was started",
            n - out->ntimeline);
    return rc;
}

int harness_ready_parse(const json_t *answer, double waited_ns, struct trial *out, struct err *err)
{
    const json_t *o = json_object_get(answer, "ready");
    if (!json_is_object(o))
        return err_set(err, -EPROTO, "expected {\"ready\": {...}}");
    double most = fmin(tellable_ns(waited_ns), QUANTITY_MOST);
    int rc = get_quantity(o, "ready", "start_ns", most, &out->start_ns, err);
    rc = rc ? rc : get_quantity(o, "ready", "first_batch_ns", most, &out->first_batch_ns, err);
    rc = rc ? rc : get_quantity(o, "ready", "work_flops", QUANTITY_MOST, &out->work_flops, err);
    if (rc)
        return rc;
    free(out->placement_text);
    out->placement_text = result_json_get_text(o, "placement_mismatch");
    return keep_object(o, "ready", "placement", &out->placement, err);
}

static int check_text(const json_t *o, const char *key, struct err *err)
{
    const json_t *v = json_object_get(o, key);
    bool good = !v || json_is_null(v) || json_is_string(v);
    return good ? 0 : err_set(err, -EPROTO, "totals: \"%s\" is no text", key);
}

/* Hashes after 1, 2, 4, ... samples: none (it does not tell), or as many as the samples of the turns make at least. */
static int check_marks(const json_t *extra, const char *key, const struct trial *t, struct err *err)
{
    const json_t *marks = json_object_get(extra, key);
    size_t n = json_array_size(marks), least = 0;
    int64_t samples = 0;
    if (marks && !json_is_array(marks))
        return err_set(err, -EPROTO, "totals: \"%s\" is no list", key);
    for (size_t i = 0; i < n; i++)
        if (!json_is_string(json_array_get(marks, i)))
            return err_set(err, -EPROTO, "totals: \"%s\" has something at %zu that is no text", key, i);
    for (size_t i = 0; i < t->nturns; i++)
        samples += t->turns[i].samples;
    while (least < MARKS_LEAST_MOST && samples >> least)
        least++;
    if (n && n < least)
        return err_set(err, -EPROTO,
                       "totals: \"%s\" has %zu hashes, fewer than the %zu that %lld samples make", key, n,
                       least, (long long)samples);
    return 0;
}

static int check_delivery(const json_t *totals, const struct trial *t, struct err *err)
{
    const json_t *extra = json_object_get(totals, "extra");
    if (extra && !json_is_object(extra))
        return err_set(err, -EPROTO, "totals: \"extra\" is no object");
    int rc = check_text(totals, "order_hash", err);
    rc = rc ? rc : check_text(totals, "set_hash", err);
    rc = rc ? rc : check_marks(extra, "set_at", t, err);
    rc = rc ? rc : check_marks(extra, "order_at", t, err);
    size_t sets = json_array_size(json_object_get(extra, "set_at")),
           orders = json_array_size(json_object_get(extra, "order_at"));
    if (!rc && sets != orders)
        rc = err_set(err, -EPROTO, "totals: \"set_at\" has %zu hashes and \"order_at\" %zu", sets, orders);
    return rc;
}

/* A value and its share, or none and the reason. `what` is the counter's name, or whose part of it. */
static int check_count(const json_t *o, const char *what, struct err *err)
{
    double value, share;
    int rc = get_quantity(o, what, "value", QUANTITY_MOST, &value, err);
    rc = rc ? rc : get_quantity(o, what, "share", 1, &share, err);
    if (rc)
        return rc;
    if (isnan(value) && !json_is_string(json_object_get(o, "unavailable")))
        return err_set(err, -EPROTO, "%s: neither \"value\" nor \"unavailable\"", what);
    if (!isnan(value) && !(share > 0))
        return err_set(err, -EPROTO, "%s: \"share\" is missing or 0 where there is a value", what);
    return 0;
}

/* Each of a list of counters, or of the parts of one (key "who"): what it is named, and its count. */
static int check_counts(const json_t *list, const char *field, const char *key, size_t most, struct err *err)
{
    size_t i;
    json_t *o;
    if (list && !json_is_array(list))
        return err_set(err, -EPROTO, "totals: \"%s\" is no list", field);
    if (json_array_size(list) > most)
        return err_set(err, -EPROTO, "totals: \"%s\" has %zu members, at most %zu", field,
                       json_array_size(list), most);
    json_array_foreach (list, i, o) {
        char what[160];
        const char *name = json_string_value(json_object_get(o, key));
        if (!name)
            return err_set(err, -EPROTO, "totals: \"%s\" has something at %zu without \"%s\"", field, i, key);
        snprintf(what, sizeof what, "totals: %s '%s'", field, name);
        int rc = check_count(o, what, err);
        if (!rc && !strcmp(field, "counters"))
            rc = check_counts(json_object_get(o, "by"), "by", "who", PARTS_MOST, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* It cannot have delivered less than its turns did. */
static int check_delivered(const json_t *totals, const struct trial *t, struct err *err)
{
    double samples, sum = 0;
    int rc = get_quantity(totals, "totals", "samples", QUANTITY_MOST, &samples, err);
    for (size_t i = 0; i < t->nturns; i++)
        sum += (double)t->turns[i].samples;
    if (!rc && samples < sum)
        rc = err_set(err, -EPROTO, "totals: \"samples\" is %.17g, less than the %.17g of the turns", samples,
                     sum);
    return rc;
}

int harness_totals_parse(const json_t *answer, struct trial *out, struct err *err)
{
    const json_t *o = json_object_get(answer, "totals");
    if (!json_is_object(o))
        return err_set(err, -EPROTO, "expected {\"totals\": {...}}");
    int rc = check_delivery(o, out, err);
    rc = rc ? rc : check_delivered(o, out, err);
    rc = rc ? rc : check_counts(json_object_get(o, "counters"), "counters", "name", COUNTERS_MOST, err);
    rc = rc ? rc : keep_object(o, "totals", "extra", &out->extra, err);
    if (rc)
        return rc;
    free(out->order_hash);
    free(out->set_hash);
    out->order_hash = result_json_get_text(o, "order_hash");
    out->set_hash = result_json_get_text(o, "set_hash");
    rc = result_json_get_counters(json_object_get(o, "counters"), out);
    return rc == -ENOMEM ? err_set(err, rc, "out of memory for the counters") : 0;
}
