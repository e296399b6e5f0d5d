/* A plugin: a consumer that reads every batch, as a step of a training would, and stops when the values are no pictures
 * that normalize has been over.
 *
 *     cc -shared -fPIC -Ibase/include -o mean.so docs/examples/mean.c
 *     loaderbench tune --data images:photos --transform decode,resize=224,normalize --consumer plugin:./mean.so:3
 */
#include <loaderbench/plugin.h>
#include <stdio.h>
#include <stdlib.h>

struct mean {
    double limit; /* of a batch's mean, either way */
};

static int mean_open(const char *args, const struct loaderbench_shape *sample, int64_t batch_size,
                     void **self, char *why, size_t why_bytes)
{
    struct mean *m = malloc(sizeof *m);
    (void)batch_size;
    if (!m || sample->dtype != LOADERBENCH_F32) {
        snprintf(why, why_bytes, m ? "takes f32 only" : "no memory");
        free(m);
        return -1;
    }
    m->limit = *args ? atof(args) : 10;
    *self = m;
    return 0;
}

static int mean_step(void *self, const struct loaderbench_batch *batch, char *why, size_t why_bytes)
{
    const struct mean *m = self;
    double sum = 0;
    size_t n = 0;
    for (int64_t i = 0; i < batch->samples; i++) {
        const float *value = (const float *)(const void *)(batch->data + batch->offset[i]);
        size_t values = batch->bytes[i] / sizeof *value;
        for (size_t j = 0; j < values; j++)
            sum += value[j];
        n += values;
    }
    double mean = n ? sum / (double)n : 0;
    if (mean >= -m->limit && mean <= m->limit)
        return 0;
    snprintf(why, why_bytes, "batch %lld: a mean of %g is beyond %g", (long long)batch->number, mean,
             m->limit);
    return -1;
}

static const struct loaderbench_consumer consumer = {.open = mean_open, .step = mean_step, .close = free};

const struct loaderbench_plugin loaderbench_plugin = {
    .version = LOADERBENCH_PLUGIN_VERSION,
    .struct_bytes = sizeof(struct loaderbench_plugin),
    .name = "mean",
    .consumer = &consumer,
};
