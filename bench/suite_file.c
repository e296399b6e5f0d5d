/* Reading suites: the tables say what may stand where, with the limits that options have. */
#include "suite_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "common_options.h"
#include "datasets/cache.h"
#include "harness/consumer.h"
#include "harness/placement.h"
#include "harness/plan.h"

const char *const suite_main_words[] = {"suite", "share", "reserve", NULL};

/* A line of a table: "\n" would begin another one, an escape sequence would paint the terminal. */
static int check_label(const char *text, struct err *err)
{
    const char *bad = text_find_control(text);
    return bad ? err_set(err, -EINVAL, "a control character at byte %td", bad - text) : 0;
}

static int check_consumer(const char *text, struct err *err)
{
    struct consumer c;
    return consumer_parse(text, &c, err);
}

/* ---- the tables ---- */

#define KEY(type, member) .name = #member, BENCH_AT(struct type, member)
#define LIST(type, member, entry)                                                                            \
    .name = #member, .offset = offsetof(struct type, member), .size = sizeof(entry)
#define AS_TEXT(type, member, parsed) LIST(type, member, parsed)
#define IS_BUDGET .kind = BENCH_OPTION_DURATION, .min = BUDGET_LEAST_NS, .max = BUDGET_MOST_NS
#define WORK(type, member) .name = #member, BENCH_AT(struct type, work.member)
#define IS_MARGIN .kind = BENCH_OPTION_RATIO, .min = MARGIN_LEAST, .max = MARGIN_MOST
#define IS_TEXT .kind = BENCH_OPTION_TEXT
#define IS_INT(least, most) .kind = BENCH_OPTION_INT, .min = (least), .max = (most)
#define IS_THREADS IS_INT(1, THREADS_MOST), .words = axis_thread_words
#define IS_MAIN .kind = BENCH_OPTION_CHOICE, .choices = suite_main_words + SUITE_MAIN_SHARE

/* What a workload says, and what a sweep or an arm may say otherwise. */
#define WORK_KEYS(type)                                                                                      \
    {.value = {WORK(type, data), IS_TEXT}}, {.value = {WORK(type, batch_size), IS_INT(1, BATCH_SIZE_MOST)}}, \
    {                                                                                                        \
        .value = { WORK(type, shuffle), .kind = BENCH_OPTION_FLAG }                                          \
    }

static const struct suite_key workload_keys[] = {
    WORK_KEYS(suite),
    {.value = {WORK(suite, transform), IS_TEXT}},
    {.value = {WORK(suite, consumer), IS_TEXT}, .check = check_consumer},
    {.value = {WORK(suite, on_error), .kind = BENCH_OPTION_CHOICE, .choices = axis_on_error_words}},
    {.value = {WORK(suite, cache), .kind = BENCH_OPTION_CHOICE, .choices = data_cache_names}},
    {.value = {0}},
};

static const struct suite_key sweep_keys[] = {
    WORK_KEYS(suite_sweep),
    {.value = {LIST(suite_sweep, transform, const char *), IS_TEXT}, .list = true},
    {.value = {LIST(suite_sweep, workers, int64_t), IS_INT(0, WORKERS_MOST)}, .list = true},
    {.value = {LIST(suite_sweep, threads, int64_t), IS_THREADS}, .list = true},
    {.value = {LIST(suite_sweep, affinity, const char *), IS_TEXT},
     .list = true,
     .check = harness_affinity_check},
    {.value = {LIST(suite_sweep, backend, const char *), IS_TEXT}, .list = true, .check = plan_check_backend},
    {.value = {LIST(suite_sweep, prefetch, int64_t), IS_INT(1, PREFETCH_MOST)}, .list = true},
    {.value = {KEY(suite_sweep, main), IS_MAIN}},
    {.value = {0}},
};

static const struct suite_key arm_keys[] = {
    {.value = {KEY(suite_arm, name), IS_TEXT}, .check = check_label},
    {.value = {KEY(suite_arm, subject), IS_TEXT}},
    {.value = {AS_TEXT(suite_arm, margin, double), IS_MARGIN}, .as_text = true},
    WORK_KEYS(suite_arm),
    {.value = {WORK(suite_arm, transform), IS_TEXT}},
    {.value = {KEY(suite_arm, workers), IS_INT(0, WORKERS_MOST)}},
    {.value = {KEY(suite_arm, threads), IS_THREADS}},
    {.value = {KEY(suite_arm, affinity), IS_TEXT}, .check = harness_affinity_check},
    {.value = {KEY(suite_arm, backend), IS_TEXT}, .check = plan_check_backend},
    {.value = {KEY(suite_arm, prefetch), IS_INT(1, PREFETCH_MOST)}},
    {.value = {KEY(suite_arm, main), IS_MAIN}},
    {.value = {0}},
};

static int read_workload(struct suite_yaml *y, const yaml_node_t *node, void *base, struct err *err)
{
    return suite_yaml_read(y, node, workload_keys, base, err);
}

static int read_sweeps(struct suite_yaml *y, const yaml_node_t *node, void *base, struct err *err)
{
    struct suite *s = base;
    size_t n = 0;
    int rc = suite_yaml_count(y, node, &n, err);
    if (!rc && !(s->sweeps = calloc(n, sizeof *s->sweeps)))
        rc = err_set(err, -ENOMEM, "out of memory for %zu sweeps", n);
    while (!rc && s->nsweeps < n) {
        size_t i = s->nsweeps++;
        s->sweeps[i] = (struct suite_sweep){.work = s->work, .line = suite_yaml_line(y, node, i)};
        rc = suite_yaml_read_entry(y, node, i, sweep_keys, &s->sweeps[i], err);
    }
    return rc;
}

static int read_arms(struct suite_yaml *y, const yaml_node_t *node, void *base, struct err *err)
{
    struct suite *s = base;
    size_t n = 0;
    int rc = suite_yaml_count(y, node, &n, err);
    if (!rc && !(s->arms = calloc(n, sizeof *s->arms)))
        rc = err_set(err, -ENOMEM, "out of memory for %zu arms", n);
    while (!rc && s->narms < n) {
        size_t i = s->narms++;
        s->arms[i] = (struct suite_arm){.subject = "core",
                                        .work = s->work,
                                        .affinity = "scatter",
                                        .backend = "process",
                                        .threads = 1,
                                        .prefetch = 2,
                                        .line = suite_yaml_line(y, node, i)};
        rc = suite_yaml_read_entry(y, node, i, arm_keys, &s->arms[i], err);
    }
    return rc;
}

/* The workload stands before what begins with it. */
static const struct suite_key suite_keys[] = {
    {.value = {KEY(suite, title), IS_TEXT}, .check = check_label},
    {.value = {AS_TEXT(suite, budget, double), IS_BUDGET}, .as_text = true},
    {.value = {AS_TEXT(suite, margin, double), IS_MARGIN}, .as_text = true},
    {.value = {.name = "workload"}, .nested = read_workload},
    {.value = {.name = "sweeps"}, .nested = read_sweeps},
    {.value = {.name = "arms"}, .nested = read_arms},
    {.value = {0}},
};

/* ---- the file ---- */

static bool is_empty(const yaml_node_t *root)
{
    return !root || (root->type == YAML_SCALAR_NODE && !root->data.scalar.length);
}

static int fill(struct suite *s, FILE *from, struct err *err)
{
    const yaml_node_t *root;
    s->work = (struct suite_work){.data = "synthetic:1048576", .transform = "gemm=768", .batch_size = 1};
    int rc = suite_yaml_open(&s->yaml, s->path, from, &root, err);
    if (!rc && !is_empty(root))
        rc = suite_yaml_read(&s->yaml, root, suite_keys, s, err);
    if (!rc && !s->nsweeps && !s->narms)
        rc = err_set(err, -EINVAL, "%s: neither 'sweeps' nor 'arms': there is nothing to measure", s->path);
    return rc;
}

int suite_read_stream(FILE *from, const char *name, struct suite **out, struct err *err)
{
    *out = NULL;
    struct suite *s = calloc(1, sizeof *s);
    if (s)
        s->path = strdup(name);
    int rc = s && s->path ? fill(s, from, err) : err_set(err, -ENOMEM, "%s: out of memory", name);
    if (rc)
        suite_free(s);
    else
        *out = s;
    return rc;
}

int suite_read(const char *path, struct suite **out, struct err *err)
{
    *out = NULL;
    FILE *from = fopen(path, "re");
    if (!from)
        return err_set_errno(err, -errno, "cannot read the suite '%s'", path);
    int rc = suite_read_stream(from, path, out, err);
    fclose(from);
    return rc;
}

void suite_free(struct suite *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nsweeps; i++) {
        struct suite_sweep *w = &s->sweeps[i];
        struct suite_list *lists[] = {&w->transform, &w->workers,  &w->threads,
                                      &w->prefetch,  &w->affinity, &w->backend};
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
            suite_list_fini(lists[l]);
    }
    suite_yaml_close(&s->yaml);
    free(s->sweeps);
    free(s->arms);
    free(s->path);
    free(s);
}
