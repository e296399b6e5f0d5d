/* The core as a subject: reads the spec, builds the workload, answers turns.
 *
 * Order matters in start_up: the process binds itself before anything allocates, so that memory is first touched where
 * it will be used; counters are opened and placement is read back after each worker made a sample, since a BLAS starts its
 * threads with its first product. */
#include "harness/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "datasets/cache.h"
#include "harness/affinity.h"
#include "harness/budget.h"
#include "results/json.h"
#include "trial_placement.h"
#include "trial_threads.h"
#include "trial_turn.h"

static int say(int out, json_t *line, struct err *err)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text)
        return err_set(err, -ENOMEM, "out of memory for an answer");
    size_t n = strlen(text);
    text[n] = '\n';
    const char *p = text;
    int rc = 0;
    for (size_t left = n + 1; left && !rc;) {
        ssize_t done = write(out, p, left);
        if (done < 0 && errno != EINTR)
            rc = err_set_errno(err, -errno, "cannot answer");
        p += done > 0 ? done : 0;
        left -= done > 0 ? (size_t)done : 0;
    }
    free(text);
    return rc;
}

/* The page cache as asked; what became of it goes into `ready`. New reference, NULL when nothing was asked. */
static int set_cache(const struct workload_run *w, json_t **out, struct err *err)
{
    const char *want = w->spec->workload.cache;
    struct data_cache_report report;
    int state = DATA_CACHE_AS_IS;
    *out = NULL;
    while (want && data_cache_names[state] && strcmp(data_cache_names[state], want))
        state++;
    if (!want || !data_cache_names[state])
        return want ? err_set(err, -EINVAL, "unknown state of the page cache '%s'", want) : 0;
    int rc = data_cache_apply(w->source, (enum data_cache)state, &report, err);
    if (!rc)
        *out = json_pack("{s:s, s:b, s:I, s:I, s:I, s:s}", "asked", want, "held", report.held, "files",
                         (json_int_t)report.files, "bytes", (json_int_t)report.bytes, "resident_bytes",
                         (json_int_t)report.resident_bytes, "reason", report.reason);
    return rc;
}

static int open_loader(struct trial_run *t, struct err *err)
{
    struct workload_run *w = &t->workload;
    const struct setting *s = &w->spec->setting;
    struct loader_config cfg = {.dataset = &w->dataset,
                                .num_workers = s->workers,
                                .batch_size = w->spec->workload.batch_size,
                                .sampler = w->info->iterable ? NULL : &w->sampler,
                                .seed = w->spec->seed,
                                .prefetch_factor = s->workers ? s->prefetch_factor : 0,
                                .persistent_workers = s->workers > 0,
                                .backend = strcmp(s->backend, "thread") ? LOADER_BACKEND_PROCESS
                                                                        : LOADER_BACKEND_THREAD,
                                .item_times = true,
                                .worker_init = workload_init_worker,
                                .worker_init_arg = w};
    int rc = loader_create(&cfg, &t->loader, err);
    if (!rc && !s->workers)
        rc = workload_init_worker(w, NULL, err);
    return rc ? rc : loader_iter_open(t->loader, &t->iter, err);
}

static int check_backend(const struct setting *s, struct err *err)
{
    if (!s->workers || !strcmp(s->backend, "process") || !strcmp(s->backend, "thread"))
        return 0;
    return err_set(err, -EINVAL, "spec: backend '%s' is none of process, thread", s->backend);
}

/* The consumer first, then each worker: a process of its own, or a thread of this one. */
static int open_counters(struct trial_run *t, const struct trial_spec *spec, struct err *err)
{
    int workers = spec->setting.workers;
    struct harness_counted *who = calloc((size_t)workers + 1, sizeof *who);
    if (!who)
        return err_set(err, -ENOMEM, "out of memory for the counters of %d workers", workers);
    for (int k = 0; k < workers; k++) {
        who[k + 1].pid = k < t->npids ? t->pid[k] : 0;
        who[k + 1].tid = t->npids ? 0 : t->workload.probe[k].tid;
    }
    const struct harness_counters_ask ask = {
        .who = who, .n = (size_t)workers + 1, .names = spec->counters, .sde = t->events != NULL};
    int rc = harness_counters_open(&ask, &t->counters, err);
    free(who);
    return rc;
}

static int start_up(struct trial_run *t, const struct trial_spec *spec, json_t **ready, struct err *err)
{
    int rc = check_backend(&spec->setting, err);
    rc = rc || !spec->bound ? rc : harness_affinity_bind(spec->main_cpus, err);
    rc = rc ? rc : consumer_parse(spec->workload.consumer, &t->consumer, err);
    rc = rc ? rc : workload_open(&t->workload, spec, false, err);
    rc = rc ? rc : set_cache(&t->workload, &t->cache, err);
    struct harness_budget budget;
    harness_budget_read("", 0, &budget);
    harness_throttle_init(&t->throttle, budget.quota > 0 ? budget.quota_from : "");
    if (!rc && harness_sde_open(&t->iter, &t->events, NULL))
        t->events = NULL;
    rc = rc ? rc : open_loader(t, err);
    rc = rc ? rc : consumer_open(&t->consumer, &t->workload.output, spec->workload.batch_size, err);
    /* Two rounds: each worker has made a sample, and its threads are there. */
    rc = rc ? rc : trial_take(t, 2 * (spec->setting.workers ? spec->setting.workers : 1), NULL, err);
    if (rc)
        return rc;
    t->npids = loader_iter_pids(t->iter, t->pid, TURN_PIDS_MAX);
    rc = open_counters(t, spec, err);
    if (rc)
        return rc;
    struct loader_stats stats;
    loader_iter_stats(t->iter, &stats);
    struct err why = {0};
    json_t *placement = trial_placement_json(&t->workload, &why);
    if (why.code && why.code != -EXDEV) { /* not known is not "it did not hold" */
        json_decref(placement);
        return err_set(err, why.code, "%s", why.text);
    }
    double start_ns = spec->spawned_ns ? (double)(clock_now_ns() - spec->spawned_ns) : 0;
    *ready = json_pack("{s:{s:f, s:I, s:o, s:o, s:f, s:f}}", "ready", "start_ns", start_ns, "first_batch_ns",
                       (json_int_t)stats.first_batch_ns, "placement", placement, "placement_mismatch",
                       result_json_text(why.code ? why.text : NULL), "work_flops", t->workload.work.flops,
                       "work_bytes", t->workload.work.bytes);
    return *ready ? 0 : err_set(err, -ENOMEM, "out of memory for an answer");
}

/* A value a sample with its share, or null and the reason. New reference. */
static json_t *count_json(struct harness_count c, int64_t samples, const char *key, const char *name)
{
    if (!c.reason && !samples)
        c.reason = "no turn was timed";
    json_t *o = json_pack("{s:s, s:o}", key, name, "value",
                          result_json_real(c.reason ? NAN : c.value / (double)samples));
    if (c.reason)
        json_object_set_new(o, "unavailable", json_string(c.reason));
    else
        json_object_set_new(o, "share", result_json_real(c.share));
    return o;
}

/* Each part of an event: the consumer and the workers. */
static json_t *parts_json(const struct trial_run *t, size_t i)
{
    json_t *list = json_array();
    for (int k = 0; k <= t->workload.spec->setting.workers; k++) {
        char who[32] = "consumer";
        if (k)
            snprintf(who, sizeof who, "worker %d", k - 1);
        json_array_append_new(list, count_json(harness_counters_get_of(t->counters, i, (size_t)k),
                                               t->timed_samples, "who", who));
    }
    return list;
}

static json_t *counters_json(const struct trial_run *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < harness_counters_n(t->counters); i++) {
        struct harness_count c = harness_counters_get(t->counters, i);
        json_t *o = count_json(c, t->timed_samples, "name", c.name);
        if (!c.reason && harness_counters_is_told_apart(t->counters, i) && t->workload.spec->setting.workers)
            json_object_set_new(o, "by", parts_json(t, i));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *hash_json(uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

static json_t *marks_json(const uint64_t *hash, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, hash_json(hash[i]));
    return list;
}

/* Of each thread since it began: who is moved about, and whether a binding held to the end. New reference. */
static json_t *migrations_of(pid_t pid, pid_t only)
{
    json_t *threads = trial_threads_json(pid, only), *list = json_array(), *one;
    size_t i;
    json_array_foreach (threads, i, one) {
        json_array_append(list, json_object_get(one, "migrations"));
    }
    json_decref(threads);
    return list;
}

static json_t *migrations_json(const struct trial_run *t)
{
    json_t *o = json_pack("{s:o}", "consumer", migrations_of(getpid(), 0));
    for (int k = 0; k < t->workload.spec->setting.workers; k++) {
        char who[32];
        snprintf(who, sizeof who, "worker %d", k);
        json_object_set_new(o, who,
                            t->npids ? migrations_of(t->pid[k], 0)
                                     : migrations_of(getpid(), t->workload.probe[k].tid));
    }
    return o;
}

static json_t *extra_json(const struct trial_run *t)
{
    int marks =
        t->workload.info->iterable ? 0 : t->marks; /* streams of several workers have no common order */
    char first[256];
    int64_t skipped = data_source_skipped(t->workload.source, first, sizeof first);
    json_t *o = json_pack("{s:o, s:o}", "order_at", marks_json(t->order_at, marks), "set_at",
                          marks_json(t->set_at, marks));
    json_object_set_new(o, "migrations", migrations_json(t));
    if (t->cache)
        json_object_set(o, "cache", t->cache);
    if (skipped) {
        json_object_set_new(o, "skipped_samples", json_integer((json_int_t)skipped));
        json_object_set_new(o, "skipped_first", result_json_text(first));
    }
    return o;
}

static json_t *totals_json(const struct trial_run *t)
{
    return json_pack("{s:{s:I, s:o, s:o, s:o, s:o}}", "totals", "samples", (json_int_t)t->delivered,
                     "order_hash", hash_json(XXH3_64bits_digest(t->order)), "set_hash", hash_json(t->set),
                     "counters", counters_json(t), "extra", extra_json(t));
}

static int answer_turn(struct trial_run *t, const json_t *turn, int out, struct err *err)
{
    t->asked_ns = clock_now_ns();
    json_int_t batches = json_integer_value(json_object_get(turn, "batches"));
    json_int_t warm = json_integer_value(json_object_get(turn, "warm_batches"));
    if (batches < 1 || warm < 0)
        return err_set(err, -EPROTO,
                       "a turn asks for at least 1 batch after at least 0: \"batches\" is %lld, "
                       "\"warm_batches\" %lld",
                       (long long)batches, (long long)warm);
    json_t *answer;
    bool timeline = json_is_true(json_object_get(turn, "timeline"));
    int rc = timeline ? trial_timeline(t, warm, batches, &answer, err)
                      : trial_turn(t, warm, batches, &answer, err);
    return rc ? rc : say(out, answer, err);
}

/* Lines until "stop" or the end of input. */
static int serve(struct trial_run *t, FILE *in, int out, struct err *err)
{
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    bool stopped = false;
    while (!rc && !stopped && getline(&line, &cap, in) > 0) {
        json_t *o = json_loads(line, 0, NULL);
        const json_t *turn = json_object_get(o, "turn");
        stopped = json_object_get(o, "stop") != NULL;
        if (turn)
            rc = answer_turn(t, turn, out, err);
        else if (!stopped)
            rc = err_set(err, -EPROTO, "expected {\"turn\": ...} or {\"stop\": {}}");
        json_decref(o);
    }
    free(line);
    return rc ? rc : say(out, totals_json(t), err);
}

static int read_spec(FILE *in, struct trial_spec *spec, struct err *err)
{
    char *line = NULL;
    size_t cap = 0;
    json_error_t why;
    bool there = getline(&line, &cap, in) > 0;
    json_t *o = there ? json_loads(line, JSON_REJECT_DUPLICATES, &why) : NULL;
    int rc = o ? harness_spec_parse(o, spec, err)
               : err_set(err, -EINVAL, there ? "the spec is not JSON" : "no spec on standard input");
    json_decref(o);
    free(line);
    return rc;
}

static void end(struct trial_run *t)
{
    harness_counters_close(t->counters);
    harness_sde_close(t->events);
    loader_iter_close(t->iter);
    loader_destroy(t->loader);
    if (t->consumer.kind)
        consumer_close(&t->consumer);
    workload_close(&t->workload);
    json_decref(t->cache);
    XXH3_freeState(t->order);
    free(t);
}

static int run(struct trial_run *t, FILE *in, int out, struct trial_spec *spec, struct err *err)
{
    json_t *ready;
    XXH3_64bits_reset(t->order);
    int rc = start_up(t, spec, &ready, err);
    rc = rc ? rc : say(out, ready, err);
    return rc ? rc : serve(t, in, out, err);
}

int harness_trial_run(int in, int out, struct err *err)
{
    struct trial_spec spec = {0};
    struct trial_run *t = calloc(1, sizeof *t);
    FILE *f = fdopen(in, "r");
    int rc = t && f ? 0 : err_set(err, -ENOMEM, "out of memory for a trial");
    if (!rc && !(t->order = XXH3_createState()))
        rc = err_set(err, -ENOMEM, "out of memory for a hash");
    rc = rc ? rc : read_spec(f, &spec, err);
    rc = rc ? rc : run(t, f, out, &spec, err);
    if (t)
        end(t);
    harness_spec_fini(&spec);
    if (f)
        fclose(f);
    if (rc && err)
        say(out, json_pack("{s:s}", "error", err->text), NULL);
    return rc;
}
