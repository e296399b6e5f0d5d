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

static const struct loaderbench_transform transforms[] = {{.name = "nothing"}};

#define TABLE                                                                                                \
    {                                                                                                        \
        .version = FAULT == FAULT_VERSION ? 99 : LOADERBENCH_PLUGIN_VERSION,                                 \
        .struct_bytes = FAULT == FAULT_SIZE ? 8 : sizeof(struct loaderbench_plugin), .name = "broken",       \
        .open = broken_open, .get = FAULT == FAULT_NO_GET ? NULL : broken_get,                               \
        .transforms = FAULT == FAULT_NO_RUN ? transforms : NULL, .transforms_n = FAULT == FAULT_NO_RUN       \
    }

extern const struct loaderbench_plugin some_other_symbol;
const struct loaderbench_plugin some_other_symbol = TABLE;
#ifndef WITHOUT_SYMBOL
const struct loaderbench_plugin loaderbench_plugin = TABLE;
#endif
