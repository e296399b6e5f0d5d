/* Merging item times; see items.h. */
#include "items.h"

#include <math.h>

static bool counts(const struct turn *t)
{
    return t->block > 0 && !t->void_reason && t->items;
}

void items_merge(const struct plot_arm *a, struct histogram *h)
{
    const struct result *r = a->summary->result;
    *h = (struct histogram){0};
    for (size_t i = 0; i < r->ninvocations; i++) {
        const struct invocation *inv = &r->invocations[i];
        for (size_t t = 0; !inv->void_reason && t < inv->ntrials; t++)
            for (size_t u = 0; inv->trials[t].arm == a->index && u < inv->trials[t].nturns; u++)
                if (counts(&inv->trials[t].turns[u]))
                    histogram_merge(h, inv->trials[t].turns[u].items);
    }
}

bool items_any(const struct plot_model *m)
{
    for (size_t r = 0; r < m->nresults; r++) {
        const struct result *result = m->s[r]->result;
        for (size_t i = 0; i < result->ninvocations; i++)
            for (size_t t = 0; t < result->invocations[i].ntrials; t++)
                for (size_t u = 0; u < result->invocations[i].trials[t].nturns; u++)
                    if (counts(&result->invocations[i].trials[t].turns[u]) &&
                        result->invocations[i].trials[t].turns[u].items->total)
                        return true;
    }
    return false;
}

void items_extent(const struct histogram *h, double *low_ns, double *high_ns)
{
    size_t first = 0, last = HISTOGRAM_BUCKETS - 1;
    while (first < last && !h->count[first])
        first++;
    while (last > first && !h->count[last])
        last--;
    *low_ns = fmax(1, (double)histogram_low(first));
    *high_ns = fmax(1, fmin((double)histogram_high(last), (double)h->max));
    if (*high_ns < *low_ns)
        *high_ns = *low_ns;
}
