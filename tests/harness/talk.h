/* Talking to the core as a subject: the test program started again with --trial, asked over pipes. What it answers is held
 * against the protocol's schema. */
#ifndef TESTS_HARNESS_TALK_H
#define TESTS_HARNESS_TALK_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "harness/trial.h"
#include "schema.h"
#include "testing/cmocka.h"

enum { TALK_LINES_MAX = 64 };

struct talk {
    json_t *line[TALK_LINES_MAX]; /* answers */
    int n, exit_code;
};

static inline void talk_end(struct talk *t)
{
    for (int i = 0; i < t->n; i++)
        json_decref(t->line[i]);
}

static inline void talk__check(const json_t *line, const char *text)
{
    static struct schema schema;
    char why[SCHEMA_WHY];
    if (!schema.root)
        schema = schema_open(SCHEMA_DIR "/protocol.schema.json", true);
    if (!schema_holds(&schema, "subject_line", line, why))
        fail_msg("an answer breaks the schema: %s: %s", why, text);
}

static inline void talk__read(int from, struct talk *out)
{
    FILE *f = fdopen(from, "r");
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        assert_true(out->n < TALK_LINES_MAX);
        json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        talk__check(o, line);
        out->line[out->n++] = o;
    }
    free(line);
    fclose(f);
}

/* What the next trials are started in: a control group (NULL = none), variables of the environment, ended by NULL. */
static const char *talk_group;
static const char *const *talk_variables;

static inline void talk__set_variables(void)
{
    for (const char *const *v = talk_variables; v && *v; v++)
        putenv((char *)(uintptr_t)*v);
}

/* All of the input at once, then its end. */
static inline void talk(const char *input, struct talk *out)
{
    int in[2], answers[2], status;
    *out = (struct talk){.exit_code = -1};
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(answers, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(in[0], 0);
        dup2(answers[1], 1);
        talk__set_variables();
        if (talk_group && group_join(talk_group))
            _exit(126);
        execl("/proc/self/exe", "test_trial", "--trial", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(answers[1]);
    if (write(in[1], input, strlen(input)) < 0)
        assert_int_equal(errno, EPIPE); /* it may end before it read all */
    close(in[1]);
    talk__read(answers[0], out);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The first CPU this process may use. */
static inline int talk_cpu(void)
{
    cpu_set_t set;
    int cpu = 0;
    sched_getaffinity(0, sizeof set, &set);
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    return cpu;
}

struct talk_ask {
    const char *data, *transform, *sampler, *backend;
    int batch_size, workers, threads, unbound;
};

static const struct talk_ask talk_plain = {"synthetic:64", "gemm=8", "sequential", "process", 1, 0, 1, 0};

/* A turn of eight batches, one of four, and the end. */
static const char talk_turns[] = "{\"turn\": {\"warm_batches\": 1, \"batches\": 8}}\n"
                                 "{\"turn\": {\"warm_batches\": 0, \"batches\": 4}}\n{\"stop\": {}}\n";

/* The spec as the first line, every maker bound to the first CPU; the caller frees. */
static inline char *talk_spec(const struct talk_ask *a)
{
    json_t *workers = json_array();
    char cpu[16], *text;
    snprintf(cpu, sizeof cpu, "%d", talk_cpu());
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
static inline void talk_after_spec(const struct talk_ask *a, const char *rest, struct talk *out)
{
    char *spec = talk_spec(a), *all;
    assert_true(asprintf(&all, "%s%s", spec, rest) > 0);
    talk(all, out);
    free(spec);
    free(all);
}

static inline const char *talk_error(const struct talk *t)
{
    return t->n ? json_string_value(json_object_get(t->line[t->n - 1], "error")) : NULL;
}

/* It ends with an error line that holds the words, and a failure. */
static inline void talk_expect_error(const struct talk *t, const char *words)
{
    const char *error = talk_error(t);
    if (!error || !strstr(error, words))
        fail_msg("'%s' should hold '%s'", error ? error : "(no error)", words);
    assert_int_equal(t->exit_code, 1);
}

static inline json_int_t talk_number(const json_t *o, const char *key)
{
    assert_true(json_is_number(json_object_get(o, key)));
    return (json_int_t)json_number_value(json_object_get(o, key));
}

/* The first thing in main: started again with --trial, the program is the subject, and this does not come back. */
static inline void talk_begin(int argc, char **argv)
{
    struct err err = {0};
    if (argc > 1 && !strcmp(argv[1], "--trial"))
        exit(harness_trial_run(dup(0), dup(1), &err) != 0);
    signal(SIGPIPE, SIG_IGN);
}

#endif
