/* Hashes of what was delivered, at powers of two: trials that ran for different times can still be compared. */
#include "results/delivery.h"

#include <jansson.h>

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
