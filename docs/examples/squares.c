/* A plugin: a dataset of squares drawn from their index, and a transform that inverts pictures.
 *
 *     cc -shared -fPIC -Ibase/include -o squares.so docs/examples/squares.c
 *     loaderbench tune --data plugin:./squares.so:64 --transform plugin=./squares.so:invert
 */
#include <loaderbench/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct squares {
    int64_t side;
};

static int squares_open(const char *args, void **self, int64_t *samples, struct loaderbench_shape *largest,
                        char *why, size_t why_bytes)
{
    struct squares *s = malloc(sizeof *s);
    if (!s)
        return -1;
    s->side = *args ? atoll(args) : 64;
    if (s->side < 8 || s->side > 4096) {
        snprintf(why, why_bytes, "a side of %s is outside 8 to 4096", args);
        free(s);
        return -1;
    }
    *self = s;
    *samples = 1000;
    *largest = (struct loaderbench_shape){LOADERBENCH_U8, 3, {s->side, s->side, 3}};
    return 0;
}

/* Sample `index`: black, with a white square whose side is the index modulo the picture's. */
static int squares_get(void *self, int64_t index, void *out, struct loaderbench_shape *shape, char *why,
                       size_t why_bytes)
{
    const struct squares *s = self;
    int64_t side = index % s->side;
    unsigned char *pixel = out;
    (void)shape, (void)why, (void)why_bytes; /* all samples have the shape that open said */
    memset(out, 0, (size_t)(s->side * s->side * 3));
    for (int64_t y = 0; y < side; y++)
        memset(pixel + y * s->side * 3, 255, (size_t)(side * 3));
    return 0;
}

static int invert_plan(const char *args, const struct loaderbench_shape *in, struct loaderbench_shape *out,
                       void **self, char *why, size_t why_bytes)
{
    (void)args, (void)self;
    if (in->dtype != LOADERBENCH_U8) {
        snprintf(why, why_bytes, "takes u8 only");
        return -1;
    }
    *out = *in;
    return 0;
}

static int invert_run(void *self, const struct loaderbench_shape *in, const void *data, void *out, char *why,
                      size_t why_bytes)
{
    const unsigned char *from = data;
    unsigned char *to = out;
    int64_t n = 1;
    (void)self, (void)why, (void)why_bytes;
    for (int i = 0; i < in->ndim; i++)
        n *= in->dim[i];
    for (int64_t i = 0; i < n; i++)
        to[i] = (unsigned char)(255 - from[i]);
    return 0;
}

static const struct loaderbench_transform transforms[] = {
    {.name = "invert", .plan = invert_plan, .run = invert_run},
};

const struct loaderbench_plugin loaderbench_plugin = {
    .version = LOADERBENCH_PLUGIN_VERSION,
    .struct_bytes = sizeof(struct loaderbench_plugin),
    .name = "squares",
    .open = squares_open,
    .get = squares_get,
    .close = free,
    .transforms = transforms,
    .transforms_n = 1,
};
