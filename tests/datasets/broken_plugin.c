/* A plugin with one thing wrong, chosen by FAULT while compiling. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <loaderbench/plugin.h>

enum fault {
    FAULT_VERSION,
    FAULT_SIZE,
    FAULT_NO_SYMBOL,
    FAULT_NO_GET,
    FAULT_OPEN_FAILS,
    FAULT_OPEN_CRASHES,
    FAULT_OPEN_EXITS,
    FAULT_GET_CRASHES,
    FAULT_GET_GROWS,
    FAULT_NO_SAMPLES,
    FAULT_BAD_SHAPE,
    FAULT_NO_RUN,
    FAULT_OLD, /* none: made for version 1 */
    FAULT_NO_STEP,
    FAULT_CONSUMER_OPEN_FAILS,
    FAULT_STEP_FAILS,
    FAULT_STEP_CRASHES,
    FAULT_STEP_CRASHES_LATER,
    FAULT_STEP_EXITS,
    FAULT_PLAN_CRASHES,
    FAULT_RUN_CRASHES,
};

static void crash(void)
{
    signal(SIGSEGV, SIG_DFL); /* as without a sanitizer's handler */
    raise(SIGSEGV);
}

static int broken_open(const char *args, void **self, int64_t *samples, struct loaderbench_shape *largest,
                       char *why, size_t why_bytes)
{
    (void)args, (void)self;
    if (FAULT == FAULT_OPEN_FAILS)
        snprintf(why, why_bytes, "the server is gone");
    if (FAULT == FAULT_OPEN_CRASHES)
        crash();
    if (FAULT == FAULT_OPEN_EXITS)
        _exit(3);
    *samples = FAULT == FAULT_NO_SAMPLES ? 0 : 5;
    *largest = (struct loaderbench_shape){LOADERBENCH_F32, FAULT == FAULT_BAD_SHAPE ? 9 : 1, {4}};
    return FAULT == FAULT_OPEN_FAILS;
}

static int broken_get(void *self, int64_t index, void *out, struct loaderbench_shape *shape, char *why,
                      size_t why_bytes)
{
    (void)self, (void)out;
    if (FAULT == FAULT_GET_CRASHES)
        crash();
    if (FAULT == FAULT_GET_GROWS)
        shape->dim[0] = 5;
    if (index == 3)
        snprintf(why, why_bytes, "sample three is under repair");
    return index == 3;
}

static int transform_plan(const char *args, const struct loaderbench_shape *in, struct loaderbench_shape *out,
                          void **self, char *why, size_t why_bytes)
{
    (void)args, (void)in, (void)out, (void)self, (void)why, (void)why_bytes;
    if (FAULT == FAULT_PLAN_CRASHES)
        crash();
    return 0;
}

static int transform_run(void *self, const struct loaderbench_shape *in, const void *data, void *out,
                         char *why, size_t why_bytes)
{
    (void)self, (void)in, (void)data, (void)out, (void)why, (void)why_bytes;
    if (FAULT == FAULT_RUN_CRASHES)
        crash();
    return 0;
}

static const struct loaderbench_transform transforms[] = {
    {.name = "nothing", .plan = transform_plan, .run = FAULT == FAULT_NO_RUN ? NULL : transform_run}};

static int consumer_open(const char *args, const struct loaderbench_shape *sample, int64_t batch_size,
                         void **self, char *why, size_t why_bytes)
{
    (void)self;
    snprintf(why, why_bytes, "no licence for '%s', %lld of %d", args, (long long)batch_size, sample->ndim);
    return FAULT == FAULT_CONSUMER_OPEN_FAILS;
}

static int consumer_step(void *self, const struct loaderbench_batch *batch, char *why, size_t why_bytes)
{
    (void)self;
    if (FAULT == FAULT_STEP_CRASHES || (FAULT == FAULT_STEP_CRASHES_LATER && batch->number == 3))
        crash();
    if (FAULT == FAULT_STEP_EXITS)
        _exit(4);
    snprintf(why, why_bytes, "batch %lld: the loss is no number", (long long)batch->number);
    return FAULT == FAULT_STEP_FAILS && batch->number == 3;
}

static const struct loaderbench_consumer consumer = {.open = consumer_open,
                                                     .step = FAULT == FAULT_NO_STEP ? NULL : consumer_step};

#define OLD_BYTES offsetof(struct loaderbench_plugin, consumer)
#define TABLE                                                                                                \
    {                                                                                                        \
        .version = FAULT == FAULT_VERSION ? 99                                                               \
                   : FAULT == FAULT_OLD   ? 1                                                                \
                                          : LOADERBENCH_PLUGIN_VERSION,                                        \
        .struct_bytes = FAULT == FAULT_SIZE  ? 8                                                             \
                        : FAULT == FAULT_OLD ? OLD_BYTES                                                     \
                                             : sizeof(struct loaderbench_plugin),                            \
        .name = "broken", .consumer = &consumer, .open = broken_open,                                        \
        .get = FAULT == FAULT_NO_GET ? NULL : broken_get, .transforms = transforms, .transforms_n = 1        \
    }

extern const struct loaderbench_plugin some_other_symbol;
const struct loaderbench_plugin some_other_symbol = TABLE;
#ifndef WITHOUT_SYMBOL
const struct loaderbench_plugin loaderbench_plugin = TABLE;
#endif
