/* The timed loop. Between the two readings of the clock nothing is allocated, printed or read from the system: the
 * consumer takes batches, adds up their item times, and gives the slots back. */
#include "trial_turn.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "results/json.h"

static void hash_samples(struct trial_run *t, const int64_t *index, int64_t n)
{
    XXH3_64bits_update(t->order, index, (size_t)n * sizeof *index);
    for (int64_t i = 0; i < n; i++)
        t->set += XXH3_64bits(&index[i], sizeof index[i]);
    t->delivered += n;
}

/* At each power of two both hashes are kept, so that trials that delivered different numbers can be compared. */
static void hash_batch(struct trial_run *t, const struct batch *b)
{
    for (int64_t done = 0; done < b->samples;) {
        int64_t to_mark = (INT64_C(1) << t->marks) - t->delivered, left = b->samples - done;
        int64_t n = to_mark < left ? to_mark : left;
        hash_samples(t, b->index + done, n);
        done += n;
        if (n == to_mark && t->marks < TURN_MARKS - 1) {
            t->order_at[t->marks] = XXH3_64bits_digest(t->order);
            t->set_at[t->marks++] = t->set;
        }
    }
}

static struct batch_times times_of(const struct batch *b)
{
    return (struct batch_times){.number = b->number,
                                .worker = b->worker,
                                .started_ns = (double)b->started_ns,
                                .finished_ns = (double)b->finished_ns,
                                .received_ns = (double)b->received_ns,
                                .wait_ns = (double)b->wait_ns};
}

static void add_items(struct trial_run *t, const struct batch *b, struct trial_tally *tally)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < b->samples; i++) {
        sum += b->item_ns[i];
        histogram_add(&t->items, b->item_ns[i]);
    }
    uint64_t made = b->finished_ns - b->started_ns;
    if (tally->times)
        tally->times[tally->batches] = times_of(b);
    tally->item_ns += sum;
    tally->waited_ns += b->wait_ns;
    tally->worker_ns += made > sum ? made - sum : 0;
    tally->batches++;
    tally->samples += b->samples;
}

int trial_take(struct trial_run *t, int64_t n, struct trial_tally *tally, struct err *err)
{
    for (int64_t i = 0; i < n; i++) {
        const struct batch *b;
        int rc = loader_next(t->iter, &b, err);
        if (rc)
            return rc == -ENODATA ? err_set(err, rc, "the data came to its end after %lld samples",
                                            (long long)t->delivered)
                                  : rc;
        if (tally)
            add_items(t, b, tally);
        hash_batch(t, b);
        rc = t->consumer.kind->step ? t->consumer.kind->step(&t->consumer, b, err) : 0;
        loader_release(t->iter, b);
        if (rc)
            return rc;
    }
    return 0;
}

/* CPU time of this process and its workers, all threads of each. */
static uint64_t tree_cpu_ns(const struct trial_run *t)
{
    uint64_t sum, one;
    clock_cpu_ns(0, &sum);
    for (int i = 0; i < t->npids; i++)
        if (!clock_cpu_ns(t->pid[i], &one))
            sum += one;
    return sum;
}

/* Context switches of all tasks of the tree so far, from /proc/pid/task/tid/status: of the main thread of each
 * process, which is the one that makes or takes samples. */
static void read_switches(pid_t pid, double *voluntary, double *involuntary)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    double n;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "voluntary_ctxt_switches: %lf", &n) == 1)
            *voluntary += n;
        if (sscanf(line, "nonvoluntary_ctxt_switches: %lf", &n) == 1)
            *involuntary += n;
    }
    if (f)
        fclose(f);
}

static void tree_switches(const struct trial_run *t, double *voluntary, double *involuntary)
{
    *voluntary = *involuntary = 0;
    read_switches(getpid(), voluntary, involuntary);
    for (int i = 0; i < t->npids; i++)
        read_switches(t->pid[i], voluntary, involuntary);
}

struct moment {
    uint64_t wall_ns, cpu_ns;
    double held_ns; /* CPU time wanted and not given */
    struct loader_stats loader;
};

/* The beginning of the timed part. Workers go on while the consumer reads: that time counts, as what they make in it
 * will. Without workers nothing goes on, and the clock is read last. */
static void mark_begin(struct trial_run *t, struct moment *m)
{
    m->wall_ns = clock_now_ns();
    m->held_ns = harness_throttle_ns(&t->throttle);
    harness_counters_begin(t->counters);
    loader_iter_stats(t->iter, &m->loader);
    m->cpu_ns = tree_cpu_ns(t);
    if (!t->workload.spec->setting.workers)
        m->wall_ns = clock_now_ns();
}

static void mark_end(struct trial_run *t, struct moment *m)
{
    m->wall_ns = clock_now_ns();
    m->cpu_ns = tree_cpu_ns(t);
    loader_iter_stats(t->iter, &m->loader);
    harness_counters_end(t->counters);
    m->held_ns = harness_throttle_ns(&t->throttle);
}

/* The waits by cause; returns their sum. */
static double split_waits(const struct moment *from, const struct moment *to,
                          double wait_ns[RESULT_WAIT_CAUSES])
{
    static const enum result_wait causes[LOADER_WAIT_CAUSES] = {
        [LOADER_WAIT_STARTUP] = RESULT_WAIT_STARTUP,
        [LOADER_WAIT_COMPUTE] = RESULT_WAIT_COMPUTE,
        [LOADER_WAIT_HEAD_OF_LINE] = RESULT_WAIT_HEAD_OF_LINE,
        [LOADER_WAIT_HANDOFF] = RESULT_WAIT_HANDOFF,
        [LOADER_WAIT_PIN] = RESULT_WAIT_PIN,
    };
    double sum = 0;
    for (int i = 0; i < LOADER_WAIT_CAUSES; i++) {
        double ns = (double)(to->loader.wait_ns[i] - from->loader.wait_ns[i]);
        wait_ns[causes[i]] = ns;
        sum += ns;
    }
    harness_throttle_split(wait_ns, (double)(to->cpu_ns - from->cpu_ns), to->held_ns - from->held_ns);
    return sum;
}

static json_t *waits_json(const double wait_ns[RESULT_WAIT_CAUSES])
{
    json_t *o = json_object();
    for (int i = 0; i < RESULT_WAIT_CAUSES; i++)
        json_object_set_new(o, result_wait_names[i], result_json_real(wait_ns[i]));
    return o;
}

/* Inline the consumer does everything, so what is not an item is the loader. With workers the loader's part is what
 * they do beside items, and the consumer's time that is not waiting. */
static double overhead_ns(const struct trial_run *t, const struct trial_tally *tally, uint64_t wall,
                          double waited)
{
    if (!t->workload.spec->setting.workers)
        return wall > tally->item_ns ? (double)(wall - tally->item_ns) : 0;
    return (double)tally->worker_ns + fmax(0, (double)wall - waited);
}

static json_t *turn_json(const struct trial_run *t, const struct trial_tally *tally,
                         const struct moment *from, const struct moment *to, const double switches[2])
{
    double wait_ns[RESULT_WAIT_CAUSES];
    uint64_t wall = to->wall_ns - from->wall_ns;
    double waited = split_waits(from, to, wait_ns);
    json_t *waits = waits_json(wait_ns);
    double stall = consumer_has_step(&t->consumer) ? waited / (double)wall : NAN;
    uint64_t passed = clock_now_ns() - t->asked_ns;
    return json_pack("{s:{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:o, s:o, s:o, s:{s:I}}}", "turn",
                     "batches", (json_int_t)tally->batches, "samples", (json_int_t)tally->samples, "wall_ns",
                     (json_int_t)wall, "untimed_ns", (json_int_t)(passed - wall), "cpu_ns",
                     (json_int_t)(to->cpu_ns - from->cpu_ns), "item_ns", (json_int_t)tally->item_ns,
                     "overhead_ns", overhead_ns(t, tally, wall, waited), "voluntary_switches", switches[0],
                     "involuntary_switches", switches[1], "wait_ns", waits, "items",
                     result_json_histogram(&t->items), "stall_ratio", result_json_real(stall), "extra",
                     "waited_ns", (json_int_t)tally->waited_ns);
}

/* A figure that the counters tell of the turn just measured: a number, or null and why in "extra". */
static void put_counted(const struct trial_run *t, json_t *answer, const char *name, const char *event)
{
    json_t *turn = json_object_get(answer, "turn"), *extra = json_object_get(turn, "extra");
    struct harness_count c = harness_counters_last(t->counters, event);
    json_object_set_new(turn, name, result_json_real(c.value));
    if (!c.reason)
        return;
    if (!json_object_get(extra, "unavailable"))
        json_object_set_new(extra, "unavailable", json_object());
    json_object_set_new(json_object_get(extra, "unavailable"), name, json_string(c.reason));
}

int trial_turn(struct trial_run *t, int64_t warm, int64_t batches, json_t **answer, struct err *err)
{
    struct trial_tally tally = {0};
    struct moment from, to;
    double before[2], after[2];
    memset(&t->items, 0, sizeof t->items);
    int rc = trial_take(t, warm, NULL, err);
    tree_switches(t, &before[0], &before[1]);
    /* Whatever was ready before, while this process slept or read: a timed part that begins with it would seem to cost
     * nothing. From the last of these batches on the clock runs. */
    rc = rc ? rc : trial_take(t, loader_iter_outstanding(t->iter), NULL, err);
    mark_begin(t, &from);
    rc = rc ? rc : trial_take(t, batches, &tally, err);
    mark_end(t, &to);
    if (rc)
        return rc;
    tree_switches(t, &after[0], &after[1]);
    double switches[2] = {after[0] - before[0], after[1] - before[1]};
    t->timed_samples += tally.samples;
    *answer = turn_json(t, &tally, &from, &to, switches);
    if (!*answer)
        return err_set(err, -ENOMEM, "out of memory for an answer");
    put_counted(t, *answer, "migrations", "perf::cpu-migrations");
    put_counted(t, *answer, "page_faults", "perf::page-faults");
    return 0;
}

static json_t *timeline_json(const struct trial_tally *tally, uint64_t began_ns, uint64_t ended_ns)
{
    double began = (double)began_ns;
    for (int64_t i = 0; i < tally->batches; i++) {
        struct batch_times *b = &tally->times[i];
        b->started_ns -= began;
        b->finished_ns -= began;
        b->received_ns -= began;
    }
    return json_pack("{s:{s:I, s:I, s:I, s:o}}", "turn", "batches", (json_int_t)tally->batches, "samples",
                     (json_int_t)tally->samples, "wall_ns", (json_int_t)(ended_ns - began_ns), "timeline",
                     result_json_timeline(tally->times, (size_t)tally->batches));
}

int trial_timeline(struct trial_run *t, int64_t warm, int64_t batches, json_t **answer, struct err *err)
{
    if (batches > TURN_TIMELINE_MAX)
        return err_set(err, -EPROTO, "a timeline of %lld batches: at most %d", (long long)batches,
                       TURN_TIMELINE_MAX);
    struct trial_tally tally = {.times = calloc((size_t)batches, sizeof *tally.times)};
    int rc = tally.times ? 0 : err_set(err, -ENOMEM, "out of memory for a timeline");
    rc = rc ? rc : trial_take(t, warm, NULL, err);
    rc = rc ? rc : trial_take(t, loader_iter_outstanding(t->iter), NULL, err);
    uint64_t began = clock_now_ns();
    rc = rc ? rc : trial_take(t, batches, &tally, err);
    uint64_t ended = clock_now_ns();
    if (!rc && !(*answer = timeline_json(&tally, began, ended)))
        rc = err_set(err, -ENOMEM, "out of memory for an answer");
    free(tally.times);
    return rc;
}
