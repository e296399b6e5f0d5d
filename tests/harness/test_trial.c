/* The core as a subject: this program started again with --trial, asked over pipes. What it answers is held against the
 * protocol's schema. */
#include "harness/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "builds.h"
#include "groups.h"
#include "schema.h"
#include "testing/cmocka.h"

enum { LINES_MAX = 64 };

struct talk {
    json_t *line[LINES_MAX]; /* answers */
    int n, exit_code;
};

static void end_talk(struct talk *t)
{
    for (int i = 0; i < t->n; i++)
        json_decref(t->line[i]);
}

static void check_line(const json_t *line, const char *text)
{
    static struct schema schema;
    char why[SCHEMA_WHY];
    if (!schema.root)
        schema = schema_open(SCHEMA_DIR "/protocol.schema.json", true);
    if (!schema_holds(&schema, "subject_line", line, why))
        fail_msg("an answer breaks the schema: %s: %s", why, text);
}

static void read_answers(int from, struct talk *out)
{
    FILE *f = fdopen(from, "r");
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        assert_true(out->n < LINES_MAX);
        json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        check_line(o, line);
        out->line[out->n++] = o;
    }
    free(line);
    fclose(f);
}

/* What the next trials are started in: a control group (NULL = none), variables of the environment, ended by NULL. */
static const char *in_group;
static const char *const *with_variables;

static void set_variables(void)
{
    for (const char *const *v = with_variables; v && *v; v++)
        putenv((char *)(uintptr_t)*v);
}

/* All of the input at once, then its end. */
static void talk(const char *input, struct talk *out)
{
    int in[2], answers[2], status;
    *out = (struct talk){.exit_code = -1};
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(answers, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(in[0], 0);
        dup2(answers[1], 1);
        set_variables();
        if (in_group && group_join(in_group))
            _exit(126);
        execl("/proc/self/exe", "test_trial", "--trial", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(answers[1]);
    if (write(in[1], input, strlen(input)) < 0)
        assert_int_equal(errno, EPIPE); /* it may end before it read all */
    close(in[1]);
    read_answers(answers[0], out);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int first_cpu(void)
{
    cpu_set_t set;
    int cpu = 0;
    sched_getaffinity(0, sizeof set, &set);
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    return cpu;
}

struct ask {
    const char *data, *transform, *sampler, *backend;
    int batch_size, workers, threads, unbound;
};

static const struct ask plain = {"synthetic:64", "gemm=8", "sequential", "process", 1, 0, 1, 0};

/* The spec as the first line, every maker bound to the first CPU; the caller frees. */
static char *spec_line(const struct ask *a)
{
    json_t *workers = json_array();
    char cpu[16], *text;
    snprintf(cpu, sizeof cpu, "%d", first_cpu());
    for (int i = 0; i < a->workers; i++)
        json_array_append_new(workers, json_string(cpu));
    json_t *o = json_pack(
        "{s:{s:i, s:{s:s, s:s, s:s, s:i}, s:{s:i, s:i, s:i, s:s, s:s}, s:i, s:i, s:{s:b, s:s, s:o}}}", "spec",
        "protocol", 1, "workload", "data", a->data, "transform", a->transform, "sampler", a->sampler,
        "batch_size", a->batch_size, "setting", "workers", a->workers, "threads", a->threads,
        "prefetch_factor", a->workers ? 2 : 0, "affinity", a->unbound ? "none" : "compact", "backend",
        a->workers ? a->backend : "inline", "seed", 0, "spawned_ns", 0, "placement", "bound", !a->unbound,
        "main", cpu, "workers", workers);
    char *dumped = json_dumps(o, JSON_COMPACT);
    assert_true(asprintf(&text, "%s\n", dumped) > 0);
    free(dumped);
    json_decref(o);
    return text;
}

/* A spec, then the rest as it stands. */
static void talk_after_spec(const struct ask *a, const char *rest, struct talk *out)
{
    char *spec = spec_line(a), *all;
    assert_true(asprintf(&all, "%s%s", spec, rest) > 0);
    talk(all, out);
    free(spec);
    free(all);
}

static const char *error_of(const struct talk *t)
{
    return t->n ? json_string_value(json_object_get(t->line[t->n - 1], "error")) : NULL;
}

/* It ends with an error line that holds the words, and a failure. */
static void expect_error(const struct talk *t, const char *words)
{
    const char *error = error_of(t);
    if (!error || !strstr(error, words))
        fail_msg("'%s' should hold '%s'", error ? error : "(no error)", words);
    assert_int_equal(t->exit_code, 1);
}

static json_int_t number(const json_t *o, const char *key)
{
    assert_true(json_is_number(json_object_get(o, key)));
    return (json_int_t)json_number_value(json_object_get(o, key));
}

/* XXH3 of the first n indices as they are delivered, as the totals show it. */
static void order_hash(const int64_t *order, size_t n, char out[24])
{
    snprintf(out, 24, "%016llx", (unsigned long long)XXH3_64bits(order, n * sizeof *order));
}

static void expect_order(const json_t *totals, const int64_t *order, size_t n)
{
    char want[24];
    size_t mark = 0;
    while ((size_t)1 << mark < n)
        mark++;
    order_hash(order, n, want);
    const char *got = json_string_value(
        json_array_get(json_object_get(json_object_get(totals, "extra"), "order_at"), mark));
    assert_non_null(got);
    assert_string_equal(got, want);
}

static const char turns[] = "{\"turn\": {\"warm_batches\": 1, \"batches\": 8}}\n"
                            "{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n{\"stop\": {}}\n";

static void check_turn(const json_t *line, int batches, int batch_size)
{
    const json_t *turn = json_object_get(line, "turn");
    assert_int_equal(number(turn, "batches"), batches);
    assert_int_equal(number(turn, "samples"), batches * batch_size);
    assert_true(number(turn, "wall_ns") > 0 && number(turn, "cpu_ns") > 0 && number(turn, "item_ns") > 0);
    const json_t *items = json_object_get(turn, "items"), *pair;
    size_t i;
    json_int_t n = 0;
    json_array_foreach (json_object_get(items, "buckets"), i, pair) {
        n += json_integer_value(json_array_get(pair, 1));
    }
    assert_int_equal(n, batches * batch_size);
}

static void check_run(const struct ask *a)
{
    struct talk t;
    talk_after_spec(a, turns, &t);
    if (t.n != 4 || t.exit_code)
        fail_msg("%d workers (%s): exit %d after %d lines: %s", a->workers, a->backend, t.exit_code, t.n,
                 error_of(&t) ? error_of(&t) : "no error");
    const json_t *ready = json_object_get(t.line[0], "ready");
    if (!json_is_null(json_object_get(ready, "placement_mismatch")))
        fail_msg("%s", json_string_value(json_object_get(ready, "placement_mismatch")));
    size_t makers = json_array_size(
        json_object_get(json_object_get(ready, "placement"), a->workers ? "workers" : "inline"));
    assert_int_equal(makers, a->workers ? a->workers : 1);
    assert_int_equal(number(ready, "work_flops"), 2 * 8 * 8 * 8);
    check_turn(t.line[1], 8, a->batch_size);
    check_turn(t.line[2], 4, a->batch_size);
    int64_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_order(json_object_get(t.line[3], "totals"), order, 8);
    end_talk(&t);
}

static void turns_are_answered_whatever_the_setting(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 2; workers++)
        for (int thread = 0; thread < (workers ? 2 : 1); thread++)
            for (int batch_size = 1; batch_size <= 3; batch_size += 2) {
                struct ask a = plain;
                a.workers = workers;
                a.backend = thread ? "thread" : "process";
                a.batch_size = batch_size;
                check_run(&a);
            }
}

/* [number, worker, started, finished, received, wait] of batch i of an answer. */
static void read_batch(const json_t *turn, size_t i, json_int_t v[6])
{
    const json_t *b = json_array_get(json_object_get(turn, "timeline"), i);
    for (size_t k = 0; k < 6; k++)
        v[k] = json_integer_value(json_array_get(b, k));
}

static void check_timeline(const json_t *line, int batches, int workers)
{
    const json_t *turn = json_object_get(line, "turn");
    json_int_t v[6], last = 0, wall = number(turn, "wall_ns");
    assert_int_equal(json_array_size(json_object_get(turn, "timeline")), batches);
    for (int i = 0; i < batches; i++) {
        read_batch(turn, (size_t)i, v);
        json_int_t first[6];
        read_batch(turn, 0, first);
        assert_int_equal(v[0], first[0] + i); /* in order, none left out */
        assert_in_range(v[1] + 1, workers ? 1 : 0, workers);
        assert_true(v[2] <= v[3] && v[3] <= v[4]);
        assert_true(v[4] >= last && v[4] <= wall); /* one after the other, within the timed part */
        assert_true(v[5] >= 0 && v[5] <= v[4] - last);
        last = v[4];
    }
}

static void a_timeline_has_the_times_of_each_batch(void **state)
{
    (void)state;
    static const char asked[] = "{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n"
                                "{\"turn\": {\"warm_batches\": 1, \"batches\": 7, \"timeline\": true}}\n";
    for (int workers = 0; workers <= 2; workers++) {
        struct talk t;
        struct ask a = plain;
        a.workers = workers;
        talk_after_spec(&a, asked, &t);
        assert_int_equal(t.n, 4);
        check_timeline(t.line[2], 7, workers);
        assert_null(json_object_get(json_object_get(t.line[1], "turn"), "timeline"));
        end_talk(&t);
    }
}

static void a_timeline_without_end_is_refused(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&plain, "{\"turn\": {\"warm_batches\": 0, \"batches\": 1000000, \"timeline\": true}}\n",
                    &t);
    expect_error(&t, "a timeline of 1000000 batches: at most 4096");
    end_talk(&t);
}

/* ---- what was counted, and where ---- */

static const json_t *counter(const json_t *totals, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach (json_object_get(totals, "counters"), i, one) {
        if (!strcmp(json_string_value(json_object_get(one, "name")), name))
            return one;
    }
    fail_msg("no counter '%s'", name);
    return NULL;
}

/* The parts of an event make up the whole, and whoever makes the samples has most of it. */
static void check_parts(const json_t *event, int workers)
{
    size_t i;
    json_t *part;
    double sum = 0, whole = json_number_value(json_object_get(event, "value")), consumer = 0;
    assert_int_equal(json_array_size(json_object_get(event, "by")), workers + 1);
    json_array_foreach (json_object_get(event, "by"), i, part) {
        double value = json_number_value(json_object_get(part, "value"));
        assert_null(json_object_get(part, "unavailable"));
        assert_true(value > 0);
        consumer = i ? consumer : value;
        sum += value;
    }
    if (fabs(sum - whole) > 1e-6 * whole)
        fail_msg("parts of %g, the whole %g", sum, whole);
    assert_true(consumer < 0.5 * whole);
}

static void counters_tell_workers_and_the_consumer_apart(void **state)
{
    (void)state;
    for (int thread = 0; thread < 2; thread++) {
        struct talk t;
        struct ask a = plain;
        a.workers = 2;
        a.transform = "gemm=160";
        a.backend = thread ? "thread" : "process";
        talk_after_spec(&a, turns, &t);
        assert_int_equal(t.n, 4);
        const json_t *totals = json_object_get(t.line[3], "totals"),
                     *clock = counter(totals, "perf::task-clock"),
                     *batches = counter(totals, "sde:::loaderbench::batches");
        if (!json_object_get(clock, "unavailable"))
            check_parts(clock, 2);
        assert_null(json_object_get(batches, "by")); /* a source that knows the whole only */
        end_talk(&t);
    }
}

static void a_turn_has_its_migrations_and_faults_or_the_reason(void **state)
{
    (void)state;
    static const char *const names[] = {"migrations", "page_faults"};
    struct talk t;
    struct ask a = plain;
    a.workers = 1;
    talk_after_spec(&a, turns, &t);
    for (int i = 1; i <= 2; i++)
        for (size_t k = 0; k < 2; k++) {
            const json_t *turn = json_object_get(t.line[i], "turn"), *value = json_object_get(turn, names[k]),
                         *why = json_object_get(json_object_get(turn, "extra"), "unavailable");
            if (json_is_null(value))
                assert_true(json_string_length(json_object_get(why, names[k])) > 3);
            else
                assert_true(json_is_number(value) && json_number_value(value) >= 0 && !why);
        }
    end_talk(&t);
}

/* Each thread, of the BLAS too, is named with its CPUs and its moves; all of them at the end again. */
static void every_thread_is_read_back(void **state)
{
    (void)state;
    struct talk t;
    struct ask a = plain;
    a.workers = 1;
    a.threads = 3;
    a.transform = "gemm=160";
    talk_after_spec(&a, turns, &t);
    const json_t *placement = json_object_get(json_object_get(t.line[0], "ready"), "placement");
    const json_t *worker = json_array_get(json_object_get(placement, "workers"), 0), *one;
    const json_t *list = json_object_get(worker, "thread"),
                 *extra = json_object_get(json_object_get(t.line[3], "totals"), "extra");
    assert_int_equal(json_array_size(list), number(worker, "threads"));
    size_t i;
    json_array_foreach (list, i, one) {
        assert_int_equal(atoi(json_string_value(json_object_get(one, "allowed"))), first_cpu());
        assert_int_equal(number(one, "cpu"), first_cpu());
        assert_true(json_is_integer(json_object_get(one, "migrations")) ||
                    json_string_length(json_object_get(one, "unavailable")) > 3);
    }
    const json_t *moves = json_object_get(extra, "migrations");
    assert_int_equal(json_array_size(json_object_get(moves, "worker 0")), json_array_size(list));
    assert_true(json_array_size(json_object_get(moves, "consumer")) > 0);
    end_talk(&t);
}

static const char *mark(const struct talk *t, const char *key, size_t i)
{
    const json_t *extra = json_object_get(json_object_get(t->line[3], "totals"), "extra");
    return json_string_value(json_array_get(json_object_get(extra, key), i));
}

static void random_order_is_the_same_for_all_settings_and_no_sample_is_missed(void **state)
{
    (void)state;
    struct talk sequential, random[3];
    struct ask a = plain;
    a.data = "synthetic:8";
    talk_after_spec(&a, turns, &sequential);
    a.sampler = "random";
    for (int workers = 0; workers <= 2; workers++) {
        a.workers = workers;
        talk_after_spec(&a, turns, &random[workers]);
        assert_int_equal(random[workers].n, 4);
        assert_string_equal(mark(&random[workers], "set_at", 3), mark(&sequential, "set_at", 3));
        assert_string_not_equal(mark(&random[workers], "order_at", 3), mark(&sequential, "order_at", 3));
        assert_string_equal(mark(&random[workers], "order_at", 3), mark(&random[0], "order_at", 3));
    }
    for (int workers = 0; workers <= 2; workers++)
        end_talk(&random[workers]);
    end_talk(&sequential);
}

static void unbound_makers_keep_their_cpus(void **state)
{
    (void)state;
    struct ask a = plain;
    struct talk t;
    a.unbound = 1;
    a.workers = 1;
    talk_after_spec(&a, "", &t);
    assert_int_equal(t.exit_code, 0);
    assert_true(json_is_null(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch")));
    end_talk(&t);
}

/* Batches that a worker made while the consumer was busy elsewhere must not be timed: short turns once cost a
 * five-hundredth of an item. In a steady state with one worker a batch takes at least as long as its item. */
static void a_turn_is_not_made_of_batches_that_were_ready_before(void **state)
{
    (void)state;
    enum { TURNS = 40 };
    struct talk t;
    struct ask a = plain;
    char rest[TURNS * 64] = "";
    double wall = 0, items = 0;
    a.transform = "gemm=160";
    a.workers = 1;
    for (int i = 0; i < TURNS; i++)
        strcat(rest, "{\"turn\": {\"warm_batches\": 0, \"batches\": 1}}\n");
    talk_after_spec(&a, rest, &t);
    assert_int_equal(t.n, TURNS + 2);
    for (int i = 1; i <= TURNS; i++) {
        wall += (double)number(json_object_get(t.line[i], "turn"), "wall_ns");
        items += (double)number(json_object_get(t.line[i], "turn"), "item_ns");
    }
    print_message("wall over items: %.2f\n", wall / items);
    assert_true(wall > 0.5 * items);
    end_talk(&t);
}

static void the_end_of_input_means_stop(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&plain, "", &t);
    assert_int_equal(t.n, 2);
    assert_non_null(json_object_get(t.line[1], "totals"));
    assert_int_equal(t.exit_code, 0);
    end_talk(&t);
}

static void nothing_is_answered_after_stop(void **state)
{
    (void)state;
    struct talk t;
    talk_after_spec(&plain, "{\"stop\": {}}\n{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n", &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.exit_code, 0);
    end_talk(&t);
}

static void lines_that_are_no_spec_are_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "no spec on standard input"},
        {"\n", "not JSON"},
        {"hello\n", "not JSON"},
        {"{\"spec\": {}, \"spec\": {}}\n", "not JSON"},
        {"{}\n", "no spec"},
        {"[]\n", "no spec"},
        {"{\"spec\": {\"protocol\": 7}}\n", "protocol version 7"},
        {"{\"spec\": {\"protocol\": 1}}\n", "\"data\" is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct talk t;
        talk(rows[i][0], &t);
        assert_int_equal(t.n, 1);
        expect_error(&t, rows[i][1]);
        end_talk(&t);
    }
}

static void workloads_that_are_none_are_told(void **state)
{
    (void)state;
    struct talk t;
    struct ask a = plain;
    a.transform = "gemn=8";
    talk_after_spec(&a, turns, &t);
    expect_error(&t, "gemm"); /* the nearest name */
    end_talk(&t);
    a = plain;
    a.data = "nonsense:3";
    talk_after_spec(&a, turns, &t);
    expect_error(&t, "nonsense");
    end_talk(&t);
    a = plain;
    a.sampler = "randon";
    talk_after_spec(&a, turns, &t);
    expect_error(&t, "randon");
    end_talk(&t);
    a = plain;
    a.workers = 1;
    a.backend = "proces";
    talk_after_spec(&a, turns, &t);
    expect_error(&t, "proces");
    end_talk(&t);
}

static void turns_that_are_none_are_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{\"turn\": {\"warm_batches\": 0, \"batches\": 0}}\n", "\"batches\" is 0"},
        {"{\"turn\": {\"warm_batches\": 0, \"batches\": -4}}\n", "\"batches\" is -4"},
        {"{\"turn\": {\"warm_batches\": -1, \"batches\": 4}}\n", "warm_batches"},
        {"{\"turn\": {}}\n", "\"batches\" is 0"},
        {"{\"turn\": 3}\n", "\"batches\" is 0"},
        {"{\"tern\": {}}\n", "expected {\"turn\""},
        {"hello\n", "expected {\"turn\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct talk t;
        talk_after_spec(&plain, rows[i][0], &t);
        assert_int_equal(t.n, 2);
        expect_error(&t, rows[i][1]);
        end_talk(&t);
    }
}

static void a_cpu_that_is_not_there_is_told(void **state)
{
    (void)state;
    char *spec = spec_line(&plain);
    struct talk t;
    json_t *o = json_loads(spec, 0, NULL),
           *placement = json_object_get(json_object_get(o, "spec"), "placement");
    json_object_set_new(placement, "main", json_string("4000"));
    char *text = json_dumps(o, JSON_COMPACT);
    talk(text, &t);
    expect_error(&t, "4000");
    end_talk(&t);
    free(text);
    free(spec);
    json_decref(o);
}

/* More threads than the BLAS was built for: it takes fewer, and that must show. */
static void fewer_threads_than_asked_are_a_mismatch(void **state)
{
    (void)state;
    struct ask a = plain;
    struct talk t;
    a.threads = 5000;
    talk_after_spec(&a, "", &t);
    assert_int_equal(t.exit_code, 0);
    const char *what =
        json_string_value(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch"));
    assert_non_null(what);
    assert_non_null(strstr(what, "BLAS threads asked 5000, found "));
    end_talk(&t);
}

/* ---- the world against us ---- */

static double wait_of(const json_t *turn, const char *cause)
{
    return json_number_value(json_object_get(json_object_get(turn, "wait_ns"), cause));
}

static double all_waits(const json_t *turn)
{
    const char *cause;
    json_t *value;
    double sum = 0;
    json_object_foreach (json_object_get(turn, "wait_ns"), cause, value) {
        sum += json_number_value(value);
    }
    return sum;
}

/* A group that may run for a tenth of each period, which is less than a busy machine leaves it: much of the waits for
 * workers is that, and all parts still add up to the wait. */
static void a_real_quota_shows_as_throttled_waits(void **state)
{
    (void)state;
    char folder[256];
    struct talk t;
    struct ask a = plain;
    if (group_with_quota(10000, folder, sizeof folder)) {
        print_message(
            "skipped: no CPU quota can be made here (needs root and a writable cgroup hierarchy)\n");
        skip();
    }
    a.workers = 2;
    a.transform = "gemm=256";
    in_group = folder;
    talk_after_spec(&a, "{\"turn\": {\"warm_batches\": 0, \"batches\": 160}}\n{\"stop\": {}}\n", &t);
    in_group = NULL;
    assert_int_equal(rmdir(folder), 0);
    if (t.exit_code == 126) {
        print_message("skipped: a process cannot be moved into %s\n", folder);
        skip();
    }
    assert_int_equal(t.n, 3);
    const json_t *turn = json_object_get(t.line[1], "turn");
    double waited = json_number_value(json_object_get(json_object_get(turn, "extra"), "waited_ns")),
           sum = all_waits(turn), throttled = wait_of(turn, "throttled");
    print_message("throttled: %.2f of the waits\n", throttled / sum);
    assert_true(fabs(sum - waited) <= 0.02 * waited);
    assert_true(throttled > 0.3 * sum);
    end_talk(&t);
}

/* A BLAS that binds its own threads, each to a CPU: what was asked for the process does not hold for them. */
static void a_blas_that_moves_its_threads_elsewhere_is_a_mismatch_with_its_variable(void **state)
{
    (void)state;
    char path[256];
    const char *build = library_path("openmp", path, sizeof path);
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        print_message("skipped: on one CPU there is nowhere to move to\n");
        skip();
    }
    const char *const moves[] = {build, "OMP_PROC_BIND=TRUE", "OMP_PLACES=threads", NULL}, *const stays[] = {
                                                                                               build, NULL};
    struct ask a = plain;
    a.threads = 2;
    a.transform = "gemm=200";
    for (int k = 0; k < 2; k++) {
        struct talk t;
        with_variables = k ? moves : stays;
        talk_after_spec(&a, "", &t);
        with_variables = NULL;
        const char *what =
            json_string_value(json_object_get(json_object_get(t.line[0], "ready"), "placement_mismatch"));
        if (k && (!what || !strstr(what, "OMP_PROC_BIND=TRUE")))
            fail_msg("nothing of the variable: %s", what ? what : "no mismatch");
        if (!k && what)
            fail_msg("%s", what);
        end_talk(&t);
    }
}

int main(int argc, char **argv)
{
    struct err err = {0};
    if (argc > 1 && !strcmp(argv[1], "--trial"))
        return harness_trial_run(dup(0), dup(1), &err) != 0;
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_answered_whatever_the_setting),
        cmocka_unit_test(a_timeline_has_the_times_of_each_batch),
        cmocka_unit_test(a_timeline_without_end_is_refused),
        cmocka_unit_test(random_order_is_the_same_for_all_settings_and_no_sample_is_missed),
        cmocka_unit_test(counters_tell_workers_and_the_consumer_apart),
        cmocka_unit_test(a_turn_has_its_migrations_and_faults_or_the_reason),
        cmocka_unit_test(every_thread_is_read_back),
        cmocka_unit_test(unbound_makers_keep_their_cpus),
        cmocka_unit_test(a_turn_is_not_made_of_batches_that_were_ready_before),
        cmocka_unit_test(the_end_of_input_means_stop),
        cmocka_unit_test(nothing_is_answered_after_stop),
        cmocka_unit_test(lines_that_are_no_spec_are_told),
        cmocka_unit_test(workloads_that_are_none_are_told),
        cmocka_unit_test(turns_that_are_none_are_told),
        cmocka_unit_test(a_cpu_that_is_not_there_is_told),
        cmocka_unit_test(fewer_threads_than_asked_are_a_mismatch),
        cmocka_unit_test(a_real_quota_shows_as_throttled_waits),
        cmocka_unit_test(a_blas_that_moves_its_threads_elsewhere_is_a_mismatch_with_its_variable),
    };
    return CASES(tests);
}
