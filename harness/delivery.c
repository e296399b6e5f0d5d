/* A setting that is fast because it drops or repeats samples is an error, not a winner: what was delivered is compared
 * at the largest power of two of samples that both trials reached. */
#include <errno.h>

#include "results/delivery.h"
#include "session.h"

int session_check_delivery(const struct session *s, const struct invocation *inv, int *culprit,
                           struct err *err)
{
    for (size_t i = 1; i < inv->ntrials; i++) {
        size_t first = 0, mark;
        while (!result_same_stream(&s->r->arms[inv->trials[first].arm].workload,
                                   &s->r->arms[inv->trials[i].arm].workload))
            first++; /* at the latest itself */
        const struct trial *a = &inv->trials[first], *b = &inv->trials[i];
        if (first == i)
            continue;
        *culprit = (int)i;
        if (s->cfg->builds && result_delivery_told(a) && !result_delivery_told(b))
            return err_set(err, -EBADMSG, "tells nothing of what it delivered, as '%s' does",
                           s->r->arms[a->arm].name);
        const char *what = result_delivery_differs(a, b, &mark);
        if (!what)
            continue;
        return err_set(err, -EBADMSG, "delivered %s than '%s' within the first %lld", what,
                       s->r->arms[a->arm].name, 1LL << mark);
    }
    *culprit = -1;
    return 0;
}
