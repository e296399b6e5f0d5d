/* A setting that is fast because it drops or repeats samples is an error, not a winner: what was delivered is compared
 * at the largest power of two of samples that both trials reached. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

static bool same_stream(const struct arm *a, const struct arm *b)
{
    return !strcmp(a->workload.data, b->workload.data) && !strcmp(a->workload.sampler, b->workload.sampler) &&
           !strcmp(a->workload.transform, b->workload.transform);
}

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

int session_check_delivery(const struct session *s, const struct invocation *inv, int *culprit,
                           struct err *err)
{
    for (size_t i = 1; i < inv->ntrials; i++) {
        size_t first = 0, mark;
        while (!same_stream(&s->r->arms[inv->trials[first].arm], &s->r->arms[inv->trials[i].arm]))
            first++; /* at the latest itself */
        const struct trial *a = &inv->trials[first], *b = &inv->trials[i];
        const char *what = first == i                        ? NULL
                           : differ(a, b, "set_at", &mark)   ? "other samples"
                           : differ(a, b, "order_at", &mark) ? "the same samples in another order"
                                                             : NULL;
        if (!what)
            continue;
        *culprit = (int)i;
        return err_set(err, -EBADMSG, "delivered %s than '%s' within the first %lld", what,
                       s->r->arms[a->arm].name, 1LL << mark);
    }
    return 0;
}
