/* JSON of numbers that may be unknown, of texts that may be missing, and of histograms. */
#include "results/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *result_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

double result_json_get_real(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

json_t *result_json_text(const char *s)
{
    json_t *v = s ? json_string(s) : NULL;
    return v ? v : json_null();
}

char *result_json_get_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? strdup(s) : NULL;
}

char *result_json_get_object(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_object(v) ? json_dumps(v, JSON_COMPACT) : NULL;
}

json_t *result_json_histogram(const struct histogram *h)
{
    if (!h)
        return json_null();
    json_t *buckets = json_array();
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->count[i])
            json_array_append_new(buckets, json_pack("[I, I]", (json_int_t)i, (json_int_t)h->count[i]));
    return json_pack("{s:I, s:o}", "max_ns", (json_int_t)h->max, "buckets", buckets);
}

struct histogram *result_json_get_histogram(const json_t *o)
{
    const json_t *buckets = json_object_get(o, "buckets");
    struct histogram *h = json_is_array(buckets) ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL;
    json_int_t max = json_integer_value(json_object_get(o, "max_ns"));
    h->max = max > 0 ? (uint64_t)max : 0;
    size_t i;
    json_t *pair;
    json_array_foreach (buckets, i, pair) {
        json_int_t bucket = json_integer_value(json_array_get(pair, 0));
        json_int_t count = json_integer_value(json_array_get(pair, 1));
        if (bucket < 0 || bucket >= HISTOGRAM_BUCKETS || count < 0 || (uint64_t)count > INT64_MAX - h->total)
            continue; /* a total is a whole number too */
        h->count[bucket] += (uint64_t)count;
        h->total += (uint64_t)count;
    }
    return h;
}

json_t *result_json_workload(const struct workload *w)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "data", result_json_text(w->data), "transform",
                     result_json_text(w->transform), "sampler", result_json_text(w->sampler), "batch_size",
                     (json_int_t)w->batch_size, "consumer", result_json_text(w->consumer), "on_error",
                     result_json_text(w->on_error), "cache", result_json_text(w->cache));
}

json_t *result_json_setting(const struct setting *s)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:s}", "workers", s->workers, "threads", s->threads,
                     "prefetch_factor", s->prefetch_factor, "affinity", result_json_text(s->affinity),
                     "backend", result_json_text(s->backend), "main", s->reserve_main ? "reserve" : "share");
}
