/* Reading suites. The structs below mirror the YAML; the schema tables say what may stand where. */
#include "suite.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unit.h"
#include "common_options.h"
#include "harness/plan.h"

/* A workload, and what overrides it: NULL and 0 stand for "as above". */
struct suite_workload {
    char *data, *transform, *consumer, *on_error, *cache;
    int32_t batch_size;
    bool *shuffle;
};

struct suite_sweep {
    char *data;
    char **transform;
    unsigned transform_count;
    int32_t batch_size;
    bool *shuffle;
    int32_t *workers;
    unsigned workers_count;
    char **threads;
    unsigned threads_count;
    char **affinity;
    unsigned affinity_count;
    char **backend;
    unsigned backend_count;
    char *main;
    int32_t *prefetch;
    unsigned prefetch_count;
};

struct suite_arm {
    char *name, *subject, *margin, *data, *transform, *threads, *affinity, *backend, *main;
    int32_t batch_size, workers, prefetch;
    bool *shuffle;
};

struct suite {
    enum suite_main main; /* no field of the file: set by the command line */
    char *title, *budget, *margin;
    struct suite_workload *workload;
    struct suite_sweep *sweeps;
    unsigned sweeps_count;
    struct suite_arm *arms;
    unsigned arms_count;
};

#define TEXT(type, member)                                                                                   \
    CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, 1,        \
                           CYAML_UNLIMITED)
#define NUMBER(type, member) CYAML_FIELD_INT(#member, CYAML_FLAG_OPTIONAL, struct type, member)
#define YES_NO(type, member)                                                                                 \
    CYAML_FIELD_BOOL_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member)
#define LIST(type, member, entry)                                                                            \
    CYAML_FIELD_SEQUENCE(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, entry, 1,   \
                         CYAML_UNLIMITED)

static const cyaml_schema_value_t text_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, CYAML_UNLIMITED)};
static const cyaml_schema_value_t number_entry = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int32_t)};

static const cyaml_schema_field_t workload_fields[] = {
    TEXT(suite_workload, consumer),  TEXT(suite_workload, on_error),
    TEXT(suite_workload, cache),     TEXT(suite_workload, data),
    TEXT(suite_workload, transform), NUMBER(suite_workload, batch_size),
    YES_NO(suite_workload, shuffle), CYAML_FIELD_END,
};

static const cyaml_schema_field_t sweep_fields[] = {
    TEXT(suite_sweep, data),
    LIST(suite_sweep, transform, &text_entry),
    NUMBER(suite_sweep, batch_size),
    YES_NO(suite_sweep, shuffle),
    LIST(suite_sweep, workers, &number_entry),
    LIST(suite_sweep, threads, &text_entry),
    LIST(suite_sweep, affinity, &text_entry),
    LIST(suite_sweep, backend, &text_entry),
    TEXT(suite_sweep, main),
    LIST(suite_sweep, prefetch, &number_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t arm_fields[] = {
    TEXT(suite_arm, name),      TEXT(suite_arm, subject),
    TEXT(suite_arm, margin),    TEXT(suite_arm, data),
    TEXT(suite_arm, transform), TEXT(suite_arm, threads),
    TEXT(suite_arm, affinity),  TEXT(suite_arm, backend),
    TEXT(suite_arm, main),      NUMBER(suite_arm, batch_size),
    NUMBER(suite_arm, workers), NUMBER(suite_arm, prefetch),
    YES_NO(suite_arm, shuffle), CYAML_FIELD_END,
};

static const cyaml_schema_value_t sweep_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct suite_sweep, sweep_fields)};
static const cyaml_schema_value_t arm_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct suite_arm, arm_fields)};

static const cyaml_schema_field_t suite_fields[] = {
    TEXT(suite, title),
    TEXT(suite, budget),
    TEXT(suite, margin),
    CYAML_FIELD_MAPPING_PTR("workload", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct suite, workload,
                            workload_fields),
    LIST(suite, sweeps, &sweep_entry),
    LIST(suite, arms, &arm_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t suite_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct suite, suite_fields)};

const char *const suite_main_words[] = {"suite", "share", "reserve", NULL};

/* The library's last complaint, kept for our own message. */
struct complaint {
    char text[256];
};

static void listen(cyaml_log_t level, void *arg, const char *fmt, va_list args)
{
    struct complaint *c = arg;
    if (level < CYAML_LOG_ERROR || c->text[0])
        return;
    vsnprintf(c->text, sizeof c->text, fmt, args);
    c->text[strcspn(c->text, "\n")] = '\0';
}

static const cyaml_config_t *config_for(struct complaint *c, cyaml_config_t *config)
{
    *config =
        (cyaml_config_t){.log_fn = listen, .log_ctx = c, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    return config;
}

int suite_read(const char *path, struct suite **out, struct err *err)
{
    *out = NULL;
    struct complaint complaint = {""};
    cyaml_config_t config;
    if (access(path, R_OK))
        return err_set_errno(err, -errno, "cannot read the suite '%s'", path);
    cyaml_err_t rc =
        cyaml_load_file(path, config_for(&complaint, &config), &suite_schema, (cyaml_data_t **)out, NULL);
    if (rc != CYAML_OK) {
        const char *why = complaint.text;
        if (!strncmp(why, "Load: ", 6))
            why += 6;
        return err_set(err, -EINVAL, "%s: %s%s%s", path, cyaml_strerror(rc), *why ? ": " : "", why);
    }
    (*out)->main = SUITE_MAIN_OWN;
    if ((*out)->sweeps_count || (*out)->arms_count)
        return 0;
    suite_free(*out);
    *out = NULL;
    return err_set(err, -EINVAL, "%s: neither 'sweeps' nor 'arms': there is nothing to measure", path);
}

void suite_free(struct suite *s)
{
    cyaml_config_t config;
    struct complaint complaint = {""};
    if (s)
        cyaml_free(config_for(&complaint, &config), &suite_schema, s, 0);
}

void suite_set_main(struct suite *s, enum suite_main main)
{
    s->main = main;
}

const char *suite_title(const struct suite *s)
{
    return s->title;
}

const char *suite_budget(const struct suite *s)
{
    return s->budget;
}

const char *suite_margin(const struct suite *s)
{
    return s->margin;
}

const char *suite_arm_margin(const struct suite *s, size_t index, size_t narms)
{
    size_t from = narms - s->arms_count; /* sweeps come first */
    const char *own = index >= from ? s->arms[index - from].margin : NULL;
    return own ? own : s->margin;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a ? a : b ? b : c;
}

/* The suite's workload with what a sweep or an arm says instead. Strings are borrowed. */
static int make_workload(const struct suite *s, const char *data, const char *transform, int32_t batch_size,
                         const bool *shuffle, struct workload *out, struct err *err)
{
    static const struct suite_workload none;
    const struct suite_workload *w = s->workload ? s->workload : &none;
    if (!shuffle)
        shuffle = w->shuffle;
    *out = (struct workload){.data = (char *)first_of(data, w->data, "synthetic:1048576"),
                             .transform = (char *)first_of(transform, w->transform, "gemm=768"),
                             .sampler = (char *)(shuffle && *shuffle ? "random" : "sequential"),
                             .batch_size = batch_size      ? batch_size
                                           : w->batch_size ? w->batch_size
                                                           : 1,
                             .consumer = w->consumer,
                             .on_error = w->on_error,
                             .cache = w->cache};
    if (out->batch_size < 1 || out->batch_size > BATCH_SIZE_MOST)
        return err_set(err, -ERANGE, "batch_size: %lld is outside 1 to %d", (long long)out->batch_size,
                       BATCH_SIZE_MOST);
    return 0;
}

static int make_threads(const char *text, int cpu_budget, int *out, struct err *err)
{
    int64_t n = cpu_budget;
    int rc = text && !strcmp(text, "all")
                 ? 0
                 : unit_parse_int("threads", text ? text : "1", 1, THREADS_MOST, &n, err);
    *out = (int)n;
    return rc;
}

static int check_number(const char *what, int64_t value, int64_t min, int64_t max, struct err *err)
{
    if (value >= min && value <= max)
        return 0;
    return err_set(err, -ERANGE, "%s: %lld is outside %lld to %lld", what, (long long)value, (long long)min,
                   (long long)max);
}

/* The consumer: "share" (the default) or "reserve". What the file says is checked, whoever is asked. */
static int read_main(const struct suite *s, const char *text, bool *reserve, struct err *err)
{
    *reserve = text && !strcmp(text, suite_main_words[SUITE_MAIN_RESERVE]);
    if (text && !*reserve && strcmp(text, suite_main_words[SUITE_MAIN_SHARE]) != 0)
        return err_set(err, -EINVAL, "main: '%s' is neither share nor reserve", text);
    if (s->main != SUITE_MAIN_OWN)
        *reserve = s->main == SUITE_MAIN_RESERVE;
    return 0;
}

static int add_sweep(const struct suite *s, const struct suite_sweep *w, int cpu_budget,
                     const char *transform, struct result *r, struct err *err)
{
    int threads[64], zero = 0, rc = 0;
    size_t left_out, n = w->threads_count;
    struct workload workload;
    if (n > 64)
        return err_set(err, -E2BIG, "threads: %zu entries, at most 64", n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = make_threads(w->threads[i], cpu_budget, &threads[i], err);
    for (size_t i = 0; !rc && i < w->workers_count; i++)
        rc = check_number("workers", w->workers[i], 0, WORKERS_MOST, err);
    for (size_t i = 0; !rc && i < w->prefetch_count; i++)
        rc = check_number("prefetch", w->prefetch[i], 1, PREFETCH_MOST, err);
    rc = rc ? rc : make_workload(s, w->data, transform, w->batch_size, w->shuffle, &workload, err);
    if (rc)
        return rc;
    int one = 1;
    bool reserve;
    if ((rc = read_main(s, w->main, &reserve, err)))
        return rc;
    struct plan_axes axes = {.workers = w->workers_count ? w->workers : &zero,
                             .nworkers = w->workers_count ? w->workers_count : 1,
                             .threads = n ? threads : &one,
                             .nthreads = n ? n : 1,
                             .affinity = (const char *const *)w->affinity,
                             .naffinity = w->affinity_count,
                             .backend = (const char *const *)w->backend,
                             .nbackend = w->backend_count,
                             .prefetch = w->prefetch,
                             .nprefetch = w->prefetch_count,
                             .reserve_main = &reserve,
                             .nmain = 1,
                             .show_transform = w->transform_count > 1 || s->sweeps_count > 1};
    return plan_sweep(r, &axes, &workload, 0, &left_out, err);
}

static int add_arm(const struct suite *s, const struct suite_arm *a, int cpu_budget, struct result *r,
                   struct err *err)
{
    struct workload workload;
    struct setting setting = {.workers = a->workers,
                              .prefetch_factor = a->prefetch ? a->prefetch : 2,
                              .affinity = (char *)first_of(a->affinity, NULL, "scatter"),
                              .backend = (char *)first_of(a->backend, NULL, "process")};
    int rc = make_threads(a->threads, cpu_budget, &setting.threads, err);
    rc = rc ? rc : read_main(s, a->main, &setting.reserve_main, err);
    rc = rc ? rc : check_number("workers", a->workers, 0, WORKERS_MOST, err);
    rc = rc ? rc : check_number("prefetch", setting.prefetch_factor, 1, PREFETCH_MOST, err);
    rc = rc ? rc : make_workload(s, a->data, a->transform, a->batch_size, a->shuffle, &workload, err);
    return rc ? rc : plan_add(r, a->name, first_of(a->subject, NULL, "core"), &workload, &setting, err);
}

int suite_add_arms(const struct suite *s, int cpu_budget, struct result *r, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < s->sweeps_count; i++) {
        const struct suite_sweep *w = &s->sweeps[i];
        for (unsigned t = 0; !rc && t < (w->transform_count ? w->transform_count : 1); t++)
            rc = add_sweep(s, w, cpu_budget, w->transform_count ? w->transform[t] : NULL, r, err);
    }
    for (unsigned i = 0; !rc && i < s->arms_count; i++)
        rc = add_arm(s, &s->arms[i], cpu_budget, r, err);
    return rc;
}
