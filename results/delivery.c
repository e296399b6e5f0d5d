/* What was delivered: hashes at powers of two, so that trials that ran for different times can still be compared; and what
 * was left out. */
#include "results/delivery.h"

#include <jansson.h>
#include <stdio.h>

static json_t *marks_of(const struct trial *t, const char *key)
{
    json_t *extra = t->extra ? json_loads(t->extra, 0, NULL) : NULL;
    json_t *marks = json_incref(json_object_get(extra, key));
    json_decref(extra);
    return marks;
}

/* 0 the same, 1 they differ at 2^*mark samples. */
static int differ(const struct trial *a, const struct trial *b, const char *key, size_t *mark)
{
    json_t *x = marks_of(a, key), *y = marks_of(b, key);
    size_t nx = json_array_size(x), ny = json_array_size(y), n = nx < ny ? nx : ny;
    int different = n && !json_equal(json_array_get(x, n - 1), json_array_get(y, n - 1));
    *mark = n ? n - 1 : 0;
    json_decref(x);
    json_decref(y);
    return different;
}

const char *result_delivery_differs(const struct trial *a, const struct trial *b, size_t *mark)
{
    return differ(a, b, "set_at", mark)     ? "other samples"
           : differ(a, b, "order_at", mark) ? "the same samples in another order"
                                            : NULL;
}

bool result_delivery_told(const struct trial *t)
{
    json_t *marks = marks_of(t, "set_at");
    size_t n = json_array_size(marks);
    json_decref(marks);
    return n > 0;
}

int64_t result_left_out(const struct result *r, char *first, size_t first_bytes)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t k = 0; k < r->invocations[i].ntrials; k++) {
            const struct trial *t = &r->invocations[i].trials[k];
            json_t *extra = t->extra ? json_loads(t->extra, 0, NULL) : NULL;
            int64_t n = json_integer_value(json_object_get(extra, "skipped_samples"));
            const char *why = json_string_value(json_object_get(extra, "skipped_first"));
            if (n && !sum)
                snprintf(first, first_bytes, "%s", why ? why : "");
            sum += n;
            json_decref(extra);
        }
    return sum;
}
