/* Consumers: emulated training steps. */
#include "harness/consumer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/name.h"
#include "base/unit.h"

/* A kernel on an accelerator: the process waits, its CPU is free. */
static void step_gpu(double ns)
{
    uint64_t until = clock_now_ns() + (uint64_t)ns;
    for (uint64_t now = clock_now_ns(); now < until; now = clock_now_ns())
        clock_sleep_ns(until - now);
}

/* A step on the CPU: one thread is busy. */
static void step_cpu(double ns)
{
    uint64_t until = clock_now_ns() + (uint64_t)ns;
    while (clock_now_ns() < until)
        ;
}

static const struct consumer_kind none = {.name = "none", .help = "takes the next batch at once"};
static const struct consumer_kind gpu = {.name = "gpu",
                                         .help =
                                             "a step of that time on an accelerator: waits, its CPU is free",
                                         .takes_time = true,
                                         .step = step_gpu};
static const struct consumer_kind cpu = {.name = "cpu",
                                         .help = "a step of that time on the CPU: one thread is busy",
                                         .takes_time = true,
                                         .step = step_cpu};

const struct consumer_kind *const consumer_kinds[] = {&none, &gpu, &cpu, NULL};

enum { KINDS = sizeof consumer_kinds / sizeof *consumer_kinds - 1 };

static int find(const char *name, size_t n, const struct consumer_kind **out, struct err *err)
{
    const char *names[KINDS];
    char given[32];
    for (int i = 0; i < KINDS; i++) {
        names[i] = consumer_kinds[i]->name;
        if (strlen(names[i]) == n && !strncmp(names[i], name, n)) {
            *out = consumer_kinds[i];
            return 0;
        }
    }
    snprintf(given, sizeof given, "%.*s", n < 31 ? (int)n : 31, name);
    int near = name_nearest(given, names, KINDS);
    return err_set(err, -EINVAL, "unknown consumer '%s'%s%s%s", given, near < 0 ? "" : " (did you mean '",
                   near < 0 ? "" : names[near], near < 0 ? "" : "'?)");
}

int consumer_parse(const char *text, struct consumer *out, struct err *err)
{
    *out = (struct consumer){.kind = &none};
    if (!text)
        return 0;
    const char *equals = strchr(text, '=');
    int rc = find(text, equals ? (size_t)(equals - text) : strlen(text), &out->kind, err);
    if (rc)
        return rc;
    if (!out->kind->takes_time)
        return equals ? err_set(err, -EINVAL, "consumer '%s' takes no time: '%s'", out->kind->name, text) : 0;
    if (!equals)
        return err_set(err, -EINVAL, "consumer '%s' wants the time of a step: '%s=5ms'", text, text);
    return unit_parse_ns("consumer", equals + 1, 1, 3600e9, &out->step_ns, err);
}

bool consumer_has_step(const struct consumer *c)
{
    return c->kind->step != NULL;
}
